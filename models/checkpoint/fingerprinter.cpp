#include "models/checkpoint/fingerprinter.h"

#include "engine/base/parallel.h"

namespace phasor::run {

void Fingerprinter::start(const ModelState& state) {
  ensure(!thread_.joinable(), "fingerprint: two at once");
  failure_.clear();
  reading_ = true;
  thread_ = std::jthread([this, &state] {
    set_threads(1);  // of copies: the cores belong to the replicas
    try {
      made_ = fingerprint(stages_, state);
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    reading_ = false;
    reading_.notify_all();
  });
}

std::string Fingerprinter::finish() {
  ensure(thread_.joinable(), "fingerprint: none was begun");
  thread_.join();
  check(failure_.empty(), "fingerprint: {}", failure_);
  return made_;
}

}  // namespace phasor::run
