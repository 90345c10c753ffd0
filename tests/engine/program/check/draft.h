// Programs with a fault, and what the checkers say about them and their plans.
#pragma once

#include "engine/program/check/checker.h"
#include "engine/program/memory/plan_checker.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {

// "sound" where it finds nothing.
inline std::string fault_of(const Program& program) {
  try {
    check_program(program);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "sound";
}

// The same of a plan for one thread.
inline std::string fault_of(const Program& program, const ProgramPlan& plan) {
  try {
    check_plan(program, plan, 1);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "sound";
}

// A program of one phase under construction, for three micro-batches. The slots a, b and c hold kPart elements, `wide`
// two times as many, as there are two replicas.
struct Draft {
  Draft() { builder.begin_phase("phase", 3, 4, Section::step); }
  std::string fault() { return fault_of(builder.finish()); }
  void call_in_place(Graph graph, const std::vector<SlotId>& slots) {
    for (SlotId slot : {a, b, c}) builder.load({state, 0}, slot);
    for (SlotId slot : {a, b, c}) builder.store(slot, {own, slot.number});
    builder.call(builder.graph("graph", GraphKind::forward, std::move(graph)), slots);
  }

  ProgramBuilder builder{"test", 2, 3};
  BufferId state = builder.buffer({"state", vector_spec(kPart), 3}, Origin::state);
  BufferId host = builder.buffer({"host", vector_spec(kPart), 3}, Origin::host);
  BufferId own = builder.buffer({"own", vector_spec(kPart), 3}, Origin::program);
  SlotId a = builder.slot({.name = "a", .bytes = 16}), b = builder.slot({.name = "b", .bytes = 16}),
         c = builder.slot({.name = "c", .bytes = 16});
  SlotId wide = builder.slot({.name = "wide", .bytes = 32});
};

}  // namespace phasor::test
