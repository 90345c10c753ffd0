// A number of bytes as a message tells it, in a unit that shows more than zeros.
#pragma once

#include <cstdint>
#include <string>

namespace phasor {

// "16.4 MiB"; below one MiB "200.0 KiB", below one KiB "512 B". For people: it does not parse back (byte_size.h).
std::string byte_text(std::int64_t bytes);

}  // namespace phasor
