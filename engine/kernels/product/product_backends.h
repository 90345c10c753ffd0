// The implementations of Product, one file each. Every shape given to them is whole: lda, ldb, ldc are set.
#pragma once

#include <span>

#include "engine/kernels/product/product.h"

namespace phasor::kernels {

// The piece of c that a backend multiplies best (kernels/product_cut.h), where it copies both operands in every call
// and so wants pieces that are large both ways; and below what it should not be halved.
struct Tile {
  std::int64_t rows = 0, columns = 0;  // 0: the backend has no such wish
  std::int64_t least_rows = 0, least_columns = 0;
};

struct ProductBackend {
  std::string_view name;
  bool (*serves)(const ProductShape&);
  std::int64_t (*scratch_bytes)(const ProductShape&);  // of a shape that it serves; does not generate code
  std::unique_ptr<Product> (*make)(const ProductShape&, int workers);
  Tile tile = {};
  // Null where products are cut for the team. It does not generate code, so that its scratch can be asked for.
  std::unique_ptr<TeamProduct> (*make_team)(const ProductShape&, int workers) = nullptr;
  // Null where b is taken as it lies. Of a shape that it serves and whose m is any; 0 bytes: not this one.
  std::int64_t (*packed_b_bytes)(const ProductShape&) = nullptr;
  std::unique_ptr<Packing> (*make_packing)(const ProductShape&) = nullptr;
  bool packing_keeps_bits = false;  // whether a product of a packed b has the bits of one of b as it lies
};

// All, whether they are there or not; the last serves every shape whose b is not packed.
std::span<const ProductBackend> product_backends();

// The shape with lda, ldb, ldc set. What contradicts itself is refused.
ProductShape whole(ProductShape shape);

// The one that the shape asks for, if it serves it, or the first that does in the table's row (product_table.h).
// Whoever packed b multiplies it.
const ProductBackend& backend_of(const ProductShape& whole_shape);

ProductBackend onednn_products();            // dense matrices only: its fast kernels take no others
ProductBackend onednn_copied_products();     // other matrices, through dense copies
ProductBackend openblas_panel_products();    // by its kernel of AVX-512: copies each operand once
ProductBackend openblas_products();          // f32 only, as blis's own loops
ProductBackend openblas_widened_products();  // bf16, through copies in f32
ProductBackend blis_panel_products();        // by its kernel of AVX2: the same
ProductBackend blis_products();              // every piece has the bits that it has in the whole
ProductBackend blis_small_products();        // without copies: fast where m, n or k is a few
ProductBackend eigen_products();
ProductBackend reference_products();

// Parts of scratch memory start at cache lines.
constexpr std::int64_t whole_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace phasor::kernels
