// Another program that works for this one: what it is told and what it answers pass through its standard input and
// output.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace phasor::io {

// One thread uses it.
class ChildProcess {
 public:
  // Starts command[0], which is looked for in PATH where it has no slash, with the others as its arguments. What it
  // says on standard error goes to the file `errors`. A program that cannot be run is a UserError.
  ChildProcess(const std::vector<std::string>& command, const std::string& errors);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Ends it, if it has not ended, and waits for that.
  ~ChildProcess();

  // Each false where the program has ended instead, or closed its side. Elements are read and written as they lie in
  // memory; a line without its end.
  [[nodiscard]] bool write(std::span<const std::byte> bytes);
  [[nodiscard]] bool write_line(const std::string& line);
  [[nodiscard]] bool read(std::span<std::byte> bytes);
  [[nodiscard]] bool read_line(std::string& line);

 private:
  int channel_ = -1;
  pid_t pid_ = -1;
};

}  // namespace phasor::io
