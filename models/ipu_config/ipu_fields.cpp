#include "models/ipu_config/ipu_fields.h"

#include <algorithm>

namespace phasor::ipu {

namespace {

using enum FieldKind;

constexpr Field count(std::string_view name) {
  return {.name = name, .kind = whole, .standard = "1", .least = 1, .bounded = true};
}
constexpr Field optional_count(std::string_view name) {
  return {.name = name, .kind = whole, .optional = true, .least = 1, .bounded = true};
}
constexpr Field flag(std::string_view name, const char* standard = "false") {
  return {.name = name, .kind = boolean, .standard = standard};
}
constexpr Field splits(std::string_view name) {
  return {.name = name, .kind = wholes, .optional = true, .least = 0, .bounded = true};
}

constexpr Field kFields[] = {
    flag("auto_loss_scaling"),
    count("device_iterations"),
    optional_count("embedding_serialization_factor"),
    flag("enable_half_first_order_momentum"),
    flag("enable_half_partials", "true"),
    {.name = "executable_cache_dir", .kind = text, .standard = "\"\""},
    flag("execute_encoder_on_cpu_for_generation"),
    flag("explicit_ir_inference"),
    count("gradient_accumulation_steps"),
    count("inference_device_iterations"),
    optional_count("inference_embedding_serialization_factor"),
    optional_count("inference_ipus_per_replica"),
    {.name = "inference_layers_per_ipu", .kind = wholes, .optional = true, .least = -1, .bounded = true},
    {.name = "inference_matmul_proportion", .kind = real_or_reals, .optional = true, .least = 0, .bounded = true},
    {.name = "inference_parallelize_kwargs", .kind = object, .optional = true},
    optional_count("inference_projection_serialization_factor"),
    count("inference_replication_factor"),
    splits("inference_serialized_embedding_splits_per_ipu"),
    splits("inference_serialized_projection_splits_per_ipu"),
    optional_count("ipus_per_replica"),
    {.name = "layers_per_ipu", .kind = wholes, .standard = "[-1]", .least = -1, .bounded = true},
    {.name = "matmul_proportion", .kind = real_or_reals, .standard = "0.2", .least = 0, .bounded = true},
    flag("optimizer_state_offchip"),
    {.name = "output_mode", .kind = text, .standard = "\"final\""},
    {.name = "parallelize_kwargs", .kind = object, .optional = true},
    optional_count("projection_serialization_factor"),
    flag("recompute_checkpoint_every_layer"),
    flag("replicated_tensor_sharding"),
    count("replication_factor"),
    {.name = "seed", .kind = whole, .optional = true},
    splits("serialized_embedding_splits_per_ipu"),
    splits("serialized_projection_splits_per_ipu"),
    flag("sharded_execution_for_inference"),
};

bool is_number(const Json& value) { return value.is_number() && !value.is_boolean(); }

}  // namespace

std::span<const Field> fields() { return kFields; }

const Field* find_field(std::string_view name) {
  const auto found = std::ranges::find(kFields, name, &Field::name);
  return found == std::end(kFields) ? nullptr : found;
}

std::string kind_text(const Field& field) {
  const std::string none = field.optional ? ", or null" : "";
  switch (field.kind) {
    case boolean:
      return "true or false" + none;
    case whole:
      return "a whole number" + none;
    case real_or_reals:
      return "a number or a list of numbers" + none;
    case wholes:
      return "a list of whole numbers" + none;
    case text:
      return "text" + none;
    case object:
      break;
  }
  return "an object" + none;
}

bool is_of_kind(const Field& field, const Json& value) {
  if (value.is_null()) return field.optional;
  switch (field.kind) {
    case boolean:
      return value.is_boolean();
    case whole:
      return value.is_number_integer();
    case real_or_reals:
      return is_number(value) || (value.is_array() && !value.empty() && std::ranges::all_of(value, is_number));
    case wholes:
      return value.is_array() && !value.empty() &&
             std::ranges::all_of(value, [](const Json& element) { return element.is_number_integer(); });
    case text:
      return value.is_string();
    case object:
      break;
  }
  return value.is_object();
}

}  // namespace phasor::ipu
