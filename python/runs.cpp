#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "engine/program/simulate/simulator.h"
#include "models/checkpoint/checkpoint.h"
#include "models/cli/convert.h"
#include "models/cli/run_start.h"
#include "models/config/config_changes.h"
#include "models/config/config_file.h"
#include "models/config/load_config.h"
#include "models/machine/facts.h"
#include "models/machine/rates.h"
#include "models/plan/plan_report.h"
#include "models/plan/planned_run.h"
#include "models/run/fitted_passes.h"
#include "models/run/training.h"
#include "models/tasks/task_table.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace phasor::python {

namespace nb = nanobind;

namespace {

using Keys = std::map<std::string, std::string>;

constexpr const char* kGivenIn = "the arguments";  // where the user wrote the keys, in a dictionary or one by one

run::RunConfig load(const std::string& source, const Keys& keys) { return run::load_config(source, keys, kGivenIn); }

// Tells an object of Python, which has note(text) and warning(text). The interpreter is not held in between.
class PythonListener : public io::Listener {
 public:
  explicit PythonListener(nb::handle hears) : hears_(hears) {}
  void note(const std::string& text) override { call("note", text); }
  void warning(const std::string& text) override { call("warning", text); }

 private:
  void call(const char* method, const std::string& text) {
    const nb::gil_scoped_acquire held;
    hears_.attr(method)(text);
  }
  nb::handle hears_;
};

std::string plan(const std::string& source, const Keys& keys, nb::object hears) {
  PythonListener listener(hears);
  const nb::gil_scoped_release free;
  const run::Resolution resolution = cli::resolve(load(source, keys), run::Purpose::show, listener);
  const auto [parameters, program, planned] = run::plan_run(resolution.run);
  const Rates rates = run::machine_rates(program, resolution.run, false);
  run::PlanReport report = run::report_plan(program, planned, simulate(program, rates));
  report.parameters = parameters;
  report.accumulation = resolution.run.execution.accumulation;
  report.micro_batch_size = resolution.run.micro_batch_size;
  report.use = resolution.use;
  report.budgets = resolution.budgets;
  report.eval = run::report_eval(resolution.run);
  auto json = run::to_json(report);
  json["parameters"] = parameters;
  json["refusal"] = resolution.refusal;
  return json.dump();
}

nb::dict to_dict(const run::StepMetrics& metrics) {
  nb::dict dict;
  dict["step"] = metrics.step;
  dict["loss"] = metrics.loss;
  dict["learning_rate"] = metrics.learning_rate;
  if (metrics.gradient_norm) dict["gradient_norm"] = *metrics.gradient_norm;
  dict["samples_per_second"] = metrics.samples_per_second;
  dict["device_peak_bytes"] = metrics.device_peak_bytes;
  dict["stall_seconds"] = metrics.stall_seconds;
  return dict;
}

// `along` hears what happens: begins(first, end), step_begins(step), step_done(metrics) -> go on, saving(step).
run::TrainingEvents events_for(nb::handle along) {
  return {.begins =
              [along](std::int64_t first, std::int64_t end) {
                const nb::gil_scoped_acquire held;
                along.attr("begins")(first, end);
              },
          .step_begins =
              [along](std::int64_t step) {
                const nb::gil_scoped_acquire held;
                along.attr("step_begins")(step);
              },
          .step_done =
              [along](const run::StepMetrics& metrics) {
                const nb::gil_scoped_acquire held;
                return nb::cast<bool>(along.attr("step_done")(to_dict(metrics)));
              },
          .saving =
              [along](std::int64_t step) {
                const nb::gil_scoped_acquire held;
                along.attr("saving")(step);
              }};
}

std::string train(const std::string& source, const Keys& keys, const std::string& output, bool force,
                  nb::object along) {
  PythonListener listener(along);
  const nb::gil_scoped_release free;
  cli::CommonOptions options;
  options.source = source;
  options.overrides = keys;
  const run::RunConfig config = load(source, keys);
  run::validate(config);
  run::RunFolder folder(output);
  const cli::RunStart start = cli::start_run(config, options, force, folder);
  const run::ResolvedRun run = cli::resolve(start.config, run::Purpose::train, listener).run;
  const auto task = tasks::make_task(run);
  run::NamedTexts machine;
  for (const auto& facts : {run::machine_facts(run.all_threads()), run::version_facts()}) {
    for (const auto& [name, value] : facts.items()) {
      machine.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  const run::TrainingOutcome outcome = run::train(*task,
                                                  {.run = run,
                                                   .record = start.record,
                                                   .machine = machine,
                                                   .changes = run::changes_of_resumed(start.config),
                                                   .events = events_for(along)},
                                                  folder, listener);
  return nlohmann::ordered_json{{"steps", outcome.steps},
                                {"first_loss", outcome.loss.first},
                                {"loss", outcome.loss.last},
                                {"seconds", outcome.seconds},
                                {"samples_per_second", outcome.samples_per_second},
                                {"device_peak_bytes", outcome.device_peak_bytes},
                                {"checkpoint", outcome.checkpoint},
                                {"stopped_by", outcome.stopped_by}}
      .dump();
}

std::string evaluate(const std::string& source, const Keys& keys, nb::object hears) {
  PythonListener listener(hears);
  const nb::gil_scoped_release free;
  const run::ResolvedRun run = cli::resolve(load(source, keys), run::Purpose::infer, listener).run;
  return tasks::make_task(run)->evaluate(run, listener).values.dump();
}

std::string predict(const std::string& source, const Keys& keys, const std::string& output, const Keys& options,
                    nb::object hears) {
  PythonListener listener(hears);
  const nb::gil_scoped_release free;
  const run::ResolvedRun run = cli::resolve(load(source, keys), run::Purpose::infer, listener).run;
  return tasks::make_task(run)->predict(run, {.output = output, .options = options}, listener).values.dump();
}

void convert(const std::string& source, const std::string& target, const std::string& precision, const Keys& keys,
             bool force, nb::object hears) {
  PythonListener listener(hears);
  const nb::gil_scoped_release free;
  cli::convert({.source = source,
                .target = target,
                .precision = precision,
                .overrides = keys,
                .given_in = kGivenIn,
                .force = force},
               listener);
}

nb::dict read_state(const std::string& path, const std::string& kind) {
  const io::Hdf5File file = run::open_checkpoint(path);
  const std::string group = "/" + kind;
  check(file.exists(group), "checkpoint: '{}' has no {}", path, kind);
  nb::dict state;
  for (const std::string& name : file.children(group)) {
    const std::string tensor = fmt::format("{}/{}", group, name);
    state[name.c_str()] = to_array(file.read<float>(tensor), file.dataset(tensor).shape);
  }
  return state;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, yaml] : run::presets()) names.push_back(name);
  return names;
}

}  // namespace

void bind_runs(nb::module_& m) {
  m.def("plan", &plan);
  m.def("train", &train);
  m.def("evaluate", &evaluate);
  m.def("predict", &predict);
  m.def("convert", &convert);
  m.def("read_state", &read_state);
  m.def("preset_names", &preset_names);
  m.def("configuration", [](const std::string& source, const Keys& keys) {
    const run::RunConfig config = load(source, keys);
    run::validate(config);
    return run::to_yaml(config);
  });
}

}  // namespace phasor::python
