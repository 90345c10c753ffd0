// Sound programs drawn at random: phases of loads, stores, calls in place and elsewhere, accumulators, collectives,
// with and without micro-batches, in slots of three sizes, and slots that may be carried from step to step.
#pragma once

#include <algorithm>
#include <array>

#include "engine/base/random.h"
#include "tests/engine/program/random_graphs.h"

namespace phasor::test {

class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, int replicas)
      : seed_(seed),
        micro_batches_(1 + draw(kMostMicroBatches)),
        sizes_{64, 64 * replicas, 336},
        builder_("random", replicas, micro_batches_) {
    for (int size = 0; size < kSizes; ++size) {
      for (Origin origin : {Origin::state, Origin::host, Origin::program}) {
        const BufferSpec spec{fmt::format("buffer{}.{}", size, static_cast<int>(origin)), vector_spec(sizes_[size]),
                              origin == Origin::program ? kOwnRows : kRows};
        buffers_[size][static_cast<std::size_t>(origin)] = builder_.buffer(spec, origin);
      }
    }
  }

  Program make() {
    const bool carries = draw(2) == 0;
    const Place carried{draw(kSizes), kSlots};
    if (carries) {
      builder_.begin_phase("begin", 0, 1, Section::begin);
      builder_.load({buffer(carried.size, Origin::state), 0}, slot(carried));
    }
    const int phases = 1 + draw(6);
    for (int p = 0; p < phases; ++p) {
      builder_.begin_phase("phase", p, phases, Section::step);
      if (draw(3) == 0) accumulate();
      if (draw(4) == 0) pass_rows();
      if (draw(4) == 0) share_leaves();
      const bool repeats = draw(2) == 0;
      const int steps = 1 + draw(10);
      for (int i = 0; i < steps; ++i) {
        const auto turn = builder_.turn(repeats ? i / 3 : -1);
        add_step();
      }
      if (carries && draw(2) == 0) call(carried, draw_written(carried.size), carried);
    }
    for (int size = 0; size < kSizes; ++size) {
      for (int number = 0; number < kSlots; ++number) {
        if (state_of({size, number}) == State::written) store({size, number});
      }
    }
    if (carries) {
      builder_.begin_phase("end", 0, 1, Section::end);
      builder_.store(slot(carried), {buffer(carried.size, Origin::state), 0});
    }
    return builder_.finish();
  }

 private:
  enum class State : std::uint8_t { empty, written, read };
  static constexpr int kSizes = 3, kSlots = 3;  // of each size, and the one that is carried
  static constexpr int kPartSize = 0, kWholeSize = 1;
  static constexpr int kRows = 3, kOwnRows = 40, kMostMicroBatches = 6;
  struct Place {
    int size = 0, number = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  int draw(int below) {
    return static_cast<int>(random_block(seed_, {drawn_++, 0, 0, 0})[0] % static_cast<std::uint32_t>(below));
  }
  SlotId slot(Place place) {
    return builder_.slot({.name = fmt::format("slot{}.{}", place.size, place.number),
                          .phase = "phase",
                          .bytes = sizes_[place.size] * 4});
  }
  BufferId buffer(int size, Origin origin) const { return buffers_[size][static_cast<std::size_t>(origin)]; }
  State& state_of(Place place) { return states_[place.size][place.number]; }

  void add_step() {
    const Place s{draw(kSizes), draw(kSlots)};
    switch (draw(8)) {
      case 0:
      case 1:
        return load(s);
      case 2:
        if (state_of(s) != State::empty) store(s);
        return;
      case 3:
        if (state_of(s) == State::empty) return;
        builder_.all_reduce(slot(s));
        state_of(s) = State::written;
        return;
      case 4:
        return exchange();
      default: {
        const Place a = draw_written(s.size), b = draw_written(s.size);
        // In place, or over what has been read.
        if (draw(2) == 0 && a != b)
          call(a, b, a);
        else if (state_of(s) != State::written && s != a && s != b)
          call(a, b, s);
      }
    }
  }

  // A sum over micro-batches.
  void accumulate() {
    const int size = draw(kSizes);
    const Place sum{size, 0}, term{size, 1};
    if (state_of(sum) == State::written || state_of(term) == State::written) return;
    builder_.zero(slot(sum));
    for (int m = 0; m < micro_batches_; ++m) {
      const auto turn = builder_.micro_batch(m);
      load(term, From::host);
      call(sum, term, sum);
    }
    state_of(term) = State::empty;  // to what follows: not in every run it is that of the last
  }

  // A sum of rows that have gone out in a loop before, one of each micro-batch.
  void pass_rows() {
    const int size = draw(kSizes);
    const Place sum{size, 0}, place{size, 2};
    if (state_of(sum) == State::written || state_of(place) == State::written) return;
    const int rows =
        builder_.buffer({fmt::format("passed{}", size), vector_spec(sizes_[size]), kMostMicroBatches}, Origin::program);
    for (int m = 0; m < micro_batches_; ++m) {
      const auto turn = builder_.micro_batch(m);
      load(place, From::host);
      builder_.store(slot(place), {{rows}, m});
      state_of(place) = State::read;
    }
    builder_.zero(slot(sum));
    builder_.begin_loop();
    for (int m = 0; m < micro_batches_; ++m) {
      const auto turn = builder_.micro_batch(m);
      builder_.load({{rows}, m}, slot(place));
      call(sum, place, sum);
    }
    state_of(place) = State::empty;
  }

  // The same along a tree, over the replicas as well.
  void share_leaves() {
    const int size = draw(kSizes);
    const bool scatters = size == kWholeSize && draw(2) == 0;
    const Place leaf{size, 0}, sum{scatters ? kPartSize : size, 1};
    if (state_of(leaf) == State::written || state_of(sum) == State::written) return;
    const SlotId partials = builder_.slot({.name = fmt::format("partials{}", size),
                                           .phase = "phase",
                                           .bytes = builder_.most_partial_sums() * sizes_[size] * 4});
    for (int m = 0; m < micro_batches_; ++m) {
      const auto turn = builder_.micro_batch(m);
      load(leaf, From::host);
      builder_.add_leaf(slot(leaf), partials);
      state_of(leaf) = State::read;
    }
    state_of(leaf) = State::empty;
    if (scatters)
      builder_.reduce_scatter_partials(partials, slot(sum));
    else
      builder_.all_reduce_partials(partials, slot(sum));
    state_of(sum) = State::written;
  }

  // Parts to a whole, or a whole to parts of a sum.
  void exchange() {
    const bool gathers = draw(2) == 0;
    const Place from = draw_written(gathers ? kPartSize : kWholeSize);
    const Place to{gathers ? kWholeSize : kPartSize, draw(kSlots)};
    if (state_of(to) == State::written) return;
    if (gathers)
      builder_.gather(slot(from), slot(to));
    else
      builder_.reduce_scatter(slot(from), slot(to));
    state_of(from) = State::read;
    state_of(to) = State::written;
  }

  // A slot that holds something.
  Place draw_written(int size) {
    const Place place{size, draw(kSlots)};
    if (state_of(place) == State::empty) load(place);
    return place;
  }

  enum class From : std::uint8_t { anywhere, host };
  void load(Place place, From from = From::anywhere) {
    if (state_of(place) == State::written) return;
    const int stored = stored_[place.size];
    const int kind = from == From::host ? 0 : draw(stored > 0 ? 3 : 2);
    if (kind == 0) builder_.load({buffer(place.size, Origin::host), draw(kRows)}, slot(place));
    if (kind == 1) {
      const int row = draw(kRows);
      builder_.load({buffer(place.size, Origin::state), row}, slot(place));
      std::vector<int>& rows = state_rows_[place.size];
      if (std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
    }
    if (kind == 2) builder_.load({buffer(place.size, Origin::program), draw(stored)}, slot(place));
    state_of(place) = State::written;
  }

  void store(Place place) {
    std::vector<int>& left = state_rows_[place.size];
    if (!left.empty() && draw(2) == 0) {
      const auto row = left.begin() + draw(static_cast<int>(left.size()));
      builder_.store(slot(place), {buffer(place.size, Origin::state), *row});
      left.erase(row);
    } else {
      builder_.store(slot(place), {buffer(place.size, Origin::program), stored_[place.size]++});
    }
    state_of(place) = State::read;
  }

  void call(Place a, Place b, Place out) {
    const int kind = draw(kRandomGraphs);
    const GraphId graph = builder_.graph(fmt::format("graph{}.{}", kind, sizes_[a.size]), GraphKind::forward,
                                         random_graph(kind, sizes_[a.size]));
    builder_.call(graph, {slot(a), slot(b), slot(out)});
    state_of(a) = state_of(b) = State::read;
    state_of(out) = State::written;
  }

  std::uint64_t seed_;
  std::uint32_t drawn_ = 0;
  int micro_batches_;
  // Elements; a whole has a part for each replica. Five parts leave a gap that is a cache line too small for the last.
  std::array<std::int64_t, kSizes> sizes_;
  ProgramBuilder builder_;
  std::array<std::array<BufferId, kSizes>, 3> buffers_{};                               // of each size and origin
  std::array<int, kSizes> stored_{};                                                    // rows of the program's buffers
  std::array<std::vector<int>, kSizes> state_rows_{{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}};  // that may be stored
  State states_[kSizes][kSlots + 1]{};
};

}  // namespace phasor::test
