// A Python that runs the scripts of python_sources.h and talks with this program in messages: a line of JSON, and
// behind it the elements of arrays.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "io/files/scratch_folder.h"
#include "io/process/child_process.h"

namespace phasor::run {

// Where the Python ends, or says that something went wrong there, every call is a UserError that tells why.
class PythonProcess {
 public:
  // `python` as ChildProcess takes it.
  explicit PythonProcess(const std::string& python);

  const std::string& python() const { return python_; }
  // For files that both sides need. It goes with the process.
  const std::string& folder() const { return folder_.path(); }

  void send(const nlohmann::json& message);
  void send(std::span<const std::byte> elements);
  nlohmann::json receive();
  void receive(std::span<std::byte> elements);

 private:
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail_by_ending() const;

  io::ScratchFolder folder_;
  std::string python_;
  io::ChildProcess process_;  // ends before its folder goes
};

}  // namespace phasor::run
