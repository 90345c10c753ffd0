#include "engine/kernels/product/product_table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {
namespace {

constexpr std::string_view kPanels = "openblas, in panels";

TEST(ProductTable, HasARowForWhateverAMachineAndAModelAre) {
  for (InstructionSet set : kInstructionSets)
    for (DType operands : {DType::f32, DType::bf16})
      for (ShapeClass shapes : kShapeClasses) {
        std::set<std::string_view> names;
        for (std::string_view name : preferred_backends(set, operands, shapes))
          names.insert(name.substr(0, name.find(',')));
        EXPECT_EQ(names, (std::set<std::string_view>{"blis", "eigen", "onednn", "openblas"})) << name_of(set);
      }
}

TEST(ProductTable, TellsShapesApart) {
  EXPECT_EQ(class_of({.m = 1536, .n = 3072, .k = 768}), ShapeClass::large);
  EXPECT_EQ(class_of({.m = 3072, .n = 768, .k = 1536, .transpose_a = true}), ShapeClass::weight_gradient);
  EXPECT_EQ(class_of({.m = 192, .n = 384, .k = 64, .transpose_b = true}), ShapeClass::head);
  EXPECT_EQ(class_of({.m = 384, .n = 64, .k = 128, .transpose_a = true}), ShapeClass::head);
  EXPECT_EQ(class_of({.m = 1536, .n = 2, .k = 768}), ShapeClass::skinny);
}

TEST(ProductTable, LargeProductsAreForWhatIsFastestOnTheProcessor) {
  using enum InstructionSet;
  const auto of_large = [](InstructionSet set, DType operands) {
    return preferred_backends(set, operands, ShapeClass::large).front();
  };
  const auto of_gradients = [](InstructionSet set, DType operands) {
    return preferred_backends(set, operands, ShapeClass::weight_gradient).front();
  };
  EXPECT_EQ(of_large(avx2, DType::f32), "blis");
  EXPECT_EQ(of_gradients(avx2, DType::f32), "blis");
  for (InstructionSet set : {avx512, avx512_bf16, avx512_bf16_halved, amx}) {
    EXPECT_EQ(of_large(set, DType::f32), set == avx512_bf16 ? "onednn" : "openblas, in panels");
    EXPECT_EQ(of_gradients(set, DType::f32), of_large(set, DType::f32));
  }
  for (InstructionSet set : {avx512_bf16, amx}) {
    EXPECT_EQ(of_large(set, DType::bf16), "onednn");
    EXPECT_EQ(of_gradients(set, DType::bf16), "onednn");
  }
  EXPECT_EQ(of_large(avx512_bf16_halved, DType::bf16), "openblas, in panels");
  EXPECT_EQ(of_gradients(avx512_bf16_halved, DType::bf16), "openblas, in panels");
}

TEST(ProductTable, BFloat16IsWidenedByHandWhereItIsNoFaster) {
  using enum InstructionSet;
  for (InstructionSet set : kInstructionSets) EXPECT_EQ(has_fast_bfloat16(set), set == avx512_bf16 || set == amx);
  EXPECT_EQ(widens_bfloat16(), !has_fast_bfloat16(instruction_set()));
}

TEST(InstructionSets, AreCappedAsOneDnnIs) {
  EXPECT_EQ(capped(InstructionSet::amx, "AVX2"), InstructionSet::avx2);
  EXPECT_EQ(capped(InstructionSet::amx, "avx512_core_bf16"), InstructionSet::avx512_bf16_halved);
  EXPECT_EQ(capped(InstructionSet::avx512_bf16, "avx512_core_bf16"), InstructionSet::avx512_bf16);
  EXPECT_EQ(capped(InstructionSet::avx2, "AVX512_CORE"), InstructionSet::avx2);
  EXPECT_EQ(capped(InstructionSet::avx512, ""), InstructionSet::avx512);
  EXPECT_EQ(capped(InstructionSet::avx512, "ALL"), InstructionSet::avx512);
  EXPECT_EQ(capped(InstructionSet::avx512, "of no processor"), InstructionSet::avx512);
}

// The first of the row that is there.
TEST(ProductTable, DecidesWhereAShapeDoesNot) {
  const ProductShape shape = whole({.m = 256, .n = 256, .k = 256});
  const auto names = preferred_backends(instruction_set(), shape.operands, class_of(shape));
  const auto first = std::ranges::find_if(names, has_backend);
  ASSERT_NE(first, names.end());
  EXPECT_TRUE(backend_of(shape).name.starts_with(*first)) << backend_of(shape).name;
}

// A library has its kernel, and it is what it is taken for, wherever the table means it.
TEST(ProductTable, PanelsAreThereWhereTheyAreFastest) {
  const bool is_for_openblas = preferred_backends(instruction_set(), DType::f32, ShapeClass::large).front() == kPanels;
  if (is_for_openblas && has_backend("openblas")) {
    EXPECT_TRUE(has_backend(kPanels));
  }
  const std::string blis = blis_version();
  const bool is_for_blis = blis.ends_with(" haswell") || blis.find(" zen") != std::string::npos;
  if (is_for_blis) {
    EXPECT_TRUE(has_backend("blis, in panels")) << blis;
  }
  if (!is_for_blis && !is_for_openblas) GTEST_SKIP() << "no panels are meant for this processor";
}

// What is skinny would be copied for longer than it is multiplied.
TEST(ProductTable, PanelsServeWhatIsNotSkinny) {
  int tried = 0;
  for (const std::string_view library : {"openblas", "blis"}) {
    const ProductShape linear = whole({.m = 96, .n = 768, .k = 768, .backend = library});
    const std::string in_panels = std::string(library) + ", in panels";
    if (!has_backend(in_panels)) continue;
    EXPECT_EQ(backend_of(linear).name, in_panels);
    EXPECT_NE(backend_of(whole({.m = 1, .n = 768, .k = 768, .backend = library})).name, in_panels);
    EXPECT_NE(make_team_product(linear, 2), nullptr);
    ++tried;
  }
  if (tried == 0) GTEST_SKIP() << "no library with a kernel for this processor";
}

TEST(ProductTable, AShapeMayAskForAnother) {
  for (const char* name : {"onednn", "openblas", "blis", "eigen"}) {
    if (!has_backend(name)) continue;
    EXPECT_EQ(make_product({.m = 256, .n = 256, .k = 256, .backend = name}, 1)->backend(), name);
    EXPECT_EQ(make_product({.m = 256, .n = 256, .k = 256, .ldb = 300, .backend = name}, 1)->backend(), name);
  }
}

// BLIS widens bfloat16 in panels alone, which take nothing skinny.
TEST(ProductTable, WhatABackendDoesNotServeGoesToTheRow) {
  const ProductShape narrow{.m = 256, .n = 2, .k = 256, .operands = DType::bf16, .result = DType::bf16};
  ProductShape asked = narrow;
  asked.backend = "blis";
  EXPECT_EQ(make_product(asked, 1)->backend(), make_product(narrow, 1)->backend());
  asked.backend = "a library of tomorrow";
  EXPECT_EQ(make_product(asked, 1)->backend(), make_product(narrow, 1)->backend());
}

// Only oneDNN and panels multiply what is packed.
TEST(ProductTable, NothingIsPackedForOtherBackends) {
  constexpr ProductShape kLinear{.m = 512, .n = 512, .k = 512};
  for (const char* name : {"openblas", "blis", "eigen"}) {
    ProductShape asked = kLinear;
    asked.backend = name;
    if (!has_backend(name) || has_backend(std::string(name) + ", in panels")) continue;
    EXPECT_EQ(packed_b_bytes(asked), 0) << name;
  }
}

}  // namespace
}  // namespace phasor::kernels
