#include "engine/program/overlap/prefetch.h"

#include <algorithm>
#include <map>

#include "engine/program/overlap/rewritten_steps.h"
#include "engine/program/overlap/webs.h"

namespace phasor {

namespace {

class Prefetch {
 public:
  Prefetch(Program program, OverlapDepth depth)
      : program_(std::move(program)),
        depth_(depth),
        distance_(program_, depth),
        webs_(find_webs(program_)),
        copy_of_(webs_.webs.size()),
        copies_(program_.slots.size()),
        moved_(program_.steps.size(), false) {
    for (const Buffer& buffer : program_.buffers) {
      newest_stores_.emplace_back(static_cast<std::size_t>(buffer.spec.rows), kNoStore);
    }
  }

  Program run() {
    for (int i = 0; i < static_cast<int>(program_.steps.size()); ++i) {
      for (int web : webs_.uses(i)) {
        if (webs_.webs[web].first == i) choose_copy(web);
      }
      note_store(i);
    }
    std::ranges::stable_sort(moves_, {}, &Move::place);
    number_copies();
    return rewritten();
  }

 private:
  struct Move {
    int place, load;  // the load moves to in front of the step `place`
  };
  static constexpr int kNoStore = -1;
  struct RowStore {
    int step;
    int before;  // the store of the row in front of it, of which it leaves something
  };
  struct Copy {
    int last_use = -1;  // of its last web so far
    int done = -1;      // in front of this step the store of that web should be done
  };

  void choose_copy(int number) {
    const Web& web = webs_.webs[number];
    if (program_.slots[web.slot].mapped) return stay(number);
    const int first = web.first;
    const bool loads = program_.steps[first].kind == StepKind::load;
    const int wish = loads ? wish_of(first) : first;
    // A load may follow a store under way, in the queue; other writes may not.
    const auto free_from = [&](const Copy& copy) { return loads ? copy.last_use + 1 : copy.done; };
    std::vector<Copy>& copies = copies_[web.slot];
    auto copy = std::ranges::find_if(copies, [&](const Copy& c) { return free_from(c) <= wish; });
    if (copy == copies.end()) {
      if (static_cast<int>(copies.size()) <= depth_.of(program_.steps[first])) {
        copy = copies.insert(copies.end(), Copy{});
      } else {
        copy = std::ranges::min_element(copies, {}, free_from);
      }
    }
    if (loads) {
      const int place = std::max({wish, copy->last_use + 1, last_store(program_.steps[first]) + 1});
      moves_.push_back({.place = place, .load = first});
      moved_[first] = true;
    }
    copy_of_[number] = static_cast<int>(copy - copies.begin());
    *copy = {.last_use = web.last};
    if (web.last_store >= 0) copy->done = distance_.latest(web.last_store);
  }

  // Nothing moves that could run ahead.
  void stay(int number) {
    copies_[webs_.webs[number].slot].resize(1);
    copy_of_[number] = 0;
  }

  // Where a load should move. A phase's steps in front of its loops take little time but much room, as weights do until
  // they are packed: loads for later phases come behind them.
  int wish_of(int load) const {
    const auto in_loop = [&](int step) { return program_.steps[step].turn >= 0; };
    const int earliest = distance_.earliest(load);
    if (in_loop(load)) return earliest;
    int step = earliest;
    while (step < load && !in_loop(step)) ++step;
    return step < load ? step : earliest;
  }

  // The part of its row that a transfer moves.
  std::int64_t end_of(const Step& transfer) const { return transfer.offset + program_.slots[transfer.slot].bytes; }

  void note_store(int number) {
    const Step store = program_.steps[number];
    if (store.kind != StepKind::store) return;
    const bool whole = end_of(store) - store.offset == program_.buffers[store.buffer].spec.row.bytes();
    int& newest = newest_stores_[store.buffer][store.row];
    stores_.push_back({.step = number, .before = whole ? kNoStore : newest});
    newest = static_cast<int>(stores_.size()) - 1;
  }

  // Of what the load will read; -1: there is none.
  int last_store(const Step& load) const {
    for (int i = newest_stores_[load.buffer][load.row]; i != kNoStore; i = stores_[i].before) {
      const Step store = program_.steps[stores_[i].step];
      if (store.offset < end_of(load) && load.offset < end_of(store)) return stores_[i].step;
    }
    return -1;
  }

  // Copies stand side by side.
  void number_copies() {
    std::vector<Slot> slots;
    for (std::size_t slot = 0; slot < copies_.size(); ++slot) {
      first_copy_.push_back(static_cast<std::int32_t>(slots.size()));
      slots.push_back(program_.slots[slot]);
      if (copies_[slot].size() < 2) continue;
      slots.resize(slots.size() + copies_[slot].size() - 1, slots.back());
      for (std::int32_t copy = 0; copy < std::ssize(copies_[slot]); ++copy) {
        slots[first_copy_.back() + copy].copy = copy;
      }
    }
    program_.slots = std::move(slots);
  }

  // The copy that a step uses of a slot.
  std::int32_t renamed(int step, std::int32_t slot) const {
    for (int web : webs_.uses(step)) {
      if (webs_.webs[web].slot == slot) return first_copy_[slot] + copy_of_[web];
    }
    return first_copy_[slot];
  }

  Step renamed(int number) {
    Step step = program_.steps[number];
    if (step.slot >= 0) step.slot = renamed(number, step.slot);
    if (step.target >= 0) step.target = renamed(number, step.target);
    if (step.call >= 0) {
      Call call = program_.calls[step.call];
      for (std::int32_t& slot : call.slots) slot = renamed(number, slot);
      const auto [found, is_new] = call_numbers_.try_emplace(call, static_cast<std::int32_t>(calls_.size()));
      if (is_new) calls_.push_back(std::move(call));
      step.call = found->second;
    }
    return step;
  }

  static bool in_same_turn(const Step& a, const Step& b) {
    return a.turn == b.turn && (a.turn < 0 || a.loop == b.loop);
  }

  Program rewritten() {
    RewrittenSteps steps;
    auto move = moves_.begin();
    for (const Phase& phase : program_.phases) {
      steps.begin_phase(phase);
      for (int i = phase.first_step; i < phase.end_step; ++i) {
        for (; move != moves_.end() && move->place == i; ++move) {
          Step step = renamed(move->load);
          if (i == phase.first_step || in_same_turn(program_.steps[i - 1], program_.steps[i])) {
            step.turn = program_.steps[i].turn;
            step.loop = program_.steps[i].loop;
          }
          steps.push_back(step);
        }
        if (!moved_[i]) steps.push_back(renamed(i));
      }
    }
    program_.calls = std::move(calls_);
    return std::move(steps).in(std::move(program_));
  }

  Program program_;
  OverlapDepth depth_;
  TransferDistance distance_;
  Webs webs_;
  std::vector<int> copy_of_;                     // each web
  std::vector<std::vector<Copy>> copies_;        // of each slot
  std::vector<std::int32_t> first_copy_;         // of each slot: its number among the slots of the result
  std::vector<Move> moves_;                      // by their places
  std::vector<bool> moved_;                      // of each step: whether it moves
  std::vector<RowStore> stores_;                 // so far
  std::vector<std::vector<int>> newest_stores_;  // of each buffer and row, in stores_
  std::map<Call, std::int32_t> call_numbers_;
  std::vector<Call> calls_;  // of the result
};

}  // namespace

Program prefetch(Program program, OverlapDepth depth) { return Prefetch(std::move(program), depth).run(); }

}  // namespace phasor
