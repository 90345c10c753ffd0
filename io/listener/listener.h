// Who hears what long work has to say: a terminal, a test, the window of another program. Below the command line
// nothing prints; it tells its listener.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace phasor::io {

// How far a part of the work has come, in units of which the listener was told how many there are. This one shows
// nothing. Any thread may call advance() and set_text() at any time.
class Progress {
 public:
  Progress() = default;
  virtual ~Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  virtual void advance(std::int64_t units = 1);
  // A word on how it goes: "loss 1.23".
  virtual void set_text(const std::string& text);
  // That part of the work is over; what follows is ignored. The end of the object is the end of the part, too.
  virtual void finish();
};

// This one hears nothing; who wants to hear overrides. Called by one thread at a time. Texts are one line, without its
// end.
class Listener {
 public:
  Listener() = default;
  virtual ~Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // What is good to know: where weights come from, what a choice was.
  virtual void note(const std::string& text);
  // What went wrong while the work goes on, or what will end otherwise than it may be expected to.
  virtual void warning(const std::string& text);
  // A part of the work begins: `total` of `unit`, a plural ("questions"). Never null; it ends before the listener does.
  virtual std::unique_ptr<Progress> progress(const std::string& title, std::int64_t total, const std::string& unit);
};

// Hears nothing.
Listener& silent();

}  // namespace phasor::io
