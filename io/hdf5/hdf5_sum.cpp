// Sums of whole datasets, as attributes of theirs.
#include "io/files/content_sum.h"
#include "io/hdf5/hdf5.h"
#include "io/hdf5/hdf5_handle.h"

namespace phasor::io {

namespace {

constexpr const char* kSumAttribute = "xxh3";

}  // namespace

bool Hdf5File::has_sum(const std::string& dataset) const { return has_attribute(dataset, kSumAttribute); }

void Hdf5File::set_sum(const std::string& dataset, const ContentSum& sum) {
  set_attribute(dataset, kSumAttribute, sum.text());
}

void Hdf5File::forget_sum(const std::string& dataset) {
  if (has_sum(dataset)) H5Adelete_by_name(id_, dataset.c_str(), kSumAttribute, H5P_DEFAULT);
}

void Hdf5File::check_sum(const std::string& dataset, const ContentSum& sum) const {
  const std::string found = sum.text(), expected = string_attribute(dataset, kSumAttribute);
  check_hdf5(found == expected, path_, dataset,
             "holds elements of sum {}, their sum was {} when they were written. The file is damaged", found, expected);
}

}  // namespace phasor::io
