// Which samples share a row: as few rows as their lengths allow, so that little is computed on padding. Krell et al.,
// "Efficient sequence packing without cross-contamination", 2021. There a row holds as many tokens as the longest
// sample; here it is all of a micro-batch, at whose end less is left over.
#pragma once

#include <vector>

#include "models/batches/row_filling.h"
#include "models/batches/samples.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

RowRoom row_room(const ResolvedRun& config);

// The chosen samples in rows. As many as a step has fill one after the other; more, and those that take fewer rows
// then, go where they fit best (row_filling.h). Rows count from 0 over all of them, and none is empty; numbers are
// those of the samples among the chosen. Places are in the order of rows, and of tokens in a row, where samples stand
// by their numbers. A function of the lengths alone.
std::vector<Place> place_in_rows(const Samples& samples, std::span<const std::int64_t> chosen, RowRoom room);
// All of them.
std::vector<Place> place_in_rows(const Samples& samples, RowRoom room);

// How many rows of model.sequence_length tokens all samples take, as the run packs them: in its micro-batches or, where
// they do not fill one, in rows of their own.
std::int64_t sequences_of(const Samples& samples, const ResolvedRun& config);

// How many rows they take.
inline std::int64_t rows_of(std::span<const Place> places) { return places.empty() ? 0 : places.back().row + 1; }

}  // namespace phasor::run
