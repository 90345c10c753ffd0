// Products by the kernel of a library that multiplies f32, without the library's loops around it: b is copied to panels
// once for the whole team, not by every piece of the product for itself, and into scratch that is planned. Operands of
// bf16 are widened where they are copied.
//
// k is taken some hundred steps at a time: the team packs so much of b together, and then shares out the blocks of c,
// for each of which a thread packs its part of a. A result of bf16 has its sums in scratch until they are whole, so all
// steps of b are packed first, of as many columns as are not too large. Sums of nothing else begin with what the kernel
// writes, where it can; others in c a few rows before the kernel adds to these: c is far away, and what is written to
// it arrives while the kernel multiplies. Edges are filled up to whole tiles, and their sums added to c afterwards. So
// the bits of a row depend on n, k and its place in a tile alone: not on the team, nor on how many other rows follow.
#pragma once

#include "engine/kernels/product/panels/panel_packing.h"
#include "engine/kernels/product/panels/panel_tiles.h"

namespace phasor::kernels {

class PanelProduct final : public Product, public TeamProduct {
 public:
  // Of a whole shape, which is not empty; a b that is packed is so by PanelPacking. The kernel has to live as long. A
  // run on a team has `threads`, all of them workers.
  PanelProduct(std::string_view backend, const PanelKernel& kernel, const ProductShape& shape, int workers,
               int threads = 1);

  std::string_view backend() const override { return backend_; }
  std::int64_t scratch_bytes() const override { return shared_bytes() + worker_bytes().whole(); }
  void run(int worker, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override;

  std::int64_t team_scratch_bytes() const override { return shared_bytes() + workers_ * worker_bytes().whole(); }
  void run_on_team(const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override;

 private:
  // What a run is given.
  struct Operands {
    Lines a, b;
    const float* panels;  // of b, from the first step on that is multiplied
    const float* bias;
    void* c;
    std::byte* scratch;
  };
  // Of a worker: panels of a block of a, an edge of what is multiplied at a time, sums of it before they are rounded.
  struct WorkerBytes {
    std::int64_t panels = 0, edge = 0, sums = 0;
    std::int64_t whole() const { return panels + edge + sums; }
  };
  struct WorkerScratch {
    float *panels, *edge, *sums;
  };
  // In c, of what is multiplied at a time.
  struct Place {
    std::int64_t row = 0, column = 0;
  };

  bool is_rounded() const { return shape_.result == DType::bf16; }
  // Of b, in panels at the same time, and of a block's a.
  std::int64_t depth_at_once() const { return is_rounded() || shape_.packed_b ? shape_.k : blocks_.depth; }
  std::int64_t depth_of_block() const { return is_rounded() ? shape_.k : blocks_.depth; }
  std::int64_t columns_at_once() const;
  std::int64_t shared_bytes() const;
  WorkerBytes worker_bytes() const;
  Operands operands(const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const;

  template <class ForEach>
  void run(const Operands& operands, ForEach for_each) const;
  void run_block(const Operands& operands, const Columns& columns, const PanelBlock& block, const LineRange& steps,
                 const WorkerScratch& own) const;
  void start_and_multiply(const Operands& operands, const Place& place, const PanelPart& part, float* edge) const;
  void start(const Operands& operands, const Place& place, const PanelPart& part) const;
  void round(const Operands& operands, const Place& place, const PanelPart& part) const;

  std::string_view backend_;
  const PanelKernel& kernel_;
  ProductShape shape_;
  int workers_;
  PanelBlocks blocks_;
};

}  // namespace phasor::kernels
