// Products of f32 by the kernel of a library, without the library's loops around it: b is copied to panels once for the
// whole team, not by every piece of the product for itself, and into scratch that is planned.
//
// k is taken some hundred steps at a time: the team packs so much of b together, and then shares out the blocks of c,
// for each of which a thread packs its part of a. Edges are filled up to whole tiles, and their sums added to c
// afterwards. So the bits of a row depend on n, k and its place in a tile alone: not on the team, nor on how many other
// rows follow.
#pragma once

#include "engine/kernels/product/panels/panel_blocks.h"

namespace phasor::kernels {

class PanelProduct final : public Product, public TeamProduct {
 public:
  // Of a whole shape of f32 whose b is not packed, and which is not empty. The kernel has to live as long.
  PanelProduct(std::string_view backend, const PanelKernel& kernel, const ProductShape& shape, int workers);

  std::string_view backend() const override { return backend_; }
  std::int64_t scratch_bytes() const override { return shared_bytes() + worker_bytes(); }
  void run(int worker, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override;

  std::int64_t team_scratch_bytes() const override { return shared_bytes() + workers_ * worker_bytes(); }
  void run_on_team(const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override;

 private:
  // What a run is given.
  struct Operands {
    const float *a, *b, *bias;
    float* c;
    std::byte* scratch;
  };
  // A part of c, the steps of k that are added to it, and their panels.
  struct Part {
    std::int64_t row = 0, column = 0, rows = 0, columns = 0;
    std::int64_t first = 0, depth = 0;
    const float *a = nullptr, *b = nullptr;
  };

  std::int64_t shared_bytes() const;
  std::int64_t worker_bytes() const;

  template <class ForEach>
  void run(const Operands& operands, ForEach for_each) const;
  void start(const Operands& operands, const Part& part) const;
  void multiply(const Operands& operands, const Part& part, float* edge) const;
  void multiply_edge(const Operands& operands, const Part& part, float* edge) const;

  std::string_view backend_;
  const PanelKernel& kernel_;
  ProductShape shape_;
  int workers_;
  PanelBlocks blocks_;
};

}  // namespace phasor::kernels
