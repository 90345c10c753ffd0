// What is written is read back, and fills its tensor.
#include "engine/ir/records.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace phasor::test {
namespace {

// Numbers that tell each place apart are read from it and written to it again.
template <class Record>
void expect_round_trip(const TensorSpec& spec) {
  auto numbers = Record{}.numbers();
  ASSERT_EQ(std::ssize(numbers), spec.elements());
  ASSERT_EQ(dtype_of<typename decltype(numbers)::value_type>, spec.dtype);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<typename decltype(numbers)::value_type>(i + 1);
  EXPECT_EQ(Record::read(numbers).numbers(), numbers);
}

TEST(Records, AreReadAsWritten) {
  expect_round_trip<PositionRecord>(kRandomPositionSpec);
  expect_round_trip<UpdatePositionRecord>(kUpdatePositionSpec);
  expect_round_trip<AdamStepRecord>(kAdamStepSpec);
}

}  // namespace
}  // namespace phasor::test
