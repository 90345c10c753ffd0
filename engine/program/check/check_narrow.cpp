#include <algorithm>
#include <map>

#include "engine/program/access.h"
#include "engine/program/check/checker.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

constexpr auto kSameOp = [](const Node& a, const Node& b) { return a.op == b.op && a.inputs == b.inputs; };

void check_graphs(const Program& whole, const Program& narrow) {
  ensure(whole.graphs.size() == narrow.graphs.size(), "narrow program: {} graphs, expected {}", narrow.graphs.size(),
         whole.graphs.size());
  for (std::size_t i = 0; i < whole.graphs.size(); ++i) {
    const NamedGraph &a = whole.graphs[i], &b = narrow.graphs[i];
    ensure(a.name == b.name && a.kind == b.kind && std::ranges::equal(a.graph.nodes, b.graph.nodes, kSameOp),
           "narrow program: graph '{}' is another than '{}'", b.name, a.name);
  }
}

// Tensors may lie closer together in slots that are smaller.
void check_calls(const Program& whole, const Program& narrow) {
  ensure(whole.calls.size() == narrow.calls.size(), "narrow program: {} calls, expected {}", narrow.calls.size(),
         whole.calls.size());
  for (std::size_t i = 0; i < whole.calls.size(); ++i) {
    const Call &a = whole.calls[i], &b = narrow.calls[i];
    bool is_same = a.graph == b.graph && a.slots == b.slots;
    for (std::size_t k = 0; is_same && k < a.slots.size(); ++k) {
      const bool moves = whole.slots[a.slots[k]].bytes > narrow.slots[b.slots[k]].bytes;
      is_same = moves || a.offset(k) == b.offset(k);
    }
    ensure(is_same, "narrow program: call {} of graph '{}' is another", i, whole.graphs[a.graph].name);
  }
}

void check_steps(const Program& whole, const Program& narrow) {
  ensure(whole.steps.size() == narrow.steps.size(), "narrow program: {} steps, expected {}", narrow.steps.size(),
         whole.steps.size());
  for (int step = 0; step < static_cast<int>(whole.steps.size()); ++step) {
    ensure(whole.steps[step] == narrow.steps[step], "narrow program: {} is another than {}", StepPlace{narrow, step},
           StepPlace{whole, step});
  }
}

// Follows what is smaller from the micro-batch that writes it to those that read it.
class Owners {
 public:
  Owners(const Program& whole, const Program& narrow) : whole_(whole) {
    ensure(whole.slots.size() == narrow.slots.size() && whole.buffers.size() == narrow.buffers.size(),
           "narrow program: {} slots and {} buffers, expected {} and {}", narrow.slots.size(), narrow.buffers.size(),
           whole.slots.size(), whole.buffers.size());
    for (std::size_t slot = 0; slot < whole.slots.size(); ++slot) {
      const std::int64_t bytes = narrow.slots[slot].bytes, most = whole.slots[slot].bytes;
      const Content content = whole.slots[slot].content;
      ensure(bytes <= most, "narrow program: slot '{}' of {} bytes in one of {}", whole.slots[slot], bytes, most);
      ensure(bytes == most || content == Content::activations || content == Content::batch,
             "narrow program: slot '{}' of {} has {} bytes, expected {}", whole.slots[slot], name_of(content), bytes,
             most);
      differs_.push_back(bytes < most);
    }
  }

  void follow(int number) {
    const Step step = whole_.steps[number];
    if (step.kind == StepKind::wait) return;
    const StepPlace place{whole_, number};
    const Access access = access_of(whole_, step);
    for (const std::int32_t slot : access.reads()) {
      if (differs(slot)) expect(of_slot_, slot, step, place);
    }
    if (step.slot >= 0 && differs(step.slot) && is_transfer(step)) {
      const std::pair row{step.buffer, step.row};
      if (step.kind == StepKind::store) of_row_[row] = step.micro_batch;
      if (step.kind == StepKind::load && whole_.buffers[step.buffer].origin == Origin::program) {
        expect(of_row_, row, step, place);
      }
    }
    for (const std::int32_t slot : access.writes()) {
      if (differs(slot)) of_slot_[slot] = step.micro_batch;
    }
  }

 private:
  static constexpr std::int32_t kWhole = -1;  // what serves all micro-batches is made by the whole program

  bool differs(std::int32_t slot) const { return differs_[static_cast<std::size_t>(slot)]; }

  template <class Key>
  void expect(const std::map<Key, std::int32_t>& owners, const Key& key, const Step& step, StepPlace place) const {
    const auto owner = owners.find(key);
    const bool is_there = owner != owners.end() && (owner->second == kWhole || owner->second == step.micro_batch);
    ensure(is_there, "narrow program: {} reads what is smaller for one micro-batch than for another, of micro-batch {}",
           place, owner == owners.end() ? kWhole : owner->second);
  }

  const Program& whole_;
  std::vector<bool> differs_;                                             // of each slot: whether its size does
  std::map<std::int32_t, std::int32_t> of_slot_;                          // the micro-batch whose value it holds
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> of_row_;  // of a buffer, likewise
};

}  // namespace

void check_narrow(const Pipeline& whole, const Pipeline& narrow) {
  ensure(whole.size() == narrow.size(), "narrow pipeline: {} devices, expected {}", narrow.size(), whole.size());
  for (int device = 0; device < whole.size(); ++device) {
    const Program &a = whole.devices[device], &b = narrow.devices[device];
    check_graphs(a, b);
    check_steps(a, b);
    Owners owners(a, b);
    check_calls(a, b);
    for (Section section : kWalk) for_each_step(a, section, [&](int step) { owners.follow(step); });
  }
}

}  // namespace phasor
