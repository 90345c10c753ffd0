// Two devices that are small enough to know by heart: the first sends its batch, the second sends it back and keeps a
// copy, the first stores what comes.
#pragma once

#include "engine/program/pipeline.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {

struct SmallPipeline {
  int micro_batches = 3;
  std::int32_t capacity = 2;               // of either link
  std::vector<int> sent{0, 1, 2};          // by the first device, in that order
  std::vector<int> received{0, 1, 2};      // by the second
  std::vector<int> sent_back{0, 1, 2};     // by the second
  std::int64_t elements_received = kPart;  // by the second
  int iterations = 0;                      // steps that the batch and the copies of it have rows for
  int served_later = 0;                    // by how many micro-batches too late the second serves what it receives

  Link link(const char* name, int from) const {
    return {.name = name, .from = from, .to = 1 - from, .bytes = kPart * 4, .capacity = capacity};
  }

  Program first(int replicas = 1) const {
    ProgramBuilder b("small", replicas, micro_batches, 0);
    const BufferId batch = b.buffer({"batch", vector_spec(kPart), micro_batches, iterations}, Origin::host);
    const BufferId out = b.buffer({"out", vector_spec(kPart), micro_batches, iterations}, Origin::program);
    const SlotId x = b.slot({.name = "x", .phase = "front", .bytes = kPart * 4});
    const SlotId dx = b.slot({.name = "dx", .phase = "back", .bytes = kPart * 4});
    const LinkId there = b.link(link("x", 0)), back = b.link(link("dx", 1));
    b.begin_phase("front", 0, 1, Section::step);
    for (const int m : sent) {
      const auto turn = b.micro_batch(m);
      b.load({batch, m}, x);
      b.send(x, there, m);
    }
    b.begin_phase("back", 0, 1, Section::step);
    for (int m = 0; m < micro_batches; ++m) {
      const auto turn = b.micro_batch(m);
      b.receive(back, m, dx);
      b.store(dx, {out, m});
    }
    return b.finish();
  }

  Program second(int replicas = 1) const {
    ProgramBuilder b("small", replicas, micro_batches, 1);
    const BufferId seen = b.buffer({"seen", vector_spec(elements_received), micro_batches}, Origin::program);
    const SlotId x = b.slot({.name = "x", .phase = "middle", .bytes = elements_received * 4});
    const LinkId there = b.link(link("x", 0)), back = b.link(link("dx", 1));
    b.begin_phase("middle", 0, 1, Section::step);
    for (std::size_t i = 0; i < received.size(); ++i) {
      const auto turn = b.micro_batch(std::min(received[i] + served_later, micro_batches - 1));
      b.receive(there, received[i], x);
      b.store(x, {seen, received[i]});
      if (i < sent_back.size()) b.send(x, back, sent_back[i]);
    }
    return b.finish();
  }

  Pipeline make(int replicas = 1) const {
    Pipeline pipeline(first(replicas));
    pipeline.devices.push_back(second(replicas));
    return pipeline;
  }
};

}  // namespace phasor::test
