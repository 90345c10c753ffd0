#include "io/files/text_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/base/error.h"

namespace phasor::io {

std::string read_file(std::string_view subject, const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  check(std::filesystem::exists(status), "{}: '{}' does not exist", subject, path);
  check(!std::filesystem::is_directory(status), "{}: '{}' is a folder, expected a file", subject, path);
  std::ifstream file(path, std::ios::binary);
  check(file.is_open(), "{}: '{}' cannot be opened. May it be read?", subject, path);
  const auto size = std::filesystem::file_size(path, error);
  std::string bytes;
  if (!error) {
    bytes.resize(size);
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
  } else {  // a pipe has no size
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  check(!file.bad(), "{}: '{}' could not be read to its end", subject, path);
  return bytes;
}

}  // namespace phasor::io
