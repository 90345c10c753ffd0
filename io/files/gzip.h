// Bytes of a file, decompressed where gzip compressed it, read from the front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace phasor::io {

class GzipReader {
 public:
  // Loads the file as it is. One that cannot be read is a UserError that begins with `subject`.
  GzipReader(std::string_view subject, const std::string& path);
  ~GzipReader();

  // Fills `to` as far as there are bytes and returns how many that were: fewer only at the end. Throws UserError where
  // what is compressed is damaged or cut short, or where something follows it; at the end at the latest.
  std::size_t read(std::span<std::uint8_t> to);

 private:
  struct Stream;
  std::string place_;                      // of messages: subject and path
  std::string bytes_;                      // of the file
  std::size_t next_ = 0;                   // of bytes that are not compressed
  std::unique_ptr<Stream> decompressing_;  // null where they are not
};

}  // namespace phasor::io
