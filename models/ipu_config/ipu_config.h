// An IPUConfig of optimum-graphcore, as its ipu_config.json has it: read with its defaults and rules, changed, asked
// what follows from it, and written back without loss.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "models/ipu_config/ipu_fields.h"

namespace phasor::ipu {

// A value of the wrong type.
class TypeMistake : public UserError {
 public:
  using UserError::UserError;
};
// Fields that contradict each other or the model, and fields that there are not.
class Incompatible : public UserError {
 public:
  using UserError::UserError;
};

enum class Use : std::uint8_t { training, inference };

class IpuConfig {
 public:
  IpuConfig();  // all defaults

  // A file, or the folder that has an ipu_config.json. Everything wrong is a UserError that names it.
  static IpuConfig read(const std::string& path);
  static IpuConfig parse(const std::string& json);
  std::string to_json() const;
  // Into the folder, which is made if missing.
  void save(const std::string& folder) const;

  // Types and ranges are checked at once, what fields are to each other by check(). On failure nothing has changed.
  void set(const std::string& name, const Json& value);
  // "replication_factor=2,layers_per_ipu=[1 2]": blanks around names and values do not count. A field without a value
  // cannot be set so: its type is not known. Checks what the fields are to each other behind it.
  void update_from_string(const std::string& text);
  void check() const;

  const Json& get(const std::string& name) const;
  // The one for the use: inference_NAME where it has a value, else NAME.
  const Json& get(const std::string& name, Use use) const;

  std::int64_t ipus_per_replica(Use use) const;
  // Of each layer the IPU that it is on. Incompatible where the list does not add up to that many layers.
  std::vector<int> layer_ipus(int layers, Use use = Use::training) const;
  // By which a micro-batch is multiplied to what a call takes.
  std::int64_t batch_size_factor(Use use) const;

 private:
  void check_layers(Use use) const;
  void check_splits(const std::string& what, Use use) const;
  void check_matmul(Use use) const;

  Json values_;  // every field, then what else a file says of itself
};

}  // namespace phasor::ipu
