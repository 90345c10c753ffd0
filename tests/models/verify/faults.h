// Faults of the kinds that change few numbers, to be planted in an execution (ExecutionParts): in the program that it
// runs, in what its kernels make, and in the store where its remote buffers lie.
#pragma once

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "models/verify/executions/execution.h"

namespace phasor::run::verify_tests {

// The first step of the program that fits, of the phase and instance.
template <class Fits>
std::size_t find_step(const Program& program, const std::string& name, int instance, Fits fits) {
  for (const Phase& phase : program.phases) {
    if (phase.name != name || phase.instance != instance || phase.section != Section::step) continue;
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      if (fits(program.steps[static_cast<std::size_t>(i)])) return static_cast<std::size_t>(i);
    }
  }
  throw InternalError("test: no step to plant a fault in");
}

inline auto transfer_of(const Program& program, StepKind kind, std::string buffer, int micro_batch = -1) {
  return [&program, kind, buffer = std::move(buffer), micro_batch](const Step& step) {
    return step.kind == kind && program.buffers[static_cast<std::size_t>(step.buffer)].spec.name == buffer &&
           step.micro_batch == micro_batch;
  };
}

// A step of the program reads or writes `by` rows further.
template <class Fits>
void shift_row(Program& program, const std::string& phase, int instance, int by, Fits fits) {
  const std::size_t number = find_step(program, phase, instance, fits);
  Step step = program.steps[number];
  step.row += by;
  program.steps.set(number, step);
}

// A step of the program is left out: it serves a micro-batch that no run has.
template <class Fits>
void leave_out(Program& program, const std::string& phase, int instance, Fits fits) {
  const std::size_t number = find_step(program, phase, instance, fits);
  Step step = program.steps[number];
  step.micro_batch = 1 << 20;
  program.steps.set(number, step);
}

// Every dropout of the graph draws from another site.
inline void change_sites(Program& program, const std::string& graph) {
  for (NamedGraph& named : program.graphs) {
    if (named.name != graph) continue;
    for (Node& node : named.graph.nodes) {
      if (auto* dropout = std::get_if<DropoutNormAttributes>(&node.attributes)) dropout->site += 7;
    }
  }
}

// The last columns of what is made under that name, those that a kernel's loop over vectors of 16 leaves for another.
inline ValueObserver::See broken_remainder(const std::string& name) {
  return [name](const ObservedValue& value) {
    if (value.name != name) return;
    const auto halve = [columns = value.tensor.spec.shape.columns()](auto elements) {
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const auto column = static_cast<std::int64_t>(i) % columns;
        using Element = std::remove_reference_t<decltype(elements[i])>;
        if (column >= columns - columns % 16) elements[i] = from_float<Element>(0.5f * to_float(elements[i]));
      }
    };
    if (value.tensor.spec.dtype == DType::bf16) return halve(value.tensor.as<bfloat16>());
    halve(value.tensor.as<float>());
  };
}

// Memory in which something goes wrong with one region, in one of its transfers at one place.
class FaultyStore : public Store {
 public:
  enum class Fault : std::uint8_t {
    stale_read,   // gives what was there before the last write
    flipped_bit,  // in what is written: of the first float32's exponent
  };
  // Transfer number `count`, from 1, of the region's byte `offset`.
  FaultyStore(Fault fault, std::string region, std::int64_t offset, int count)
      : fault_(fault), name_(std::move(region)), offset_(offset), count_(count) {}

  Region create(const std::string& name, std::int64_t bytes) override {
    const Region region = memory_->create(name, bytes);
    if (name.starts_with(name_)) regions_.insert(region);
    return region;
  }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    memory_->read(region, offset, to);
    const std::scoped_lock lock(mutex_);
    if (!regions_.contains(region) || offset != offset_ || fault_ != Fault::stale_read) return;
    if (++reads_ == count_ && before_.size() == to.size()) std::ranges::copy(before_, to.begin());
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    const std::scoped_lock lock(mutex_);
    if (!regions_.contains(region) || offset != offset_) return memory_->write(region, offset, from);
    std::vector<std::byte> bytes(from.begin(), from.end());
    before_.resize(from.size());
    memory_->read(region, offset, before_);
    if (fault_ == Fault::flipped_bit && ++writes_ == count_) bytes[3] ^= std::byte{0x02};
    memory_->write(region, offset, bytes);
  }

 private:
  Fault fault_;
  std::string name_;
  std::int64_t offset_;
  int count_;
  std::set<Region> regions_;
  mutable std::mutex mutex_;
  mutable int reads_ = 0;
  int writes_ = 0;
  std::vector<std::byte> before_;
  std::unique_ptr<Store> memory_ = memory_store();
};

}  // namespace phasor::run::verify_tests
