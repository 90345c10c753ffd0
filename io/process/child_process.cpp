#include "io/process/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"

extern char** environ;

namespace phasor::io {

namespace {

// What posix_spawn does in the child before the program begins.
class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Standard input, output and error, as every program has them.
constexpr int kInput = 0, kOutput = 1, kErrors = 2;

int spawn(const std::vector<std::string>& command, const std::string& errors, int channel, pid_t& pid) {
  SpawnActions actions;
  for (const int stream : {kInput, kOutput}) {
    posix_spawn_file_actions_adddup2(actions.get(), channel, stream);
  }
  posix_spawn_file_actions_addopen(actions.get(), kErrors, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return posix_spawnp(&pid, words[0], actions.get(), nullptr, words.data(), environ);
}

}  // namespace

// A socket, not two pipes: writing to a program that has ended is an error then, not a signal that ends this one.
ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& errors) {
  int ends[2];
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "'{}' cannot be talked to: {}", command[0],
        std::strerror(errno));
  channel_ = ends[0];
  const int error = spawn(command, errors, ends[1], pid_);
  close(ends[1]);
  if (error == 0) return;
  close(channel_);
  check(false, "'{}' cannot be run: {}", command[0], std::strerror(error));
}

ChildProcess::~ChildProcess() {
  close(channel_);
  kill(pid_, SIGTERM);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(channel_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool ChildProcess::write_line(const std::string& line) {
  const std::string whole = line + '\n';
  return write(std::as_bytes(std::span(whole)));
}

bool ChildProcess::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = recv(channel_, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

// A byte at a time: what follows the line is not a line's, and lines are short.
bool ChildProcess::read_line(std::string& line) {
  line.clear();
  char c = 0;
  while (read(std::as_writable_bytes(std::span(&c, 1)))) {
    if (c == '\n') return true;
    line += c;
  }
  return false;
}

}  // namespace phasor::io
