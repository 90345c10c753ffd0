#include "models/ipu_config/run_settings.h"

#include <algorithm>

#include "models/config/load_config.h"

namespace phasor::ipu {

namespace {

class Mapping {
 public:
  Mapping(const IpuConfig& config, const RunFacts& facts, Use use) : config_(config), facts_(facts), use_(use) {}

  RunSettings run() {
    phasor::check(facts_.micro_batch_size > 0, "ipu_config: a micro-batch of {} samples, expected 1 or more",
                  facts_.micro_batch_size);
    map_replicas();
    map_devices();
    map_memory();
    map_arithmetic();
    if (use_ == Use::training) map_training();
    refuse_what_there_is_not();
    return std::move(settings_);
  }

 private:
  const Json& get(const char* name) const { return config_.get(name, use_); }
  std::int64_t whole(const char* name) const { return get(name).get<std::int64_t>(); }
  bool flag(const char* name) const { return config_.get(name).get<bool>(); }
  void set(const char* key, std::string value) { settings_.keys[key] = std::move(value); }
  void note(std::string text) { settings_.notes.push_back("ipu_config: " + std::move(text)); }

  void map_replicas() {
    set("execution.data_parallel", std::to_string(whole("replication_factor")));
    if (use_ == Use::training) {
      set("execution.device_iterations", std::to_string(whole("device_iterations")));
    } else if (whole("device_iterations") > 1) {
      note(fmt::format("device_iterations {}: inference takes as many micro-batches at a time as suit here",
                       whole("device_iterations")));
    }
    const bool shards = flag("replicated_tensor_sharding");
    set("execution.replicated_tensor_sharding", shards ? "true" : "false");
    if (shards && whole("replication_factor") == 1)
      note("replicated_tensor_sharding has nothing to share with one replica");
  }

  // As PopTorch's pipelined execution, whose parts are where the layers are said to be; or its sharded one.
  void map_devices() {
    const auto ipus = static_cast<int>(config_.ipus_per_replica(use_));
    if (ipus == 1) return;
    const bool in_turn = use_ == Use::inference && flag("sharded_execution_for_inference");
    set("execution.pipeline.devices", std::to_string(ipus));
    set("execution.pipeline.schedule", in_turn ? "sequential" : "1f1b");
    if (facts_.stack) {
      set("execution.pipeline.stages",
          stage_parts(*facts_.stack, config_.layer_ipus(facts_.stack->layers, use_), ipus));
      return;
    }
    const Json& layers = get("layers_per_ipu");
    if (std::ranges::any_of(layers, [&](const Json& one) { return one != layers[0]; })) {
      throw Incompatible(
          fmt::format("ipu_config: layers_per_ipu {} divides layers unevenly, and this model has none. Set it to [-1]",
                      layers.dump()));
    }
  }

  void map_memory() {
    const Json& factor = get("embedding_serialization_factor");
    set("execution.embedding_serialization_factor", factor.is_null() ? "1" : factor.dump());
    const Json& projection = get("projection_serialization_factor");
    if (!projection.is_null() && projection != 1) {
      throw Incompatible(
          fmt::format("ipu_config: projection_serialization_factor {} cuts the head alone; here a head that is the "
                      "table of words is "
                      "cut with it: embedding_serialization_factor",
                      projection.dump()));
    }
    for (const char* what : {"serialized_embedding_splits_per_ipu", "serialized_projection_splits_per_ipu"}) {
      const Json& splits = get(what);
      if (splits.is_null()) continue;
      throw Incompatible(fmt::format(
          "ipu_config: {} {} spreads a table over devices; here its slices pass through one device in turn: "
          "embedding_serialization_factor",
          what, splits.dump()));
    }
    if (get("matmul_proportion") != 0.2) {
      note(
          fmt::format("matmul_proportion {} bounds what products take besides their operands; here a plan has it to "
                      "the byte, within execution.device_memory",
                      get("matmul_proportion").dump()));
    }
    const auto cache = config_.get("executable_cache_dir").get<std::string>();
    if (!cache.empty() && cache != "disabled") set("data.cache", cache);
  }

  void map_arithmetic() {
    if (flag("enable_half_partials")) note("enable_half_partials: sums are float32 here, always");
    if (flag("enable_half_first_order_momentum")) {
      note("enable_half_first_order_momentum: moments are float32 here, always");
    }
    if (!config_.get("seed").is_null()) set("model.seed", config_.get("seed").dump());
  }

  void map_training() {
    const std::int64_t replicas = whole("replication_factor"), steps = whole("gradient_accumulation_steps");
    constexpr double kMost = 1e15;  // what a product of them may be
    const double product =
        static_cast<double>(facts_.micro_batch_size) * static_cast<double>(replicas) * static_cast<double>(steps);
    phasor::check(product <= kMost,
                  "ipu_config: replication_factor {} and gradient_accumulation_steps {} make batches of "
                  "{:.3g} samples",
                  replicas, steps, product);
    set("training.global_batch_size", std::to_string(facts_.micro_batch_size * replicas * steps));
    set("execution.recompute", flag("recompute_checkpoint_every_layer") ? "layer" : "none");
    note(flag("optimizer_state_offchip")
             ? "optimizer_state_offchip: in phased execution the optimizer's state is off the device always"
             : "optimizer_state_offchip false: in phased execution the optimizer's state is off the device all the "
               "same; "
               "execution.mode monolithic keeps everything on it");
    const auto mode = config_.get("output_mode").get<std::string>();
    set("execution.outputs", mode == "default" ? "final" : mode);  // of steps; a loss is that of a whole batch here
    if (flag("auto_loss_scaling")) {
      throw Incompatible(
          "ipu_config: auto_loss_scaling is for float16; bfloat16, which is what there is here, needs none");
    }
  }

  void refuse_what_there_is_not() {
    constexpr std::pair<const char*, const char*> kReasons[] = {
        {"execute_encoder_on_cpu_for_generation", "the whole of a model runs on the device here"},
        {"explicit_ir_inference", "it chooses a way of compiling, and nothing here is compiled so"}};
    for (const auto& [name, reason] : kReasons) {
      if (flag(name)) throw Incompatible(fmt::format("ipu_config: {} is not to be had: {}", name, reason));
    }
    const Json& arguments = get("parallelize_kwargs");
    if (!arguments.is_null() && !arguments.empty()) {
      throw Incompatible(fmt::format("ipu_config: parallelize_kwargs {} are arguments of other code, which is not here",
                                     arguments.dump()));
    }
  }

  const IpuConfig& config_;
  const RunFacts& facts_;
  Use use_;
  RunSettings settings_;
};

}  // namespace

RunSettings to_settings(const IpuConfig& config, const RunFacts& facts, Use use) {
  return Mapping(config, facts, use).run();
}

std::map<std::string, std::string> with_ipu_config(const std::string& source,
                                                   const std::map<std::string, std::string>& overrides,
                                                   const std::string& path, io::Listener& listener) {
  const IpuConfig config = IpuConfig::read(path);
  const run::RunConfig run = run::load_config(source, overrides);
  const std::int64_t rows = run.execution.micro_batch_size;
  const RunSettings asked = to_settings(config, {.micro_batch_size = rows, .stack = stack_of(run.model)});
  const auto given = overrides.find("training.global_batch_size");
  const std::string& product = asked.keys.at("training.global_batch_size");
  phasor::check(given == overrides.end() || given->second == product,
                "training.global_batch_size {} is not what '{}' asks for: micro_batch_size × replication_factor × "
                "gradient_accumulation_steps = {} × {} × {} = {}",
                given == overrides.end() ? "" : given->second, path, rows, config.get("replication_factor").dump(),
                config.get("gradient_accumulation_steps").dump(), product);
  std::string keys;
  for (const auto& [key, value] : asked.keys) keys += fmt::format("{}{} {}", keys.empty() ? "" : "; ", key, value);
  listener.note(fmt::format("ipu_config: '{}' asks for {}", path, keys));
  for (const std::string& note : asked.notes) listener.note(note);
  std::map<std::string, std::string> all = asked.keys;
  for (const auto& [key, value] : overrides) all[key] = value;
  return all;
}

}  // namespace phasor::ipu
