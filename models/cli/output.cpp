#include "models/cli/output.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace phasor::cli {

namespace {

int output_error = 0;  // errno of the first write to standard output that failed

// Returns 0 if all bytes were taken, else the errno.
int write_all(int descriptor, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t taken = write(descriptor, bytes, count);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) return errno;
    bytes += taken;
    count -= static_cast<std::size_t>(taken);
  }
  return 0;
}

ssize_t write_error_stream(void*, const char* bytes, std::size_t count) {
  write_all(STDERR_FILENO, bytes, count);
  return static_cast<ssize_t>(count);
}

ssize_t write_output_stream(void*, const char* bytes, std::size_t count) {
  const int error = output_error == 0 ? write_all(STDOUT_FILENO, bytes, count) : 0;
  if (error == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (error != 0) output_error = error;
  return static_cast<ssize_t>(count);
}

// A stream that never fails in place of `stream`, which stays as it is where there is no memory for one.
void replace(std::FILE*& stream, ssize_t (*writer)(void*, const char*, std::size_t), int buffering) {
  cookie_io_functions_t functions{};
  functions.write = writer;
  std::FILE* made = fopencookie(nullptr, "w", functions);
  if (made == nullptr) return;
  setvbuf(made, nullptr, buffering, BUFSIZ);
  stream = made;
}

void open_closed_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    const int made = open("/dev/null", O_RDWR);  // the lowest number that is free
    if (made >= 0 && made != descriptor) close(made);
  }
}

}  // namespace

void prepare_standard_streams() {
  open_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  replace(stderr, write_error_stream, _IONBF);
  replace(stdout, write_output_stream, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
}

std::string output_failure() {
  std::fflush(stdout);
  // Some file systems tell only now.
  const int copy = output_error == 0 ? dup(STDOUT_FILENO) : -1;
  if (copy >= 0 && close(copy) != 0) output_error = errno;
  return output_error == 0 ? "" : std::strerror(output_error);
}

}  // namespace phasor::cli
