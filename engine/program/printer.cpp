#include "engine/program/printer.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace phasor {

namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string run() {
    static constexpr const char* kTitles[kSections] = {"begin", "step", "end"};
    const auto& phases = program_.phases;
    for (std::size_t first = 0; first < phases.size();) {
      std::size_t last = first;
      while (last + 1 < phases.size() && alike(phases[first], phases[last + 1])) ++last;
      const Phase& phase = phases[first];
      if (first == 0 || phase.section != phases[first - 1].section) {
        text_ += fmt::format("{}\n", kTitles[static_cast<int>(phase.section)]);
      }
      text_ += last > first
                   ? fmt::format("  phase {}  for n = {} .. {}\n", phase.name, phase.instance, phases[last].instance)
                   : fmt::format("  phase {}\n", phase.name);
      print_steps(phase);
      first = last + 1;
    }
    return std::move(text_);
  }

 private:
  // Whether two phases are the same steps for two instances of a stage.
  bool alike(const Phase& a, const Phase& b) const {
    return a.name == b.name && a.section == b.section && a.end_step - a.first_step == b.end_step - b.first_step;
  }

  // A phase's steps: those of the first micro-batch stand for all.
  void print_steps(const Phase& phase) {
    bool repeating = false;
    int micro_batches = 0;
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      micro_batches = std::max(micro_batches, program_.steps[i].micro_batch + 1);
    }
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      const Step& step = program_.steps[i];
      if (step.micro_batch > 0) continue;
      if (!repeating && step.micro_batch == 0) {
        text_ += fmt::format("    repeat  i = 0 .. {}\n", micro_batches - 1);
      }
      repeating = step.micro_batch == 0;
      text_ += fmt::format("    {}{}\n", repeating ? "  " : "", step_text(step));
    }
  }

  std::string step_text(const Step& step) const {
    switch (step.kind) {
      case StepKind::load:
        return fmt::format("load    {}[{}] -> {}", buffer(step), step.row, slot(step.slot));
      case StepKind::store:
        return fmt::format("store   {} -> {}[{}]", slot(step.slot), buffer(step), step.row);
      case StepKind::gather:
        return fmt::format("gather  {} -> {}", slot(step.slot), slot(step.target));
      case StepKind::reduce_scatter:
        return fmt::format("reduce  {} -> {}  sum, scatter", slot(step.slot), slot(step.target));
      case StepKind::all_reduce:
        return fmt::format("reduce  {}  sum", slot(step.slot));
      case StepKind::zero:
        return fmt::format("zero    {}", slot(step.slot));
      case StepKind::call:
        return call_text(program_.calls[step.call]);
    }
    return {};
  }

  std::string call_text(const Call& call) const {
    const NamedGraph& named = program_.graphs[call.graph];
    std::vector<std::string_view> inputs, outputs;
    for (std::size_t i = 0; i < call.slots.size(); ++i) {
      (i < named.graph.inputs.size() ? inputs : outputs).push_back(slot(call.slots[i]));
    }
    return fmt::format("call    {}({}) -> {}", named.name, fmt::join(inputs, ", "), fmt::join(outputs, ", "));
  }

  // Without the phase, under which it is printed.
  std::string_view slot(int number) const {
    const std::string_view name = program_.slots[number].name;
    return name.substr(name.find('/') + 1);
  }
  const std::string& buffer(const Step& step) const { return program_.buffers[step.buffer].spec.name; }

  const Program& program_;
  std::string text_;
};

}  // namespace

std::string to_string(const Program& program) { return Printer(program).run(); }

}  // namespace phasor
