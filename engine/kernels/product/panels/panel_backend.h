// Products by panels as a backend.
#pragma once

#include "engine/kernels/product/panels/panel_product.h"
#include "engine/kernels/product/product_backends.h"
#include "engine/kernels/product/product_table.h"

namespace phasor::kernels {

// Of a library that has kName, "openblas", kInPanels, "openblas, in panels", kernel(), whose `multiply` is null where
// it is not there, and takes(), which shapes of what lies anywhere.
template <class Library>
ProductBackend panel_products() {
  // Panels are packed ahead where no tile is filled up, as matrices of other libraries are.
  static constexpr std::int64_t kWhole = 64;
  return {
      .name = Library::kInPanels,
      .serves =
          [](const ProductShape& s) {
            ProductShape as_it_lies = s;
            as_it_lies.packed_b = false;
            return Library::takes(as_it_lies) && (s.packed_b || class_of(s) != ShapeClass::skinny) &&
                   Library::kernel().multiply != nullptr;
          },
      .scratch_bytes =
          [](const ProductShape& s) { return PanelProduct(Library::kName, Library::kernel(), s, 1).scratch_bytes(); },
      .make = [](const ProductShape& s, int workers) -> std::unique_ptr<Product> {
        return std::make_unique<PanelProduct>(Library::kName, Library::kernel(), s, workers);
      },
      .make_team = [](const ProductShape& s, int workers) -> std::unique_ptr<TeamProduct> {
        return std::make_unique<PanelProduct>(Library::kName, Library::kernel(), s, workers, workers);
      },
      .packed_b_bytes = [](const ProductShape& s) -> std::int64_t {
        const bool is_whole = s.n % kWhole == 0 && s.k % kWhole == 0;
        return is_whole ? PanelPacking::bytes(Library::kernel(), s) : 0;
      },
      .make_packing = [](const ProductShape& s) -> std::unique_ptr<Packing> {
        return std::make_unique<PanelPacking>(Library::kernel(), s);
      },
      .packing_keeps_bits = true};
}

}  // namespace phasor::kernels
