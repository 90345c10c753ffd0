// The checksum of TFRecord files: CRC-32C (Castagnoli), and as these files store it.
#pragma once

#include <cstdint>
#include <string_view>

namespace phasor::io {

// Polynomial 0x1EDC6F41, reflected; RFC 3720, appendix B.4.
std::uint32_t crc32c(std::string_view bytes);

// Rotated by 15 bits and offset, so that checksums of data that holds checksums stay good ones.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace phasor::io
