#include "io/listener/listener.h"

namespace phasor::io {

void Progress::advance(std::int64_t) {}
void Progress::set_text(const std::string&) {}
void Progress::finish() {}

void Listener::note(const std::string&) {}
void Listener::warning(const std::string&) {}
std::unique_ptr<Progress> Listener::progress(const std::string&, std::int64_t, const std::string&) {
  return std::make_unique<Progress>();
}

Listener& silent() {
  static Listener listener;  // has no state
  return listener;
}

}  // namespace phasor::io
