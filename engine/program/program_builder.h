// Writes a program step by step.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "engine/program/program.h"

namespace phasor {

class ProgramBuilder {
 public:
  ProgramBuilder(std::string name, int replicas, int micro_batches = 1);

  // Numbers of a new or, under the same name, an existing thing; an existing one must be the same.
  int buffer(const BufferSpec& spec, Origin origin);
  int slot(const Slot& slot);
  int graph(const std::string& name, GraphKind kind, Graph graph);
  bool has_graph(const std::string& name) const { return graphs_.contains(name); }
  int graph(const std::string& name) const { return graphs_.at(name); }
  // For how many partial sums their slots have room.
  int most_partial_sums() const;
  std::int64_t bytes_of_row(int buffer) const { return program_.buffers[buffer].spec.row.bytes(); }

  void begin_phase(std::string name, int instance, int instances, Section section);
  // `offset`: of the slot's part of the row, in bytes.
  void load(int buffer, std::int64_t row, int slot, std::int64_t offset = 0);
  void store(int slot, int buffer, std::int64_t row, std::int64_t offset = 0);
  void gather(int slot, int target);
  void reduce_scatter(int slot, int target);
  void all_reduce(int slot);
  void reduce_scatter_partials(int slot, int target);
  void all_reduce_partials(int slot, int target);
  void add_leaf(int slot, int target);
  void zero(int slot);
  void issue_load(int buffer, std::int64_t row, int slot);
  void issue_store(int slot, int buffer, std::int64_t row);
  void wait(int slot);
  // `slots` and `offsets` as in Call.
  void call(int graph, std::vector<std::int32_t> slots, std::vector<std::int64_t> offsets = {});

  // Marks the steps to come as a turn of the loop begun last; -1: as in none.
  void begin_loop() { ++loop_; }
  void set_turn(int turn) { turn_ = turn; }
  // The same, as the turn of a micro-batch, which the steps then serve; -1: as in none, for all.
  void set_micro_batch(int m) { micro_batch_ = turn_ = m; }

  Program finish();

 private:
  void push(Step step);
  void set_issued();  // the last step

  Program program_;
  std::unordered_map<std::string, int> buffers_, graphs_;
  std::map<std::pair<std::string, std::string>, int> slots_;  // by phase and name
  std::map<Call, int> calls_;
  int micro_batch_ = -1, turn_ = -1, loop_ = 0;
};

}  // namespace phasor
