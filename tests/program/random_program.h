// Sound programs drawn at random: phases of loads, stores, calls in place and elsewhere, sums over replicas, with and
// without micro-batches, and a slot that may be carried from step to step.
#pragma once

#include "engine/base/random.h"
#include "tests/program/small_program.h"

namespace phasor::test {

class RandomProgram {
 public:
  static constexpr std::int64_t kElements = 256, kRows = 3, kOwnRows = 200;

  RandomProgram(std::uint64_t seed, int replicas) : seed_(seed), builder_("random", replicas) {}

  Program make() {
    const bool carries = draw(2) == 0;
    if (carries) {
      builder_.begin_phase("begin", 0, 1, Section::begin);
      builder_.load(state_, 0, slot(kSlots));
    }
    const int phases = 1 + draw(6);
    for (int p = 0; p < phases; ++p) {
      builder_.begin_phase("phase", p, phases, Section::step);
      const bool repeats = draw(2) == 0;
      const int steps = 1 + draw(10);
      for (int i = 0; i < steps; ++i) {
        if (repeats) builder_.set_micro_batch(i / 3);
        add_step();
      }
      builder_.set_micro_batch(-1);
      if (carries && draw(2) == 0) call(kSlots, draw_written(), kSlots);
    }
    for (int s = 0; s < kSlots; ++s) {
      if (states_[s] == State::written) store(s);
    }
    if (carries) {
      builder_.begin_phase("end", 0, 1, Section::end);
      builder_.store(slot(kSlots), state_, 0);
    }
    return builder_.finish();
  }

 private:
  enum class State : std::uint8_t { empty, written, read };
  static constexpr int kSlots = 4;  // and the one that is carried

  int draw(int below) {
    return static_cast<int>(random_block(seed_, {drawn_++, 0, 0, 0})[0] % static_cast<std::uint32_t>(below));
  }
  int slot(int s) { return builder_.slot(fmt::format("phase/slot{}", s), kElements * 4); }

  void add_step() {
    const int s = draw(kSlots);
    switch (draw(6)) {
      case 0:
      case 1:
        load(s);
        break;
      case 2:
        if (states_[s] != State::empty) store(s);
        break;
      case 3:
        if (states_[s] != State::empty) {
          builder_.all_reduce(slot(s));
          states_[s] = State::written;
        }
        break;
      default: {
        const int a = draw_written(), b = draw_written();
        // In place, or over what has been read.
        if (draw(2) == 0 && a != b)
          call(a, b, a);
        else if (states_[s] != State::written && s != a && s != b)
          call(a, b, s);
      }
    }
  }

  // A slot that holds something.
  int draw_written() {
    const int s = draw(kSlots);
    if (states_[s] == State::empty) load(s);
    return s;
  }

  void load(int s) {
    if (states_[s] == State::written) return;
    const int kind = draw(3);
    if (kind == 0) builder_.load(host_, draw(kRows), slot(s));
    if (kind == 1 || (kind == 2 && stored_ == 0)) builder_.load(state_, draw(kRows), slot(s));
    if (kind == 2 && stored_ > 0) builder_.load(own_, draw(stored_), slot(s));
    states_[s] = State::written;
  }

  void store(int s) {
    if (draw(2) == 0) {
      builder_.store(slot(s), state_, draw(kRows));
    } else {
      builder_.store(slot(s), own_, stored_++);
    }
    states_[s] = State::read;
  }

  void call(int a, int b, int out) {
    builder_.call(builder_.graph("add", graph()), {slot(a), slot(b), slot(out)});
    for (int s : {a, b}) {
      if (s < kSlots) states_[s] = State::read;
    }
    if (out < kSlots) states_[out] = State::written;
  }

  // gelu(a + b), which may lie where a lies.
  static Graph graph() {
    Graph graph;
    const Value a = graph.add_input(vector_spec(kElements), "a"), b = graph.add_input(vector_spec(kElements), "b");
    graph.outputs = {Builder(graph).gelu(Builder(graph).add(a, b))};
    return graph;
  }

  std::uint64_t seed_;
  std::uint32_t drawn_ = 0;
  ProgramBuilder builder_;
  int state_ = builder_.buffer({"state", vector_spec(kElements), kRows}, Origin::state);
  int host_ = builder_.buffer({"host", vector_spec(kElements), kRows}, Origin::host);
  int own_ = builder_.buffer({"own", vector_spec(kElements), kOwnRows}, Origin::program);
  int stored_ = 0;  // rows of `own`
  State states_[kSlots]{};
};

}  // namespace phasor::test
