#include "models/cli/terminal/typed_line.h"

#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

#include "io/text/utf8.h"

namespace phasor::cli {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

bool read_line(const char* expected, std::string& line) {
  const bool person = isatty(STDIN_FILENO) != 0;
  do {
    if (person) fmt::print(stderr, "{}> ", expected);
    if (!std::getline(std::cin, line)) {
      if (person) fmt::print(stderr, "\n");
      return false;
    }
    line = io::replace_invalid_utf8(line);
  } while (is_blank(line));
  return true;
}

}  // namespace phasor::cli
