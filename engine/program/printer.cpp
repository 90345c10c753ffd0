#include "engine/program/printer.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <set>

namespace phasor {

namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {
    for (const Phase& phase : program.phases) phase_names_.insert(phase.name);
  }

  std::string run() {
    static constexpr const char* kTitles[kSections] = {"begin", "step", "end"};
    const auto& phases = program_.phases;
    for (std::size_t first = 0; first < phases.size();) {
      const Phase& phase = phases[first];
      own_name_ = phase.name;
      std::size_t last = first;
      while (last + 1 < phases.size() && alike(phase, phases[last + 1])) ++last;
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
  struct Range {
    int begin, end;
  };

  // Whether two ranges do the same to other rows and copies.
  bool alike(Range a, Range b) const {
    if (a.end - a.begin != b.end - b.begin) return false;
    for (int i = 0; i < a.end - a.begin; ++i) {
      if (step_text(steps()[a.begin + i], false) != step_text(steps()[b.begin + i], false)) return false;
    }
    return true;
  }
  bool alike(const Phase& a, const Phase& b) const {
    return a.name == b.name && a.section == b.section &&
           alike(Range{a.first_step, a.end_step}, Range{b.first_step, b.end_step});
  }

  // The steps from `begin` on that stand in the turn of one micro-batch, or of none.
  Range turn(int begin, int end) const {
    Range range{begin, begin};
    while (range.end < end && steps()[range.end].turn == steps()[begin].turn &&
           (steps()[begin].turn < 0 || steps()[range.end].loop == steps()[begin].loop)) {
      ++range.end;
    }
    return range;
  }

  // A phase's steps. The first of several turns that are alike stands for all.
  void print_steps(const Phase& phase) {
    for (int next = phase.first_step; next < phase.end_step;) {
      const Range first = turn(next, phase.end_step);
      const int number = steps()[first.begin].turn;
      int last = number;
      next = first.end;
      while (number >= 0 && next < phase.end_step && steps()[next].turn == last + 1 &&
             steps()[next].loop == steps()[first.begin].loop) {
        const Range other = turn(next, phase.end_step);
        if (!alike(first, other)) break;
        next = other.end;
        ++last;
      }
      if (number >= 0) text_ += fmt::format("    repeat  i = {} .. {}\n", number, last);
      for (int i = first.begin; i < first.end; ++i) {
        const bool waits_on = i > first.begin && is_wait(steps()[i]) && is_wait(steps()[i - 1]);
        if (waits_on) {
          text_.back() = ',';  // on the same line
          text_ += fmt::format(" {}\n", slot_text(steps()[i].slot, true));
        } else {
          text_ += fmt::format("    {}{}\n", number >= 0 ? "  " : "", step_text(steps()[i], true));
        }
      }
    }
  }

  static bool is_wait(const Step& step) { return step.kind == StepKind::wait; }

  // In detail, or as much as repetitions have in common: without rows and copies.
  std::string step_text(const Step& step, bool detail) const {
    const std::string slot = slot_text(step.slot, detail), target = slot_text(step.target, detail);
    const std::string row = is_transfer(step) ? row_text(step, detail) : "";
    switch (step.kind) {
      case StepKind::load:
        return fmt::format("load    {} -> {}{}", row, slot, transfer_text(step));
      case StepKind::store:
        return fmt::format("store   {} -> {}{}", slot, row, transfer_text(step));
      case StepKind::gather:
        return fmt::format("gather  {} -> {}", slot, target);
      case StepKind::reduce_scatter:
        return fmt::format("reduce  {} -> {}  {}, scatter", slot, target, sum_text(step));
      case StepKind::all_reduce:
        if (step.partials) return fmt::format("reduce  {} -> {}  {}", slot, target, sum_text(step));
        return fmt::format("reduce  {}  {}", slot, sum_text(step));
      case StepKind::add_leaf:
        if (!detail) return fmt::format("add     {} -> {}", slot, target);
        return fmt::format("add     {} -> {}  leaf {}", slot, target, step.micro_batch);
      case StepKind::zero:
        return fmt::format("zero    {}", slot);
      case StepKind::call:
        return call_text(program_.calls[step.call], detail);
      case StepKind::wait:
        return fmt::format("wait    {}", slot);
      case StepKind::send:
        return fmt::format("send    {} -> {}", slot, message_text(step, detail));
      case StepKind::receive:
        return fmt::format("receive {} -> {}", message_text(step, detail), slot);
    }
    return {};
  }

  const char* transfer_text(const Step& step) const {
    return program_.slots[step.slot].mapped ? "  in place" : step.issues ? "  issue" : "";
  }

  static const char* sum_text(const Step& step) { return step.partials ? "sum of partial sums" : "sum"; }

  std::string call_text(const Call& call, bool detail) const {
    const NamedGraph& named = program_.graphs[call.graph];
    std::vector<std::string> inputs, outputs;
    for (std::size_t i = 0; i < call.slots.size(); ++i) {
      const std::string slot = slot_text(call.slots[i], detail);
      (i < named.graph.inputs.size() ? inputs : outputs)
          .push_back(detail && call.offset(i) > 0 ? fmt::format("{}[{}..]", slot, call.offset(i)) : slot);
    }
    return fmt::format("call    {}({}) -> {}", named.name, fmt::join(inputs, ", "), fmt::join(outputs, ", "));
  }

  std::string row_text(const Step& step, bool detail) const {
    const std::string& buffer = program_.buffers[step.buffer].spec.name;
    if (!detail) return buffer;
    return step.offset == 0 ? fmt::format("{}[{}]", buffer, step.row)
                            : fmt::format("{}[{}][{}..]", buffer, step.row, step.offset);
  }

  // "x0[3]": a link and which of its messages.
  std::string message_text(const Step& step, bool detail) const {
    const std::string& link = program_.links[step.link].name;
    return detail ? fmt::format("{}[{}]", link, step.row) : link;
  }

  // With the phase only if it is not the one under which it is printed; -1: nothing.
  std::string slot_text(int number, bool detail) const {
    if (number < 0) return {};
    const Slot& slot = program_.slots[number];
    std::string text = detail ? name_in_phase(slot) : slot.name;
    const bool is_of_other = slot.phase != own_name_ && phase_names_.contains(slot.phase);
    return is_of_other ? fmt::format("{}/{}", slot.phase, text) : text;
  }

  const Steps& steps() const { return program_.steps; }

  const Program& program_;
  std::set<std::string> phase_names_;
  std::string own_name_;  // of the phase that is printed
  std::string text_;
};

}  // namespace

std::string to_string(const Program& program) { return Printer(program).run(); }

}  // namespace phasor
