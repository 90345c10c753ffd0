// Writes a program step by step.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "engine/program/ids.h"
#include "engine/program/program.h"

namespace phasor {

class ProgramBuilder {
 public:
  ProgramBuilder(std::string name, int replicas, int micro_batches = 1, int device = 0);

  // The number of a new or, under the same name, an existing thing; an existing one must be the same.
  BufferId buffer(const BufferSpec& spec, Origin origin);
  SlotId slot(const Slot& slot);
  LinkId link(const Link& link);
  GraphId graph(const std::string& name, GraphKind kind, Graph graph);
  // Of a graph that may be there: without one of that name, invalid.
  GraphId find_graph(const std::string& name) const;
  // For how many partial sums their slots have room.
  int most_partial_sums() const { return most_partial_sums_; }
  std::int64_t bytes_of_row(BufferId buffer) const { return program_.buffers[buffer].spec.row.bytes(); }

  void begin_phase(std::string name, int instance, int instances, Section section);
  // As much of the row as the slot holds.
  void load(Row row, SlotId slot);
  void store(SlotId slot, Row row);
  void gather(SlotId slot, SlotId target);
  void reduce_scatter(SlotId slot, SlotId target);
  void all_reduce(SlotId slot);
  void reduce_scatter_partials(SlotId slot, SlotId target);
  void all_reduce_partials(SlotId slot, SlotId target);
  void add_leaf(SlotId slot, SlotId target);
  void zero(SlotId slot);
  void issue_load(Row row, SlotId slot);
  void issue_store(SlotId slot, Row row);
  void wait(SlotId slot);
  // The message of that number: what of the slot begins at byte `offset`, as much as the link takes.
  void send(SlotId slot, LinkId link, std::int64_t number, std::int64_t offset = 0);
  void receive(LinkId link, std::int64_t number, SlotId slot, std::int64_t offset = 0);
  // `slots` and `offsets` as in Call.
  void call(GraphId graph, const std::vector<SlotId>& slots, std::vector<std::int64_t> offsets = {});

  // While it lives, steps outside of loops over micro-batches serve that one and those behind it: runs that have none
  // of them leave the steps out. -1: they serve all.
  class Serving {
   public:
    Serving(ProgramBuilder& builder, int micro_batch) : builder_(builder) {
      builder_.serves_ = builder_.micro_batch_ = micro_batch;
    }
    ~Serving() { builder_.serves_ = builder_.micro_batch_ = -1; }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

   private:
    ProgramBuilder& builder_;
  };
  [[nodiscard]] Serving serving(int micro_batch) { return {*this, micro_batch}; }

  // While it lives, steps stand in one turn of the phase's loop that was begun last. Turns do not nest.
  class Turn {
   public:
    Turn(ProgramBuilder& builder, int turn, int micro_batch) : builder_(builder) {
      builder_.turn_ = turn;
      builder_.micro_batch_ = micro_batch;
    }
    ~Turn() {
      builder_.turn_ = -1;
      builder_.micro_batch_ = builder_.serves_;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    ProgramBuilder& builder_;
  };
  void begin_loop() { ++loop_; }
  [[nodiscard]] Turn turn(int number) { return {*this, number, serves_}; }
  // The turn of a micro-batch, which its steps serve.
  [[nodiscard]] Turn micro_batch(int m) { return {*this, m, m}; }

  Program finish();

 private:
  void push(Step step);
  void set_issued();  // the last step

  Program program_;
  int most_partial_sums_;
  std::unordered_map<std::string, BufferId> buffers_;
  std::unordered_map<std::string, LinkId> links_;
  std::unordered_map<std::string, GraphId> graphs_;
  std::map<std::tuple<std::string, std::string, std::int32_t>, SlotId> slots_;  // by phase, name and copy
  std::map<Call, std::int32_t> calls_;
  int micro_batch_ = -1, serves_ = -1, turn_ = -1, loop_ = 0;
};

}  // namespace phasor
