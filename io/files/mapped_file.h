// A file's bytes where the system keeps them: read as they are touched, never copied, shared by all processes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace phasor::io {

class MappedFile {
 public:
  // What cannot be read, or is no plain file, is a UserError that begins with `subject`: "text: 'a.txt' ...". The file
  // may lose its name meanwhile, but must not be made shorter: the system ends a program that touches what is gone.
  MappedFile(std::string_view subject, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // They begin where a page does.
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace phasor::io
