#include "engine/base/shape.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/base/tensor.h"

namespace phasor {
namespace {

TEST(Shape, AScalarIsOneElement) {
  const Shape scalar;
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.elements(), 1);
  EXPECT_EQ(scalar.rows(), 1);
  EXPECT_EQ(scalar.columns(), 1);
  EXPECT_EQ(to_string(scalar), "[]");
}

TEST(Shape, IsAMatrixOfItsLastDimension) {
  const Shape shape{4, 384, 768};
  EXPECT_EQ(shape.elements(), 4 * 384 * 768);
  EXPECT_EQ(shape.rows(), 4 * 384);
  EXPECT_EQ(shape.columns(), 768);
  EXPECT_EQ(shape[-1], 768);
  EXPECT_EQ(shape[0], 4);
  EXPECT_EQ(to_string(shape), "[4, 384, 768]");
}

TEST(Shape, AnExtentMayBeZero) {
  const Shape shape{3, 0, 5};
  EXPECT_EQ(shape.elements(), 0);
  EXPECT_EQ(shape.rows(), 0);
  EXPECT_EQ(shape.columns(), 5);
}

TEST(Shape, ComparesRankAndExtents) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{2}), (Shape{2, 1}));
}

TEST(Shape, RefusesNegativeExtentsAndTooManyDimensions) {
  EXPECT_THROW((Shape{2, -1}), InternalError);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1}), InternalError);
}

TEST(Tensor, StartsAtACacheLineAndIsZero) {
  for (std::int64_t elements : {1, 17, 1000000}) {
    const Tensor tensor({DType::f32, {elements}});
    const auto values = tensor.as<float>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % kAlignment, 0u);
    EXPECT_EQ(values.front(), 0);
    EXPECT_EQ(values.back(), 0);
    EXPECT_THROW(tensor.as<std::int32_t>(), InternalError);
  }
}

}  // namespace
}  // namespace phasor
