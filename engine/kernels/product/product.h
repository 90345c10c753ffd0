// One matrix product of a fixed shape on one thread, prepared once and run many times. engine/kernels/matmul.h spreads
// a large one over the team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/dtype.h"

namespace phasor::kernels {

// c[m, n] = op(a) op(b) + bias, row-major; m, n, k are the product's sizes, whatever way its operands are stored.
// Sums are made in f32 whatever the operands are.
struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;  // elements from one stored row to the next; 0: rows follow each other
  bool transpose_a = false;                // a is stored [k, m] instead of [m, k]
  bool transpose_b = false;                // b is stored [n, k] instead of [k, n]
  DType operands = DType::f32;             // of a and b: f32 or bf16
  DType result = DType::f32;               // of c: f32, or bf16 where the operands are
  bool bias = false;                       // bias[n], f32, is added to every row
  bool accumulate = false;                 // c += instead of c =; result f32 only
  bool packed_b = false;                   // b is what a Packing made; ldb and transpose_b say what it made it from
  std::string_view backend;                // whose arithmetic, where it serves the shape; empty: the fastest one's
};

// What is between the rows of a matrix is neither read nor written. Scratch starts at a multiple of 64 bytes, and so
// should the matrices. Every element of c is summed in an order that depends on the shape alone.
class Product {
 public:
  virtual ~Product() = default;

  virtual std::string_view backend() const = 0;    // whose arithmetic it is: "onednn", "openblas"
  virtual std::int64_t scratch_bytes() const = 0;  // of one worker; a multiple of 64

  // Runs on the calling thread alone. Two calls at the same time have different workers, each in [0, workers).
  virtual void run(int worker, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const = 0;
};

// A product that shares itself out over the team, instead of being cut into Products by who runs it. Its bits do not
// depend on the team.
class TeamProduct {
 public:
  virtual ~TeamProduct() = default;

  virtual std::string_view backend() const = 0;
  virtual std::int64_t team_scratch_bytes() const = 0;  // of all workers; a multiple of 64

  // Runs on the calling thread's team. One run at a time.
  virtual void run_on_team(const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const = 0;
};

// By shape.backend, or the best of those that serve the shape (product_table.h).
std::unique_ptr<Product> make_product(const ProductShape& shape, int workers);

// Null where its backend has none: then Products are for the pieces of it.
std::unique_ptr<TeamProduct> make_team_product(const ProductShape& shape, int workers);

// make_product(shape, ...)->scratch_bytes(), without preparing anything expensive.
std::int64_t product_scratch_bytes(const ProductShape& shape);

// b laid out as the fast backend wants it, for many products: those of this shape, and those that differ from it in m,
// lda, ldc, transpose_a, bias and accumulate. Bytes that it takes; 0: not supported, or of no use.
std::int64_t packed_b_bytes(const ProductShape& shape);

// Does it, one slice after the other or several at a time.
class Packing {
 public:
  virtual ~Packing() = default;
  virtual std::int64_t slices() const = 0;
  // Runs on the calling thread alone. Two calls at the same time have different slices. `packed` starts at a multiple
  // of 64.
  virtual void run(std::int64_t slice, const void* b, void* packed) const = 0;
};

// Of a shape whose packed_b_bytes are not 0: whether its product has the same bits where b is not packed, and so
// packing may be left out for want of room.
bool packing_keeps_bits(const ProductShape& shape);

// For a shape whose packed_b_bytes are not 0.
std::unique_ptr<Packing> make_packing(const ProductShape& shape);

// Whether this processor multiplies bfloat16 no faster than float32: then whoever copies operands widens them.
bool widens_bfloat16();

// Whether there is such a backend, "openblas", in this build and on this machine.
bool has_backend(std::string_view name);

// The row of the table for this machine, "float32 by openblas, bfloat16 by eigen on avx2": whose large products serve.
std::string instruction_row();

// "2.6.3"; empty where the program was built without oneDNN.
std::string onednn_version();

// "0.3.21 for Zen", the processor whose kernels run; empty where the library is not there.
std::string openblas_version();
std::string blis_version();

}  // namespace phasor::kernels
