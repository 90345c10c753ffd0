// What a step reads and writes among the slots. Whoever walks a program asks this of every step, so it takes no memory.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "engine/program/program.h"

namespace phasor {

// A slot in both is updated in place. Slots of a call lie in the program, which outlives this.
class Access {
 public:
  Access(std::initializer_list<std::int32_t> reads, std::initializer_list<std::int32_t> writes);
  // Of a call: the slots of its inputs, of which there are so many, then those of its outputs.
  Access(std::span<const std::int32_t> slots, std::size_t inputs);

  // They last as long as this does, so that there are none of a temporary.
  std::span<const std::int32_t> reads() const& { return slots().first(reads_); }
  std::span<const std::int32_t> writes() const& { return slots().subspan(reads_, writes_); }
  std::span<const std::int32_t> reads() && = delete;
  std::span<const std::int32_t> writes() && = delete;

 private:
  std::span<const std::int32_t> slots() const { return of_call_.empty() ? std::span(own_) : of_call_; }

  std::array<std::int32_t, 3> own_{};  // where it is no call's
  std::span<const std::int32_t> of_call_;
  std::size_t reads_ = 0, writes_ = 0;
};

// A wait reads, so that a slot is alive until its transfer is done.
Access access_of(const Program& program, const Step& step);

}  // namespace phasor
