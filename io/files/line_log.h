// A file of lines that grows while a run goes on and is never without the lines it had.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace phasor::io {

class LineLog {
 public:
  // Goes on behind `kept`: a file that holds anything else is replaced, whole, by one that holds these lines. Throws
  // UserError where the file system refuses, now or later.
  LineLog(std::string path, std::span<const std::string> kept);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  // Appends the line, in one piece, as far as the operating system: it survives the end of the process.
  void write(std::string_view line);

  // Returns when what was written is on the disk: it survives the end of the machine.
  void bring_to_disk();

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace phasor::io
