#include "models/verify/executions/python_process.h"

#include <fstream>

#include "engine/base/error.h"
#include "models/verify/executions/python_sources.h"

namespace phasor::run {

namespace {

// Returns the one that is run.
std::string write_scripts(const std::string& folder) {
  for (const PythonSource& source : python_sources()) {
    std::ofstream file(folder + "/" + source.name);
    file << source.text;
    file.close();
    check(file.good(), "verify: '{}/{}' cannot be written", folder, source.name);
  }
  return folder + "/" + python_sources().front().name;
}

std::string errors_file(const std::string& folder) { return folder + "/errors"; }

io::ChildProcess start(const std::string& python, const std::string& folder) {
  const std::string script = write_scripts(folder);
  try {
    return io::ChildProcess({python, script}, errors_file(folder));
  } catch (const UserError& error) {
    throw UserError(
        fmt::format("--against transformers: {}. Give a Python that has torch and transformers", error.what()));
  }
}

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

PythonProcess::PythonProcess(const std::string& python) : python_(python), process_(start(python, folder())) {}

// One that has ended takes nothing, but may have said why.
void PythonProcess::send(const nlohmann::json& message) {
  if (process_.write_line(message.dump())) return;
  receive();
  fail_by_ending();
}
void PythonProcess::send(std::span<const std::byte> elements) {
  if (process_.write(elements)) return;
  receive();
  fail_by_ending();
}

nlohmann::json PythonProcess::receive() {
  std::string line;
  if (!process_.read_line(line)) fail_by_ending();
  nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
  if (!message.is_object()) fail(fmt::format("it says '{}'. Is it a Python?", line));
  if (message.contains("mistake")) fail(message.value("mistake", ""));
  return message;
}

void PythonProcess::receive(std::span<std::byte> elements) {
  if (!process_.read(elements)) fail_by_ending();
}

void PythonProcess::fail(const std::string& why) const {
  throw UserError(fmt::format("--against transformers: '{}': {}", python_, why));
}

void PythonProcess::fail_by_ending() const {
  const std::string said = last_line(errors_file(folder()));
  fail(said.empty() ? "it ended without a word. Is it a Python?" : "it ended: " + said);
}

}  // namespace phasor::run
