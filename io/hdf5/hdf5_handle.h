// For the sources of the HDF5 layer only: owned handles and HDF5's reasons as text.
#pragma once

#include <hdf5.h>
#include <string>
#include <utility>

#include "engine/base/error.h"

namespace phasor::io {

// Owns one HDF5 identifier and the function that closes it. A negative one is a failed call.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  hid_t get() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  Close close_;
};

// Why the last call of this thread failed, as the innermost function of the library put it.
std::string hdf5_reason();

// Throws the UserError "hdf5: 'file' 'object' FACT" unless `condition`.
template <class... Args>
void check_hdf5(bool condition, const std::string& file, const std::string& object, fmt::format_string<Args...> fact,
                Args&&... args) {
  if (condition) return;
  throw UserError(fmt::format("hdf5: '{}' '{}' {}", file, object, fmt::format(fact, std::forward<Args>(args)...)));
}

}  // namespace phasor::io
