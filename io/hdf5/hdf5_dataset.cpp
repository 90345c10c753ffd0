#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/ranges.h>
#include <optional>

#include "io/files/content_sum.h"
#include "io/files/direct_writer.h"
#include "io/hdf5/hdf5.h"
#include "io/hdf5/hdf5_chunks.h"
#include "io/hdf5/hdf5_handle.h"

namespace phasor::io {

namespace {

// Deflate makes nothing smaller than by this factor.
constexpr double kMostCompression = 1032;

// Elements of a dataset that were never written take no place in the file: so many bytes of them are believed.
constexpr double kPlausibleBytes = 16 << 20;

using Extents = std::array<hsize_t, Shape::kMaxRank>;

hid_t memory_type(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::u8:
      return H5T_NATIVE_UINT8;
    case Hdf5Type::i32:
      return H5T_NATIVE_INT32;
    case Hdf5Type::i64:
      return H5T_NATIVE_INT64;
    case Hdf5Type::f32:
      return H5T_NATIVE_FLOAT;
  }
  return -1;
}

std::int64_t size_of(Hdf5Type type) { return static_cast<std::int64_t>(H5Tget_size(memory_type(type))); }

// The element type whatever its byte order, or nothing for one this layer does not speak.
std::optional<Hdf5Type> type_in_file(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const std::size_t bytes = H5Tget_size(type.get());
  if (H5Tget_class(type.get()) == H5T_FLOAT && bytes == 4) return Hdf5Type::f32;
  if (H5Tget_class(type.get()) != H5T_INTEGER) return std::nullopt;
  const bool is_signed = H5Tget_sign(type.get()) == H5T_SGN_2;
  if (!is_signed && bytes == 1) return Hdf5Type::u8;
  if (is_signed && bytes == 4) return Hdf5Type::i32;
  if (is_signed && bytes == 8) return Hdf5Type::i64;
  return std::nullopt;
}

Shape shape_of(const Extents& extents, int rank) {
  const auto at = [&](int dimension) { return static_cast<std::int64_t>(extents[dimension]); };
  switch (rank) {
    case 0:
      return {};
    case 1:
      return {at(0)};
    case 2:
      return {at(0), at(1)};
    case 3:
      return {at(0), at(1), at(2)};
    default:
      return {at(0), at(1), at(2), at(3)};
  }
}

// Whole rows of the inner dimensions as long as they fit; what is outside is cut into pieces of one.
Extents chunk_extents(const Shape& shape, std::int64_t element_bytes, std::int64_t chunk_bytes) {
  Extents chunk;
  std::int64_t room = std::max<std::int64_t>(1, chunk_bytes / element_bytes);
  for (int dimension = shape.rank() - 1; dimension >= 0; --dimension) {
    chunk[dimension] = static_cast<hsize_t>(std::min(shape[dimension], room));
    room = std::max<std::int64_t>(1, room / shape[dimension]);
  }
  return chunk;
}

// That bytes and products of extents, zeros left out, can be counted.
void check_extents(const std::string& file, const std::string& name, std::span<const hsize_t> extents) {
  std::int64_t bytes = sizeof(std::int64_t);
  for (const hsize_t extent : extents) {
    check_hdf5(extent == 0 || !__builtin_mul_overflow(bytes, extent, &bytes), file, name,
               "has more elements than fit, {}. The file is damaged", fmt::join(extents, " x "));
  }
}

// One open dataset and what it holds.
struct Opened {
  Hdf5Handle id;
  Hdf5Dataset what;
};

Opened open_dataset(const std::string& file, hid_t file_id, bool exists, const std::string& name) {
  check_hdf5(exists, file, name, "does not exist, expected a dataset");
  Hdf5Handle id(H5Dopen2(file_id, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!id.valid()) check_hdf5(false, file, name, "cannot be opened as a dataset: {}", hdf5_reason());
  const auto type = type_in_file(id.get());
  check_hdf5(type.has_value(), file, name, "has elements of an unknown type, expected u8, i32, i64 or f32");
  const Hdf5Handle space(H5Dget_space(id.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  check_hdf5(rank >= 0, file, name, "has dimensions that cannot be read. The file is damaged");
  check_hdf5(rank <= Shape::kMaxRank, file, name, "has {} dimensions, expected at most {}", rank, Shape::kMaxRank);
  Extents extents{};
  H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  check_extents(file, name, std::span(extents).first(static_cast<std::size_t>(rank)));
  return {std::move(id), {*type, shape_of(extents, rank)}};
}

// What is to be summed: elements of one type as they lie in memory, and in a file of a machine like this one.
std::span<const std::byte> bytes_of(Hdf5Type type, const void* values, std::int64_t count) {
  return {static_cast<const std::byte*>(values), static_cast<std::size_t>(count * size_of(type))};
}

// Whether elements lie in the file as in memory.
bool lies_as_in_memory(const Opened& opened) {
  const Hdf5Handle type(H5Dget_type(opened.id.get()), H5Tclose);
  return H5Tequal(type.get(), memory_type(opened.what.type)) > 0;
}

// Rows of a chunk, where chunks are whole rows that lie in the file as in memory but for the checksum; else 0.
std::int64_t rows_of_plain_chunks(const Opened& opened) {
  const Hdf5Handle layout(H5Dget_create_plist(opened.id.get()), H5Pclose);
  if (std::endian::native != std::endian::little || H5Pget_layout(layout.get()) != H5D_CHUNKED) return 0;
  if (H5Pget_nfilters(layout.get()) != 1 ||
      H5Pget_filter_by_id2(layout.get(), H5Z_FILTER_FLETCHER32, nullptr, nullptr, nullptr, 0, nullptr, nullptr) < 0) {
    return 0;  // compressed, or of another program
  }
  if (!lies_as_in_memory(opened)) return 0;
  if (opened.what.shape.elements() == 0) return 0;
  Extents chunk{};
  H5Pget_chunk(layout.get(), Shape::kMaxRank, chunk.data());
  for (int d = 1; d < opened.what.shape.rank(); ++d) {
    if (static_cast<std::int64_t>(chunk[d]) != opened.what.shape[d]) return 0;
  }
  return static_cast<std::int64_t>(chunk[0]);
}

void check_elements(const std::string& file, const std::string& name, const Hdf5Dataset& what, Hdf5Type type,
                    std::int64_t first, std::int64_t count) {
  check_hdf5(what.type == type, file, name, "holds {}, expected {}", io::name_of(what.type), io::name_of(type));
  const std::int64_t elements = what.shape.elements();
  check_hdf5(first >= 0 && count <= elements - first, file, name, "holds {} elements {}, expected elements {} to {}",
             elements, to_string(what.shape), first, first + count);
}

// Calls box(offset, extent, first, count) for boxes that together are the elements [first, first + count) in order:
// the end of a row, whole rows, the beginning of a row, in each dimension.
template <class Box>
void for_each_box(const Shape& shape, int dimension, Extents offset, std::int64_t first, std::int64_t count, Box& box) {
  if (count == 0) return;
  std::int64_t row = 1;  // elements of one index of this dimension
  for (int inner = dimension + 1; inner < shape.rank(); ++inner) row *= shape[inner];
  const auto part_of_row = [&](std::int64_t part) {
    offset[dimension] = static_cast<hsize_t>(first / row);
    for_each_box(shape, dimension + 1, offset, first % row, part, box);
    first += part;
    count -= part;
  };
  if (first % row != 0) part_of_row(std::min(count, row - first % row));
  if (const std::int64_t rows = count / row; rows > 0) {
    offset[dimension] = static_cast<hsize_t>(first / row);
    Extents extent;
    for (int d = 0; d < shape.rank(); ++d) {
      extent[d] = d < dimension ? 1 : static_cast<hsize_t>(d == dimension ? rows : shape[d]);
      if (d > dimension) offset[d] = 0;
    }
    box(offset, extent, rows * row);
    first += rows * row;
    count -= rows * row;
  }
  if (count > 0) part_of_row(count);
}

// Calls transfer(memory space, file space, first element in memory) until the range is covered. Returns the reason why
// that failed, empty if it did not: the library forgets the reason at its next call, be it the end of a handle.
template <class Transfer>
std::string transfer_range(const Opened& opened, std::int64_t first, std::int64_t count, Transfer transfer) {
  if (opened.what.shape.rank() == 0) return count == 0 || transfer(H5S_ALL, H5S_ALL, 0) >= 0 ? "" : hdf5_reason();
  const Hdf5Handle file_space(H5Dget_space(opened.id.get()), H5Sclose);
  std::string failure;
  std::int64_t done = 0;
  const auto box = [&](const Extents& offset, const Extents& extent, std::int64_t elements) {
    if (!failure.empty()) return;
    const auto size = static_cast<hsize_t>(elements);
    const Hdf5Handle memory_space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, offset.data(), nullptr, extent.data(), nullptr);
    if (transfer(memory_space.get(), file_space.get(), done) < 0) failure = hdf5_reason();
    done += elements;
  };
  for_each_box(opened.what.shape, 0, Extents{}, first, count, box);
  return failure;
}

}  // namespace

void Hdf5File::create_dataset(const std::string& dataset, const Hdf5Dataset& what, Hdf5Storage storage) {
  check_hdf5(!exists(dataset), path_, dataset, "exists already, expected a new name");
  Extents extents{};
  std::copy(what.shape.extents().begin(), what.shape.extents().end(), extents.begin());
  const int rank = what.shape.rank();
  const Hdf5Handle space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extents.data(), nullptr), H5Sclose);
  const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (rank > 0 && what.shape.elements() > 0) {
    const Extents chunk = chunk_extents(what.shape, size_of(what.type), storage.chunk_bytes);
    H5Pset_chunk(layout.get(), rank, chunk.data());
    if (storage.deflate > 0) H5Pset_deflate(layout.get(), static_cast<unsigned>(storage.deflate));
    H5Pset_fletcher32(layout.get());
  }
  H5Pset_obj_track_times(layout.get(), false);
  if (const std::size_t parent = dataset.rfind('/'); parent != dataset.npos && parent > 0) {
    create_group(dataset.substr(0, parent));
  }
  const Hdf5Handle made(
      H5Dcreate2(id_, dataset.c_str(), memory_type(what.type), space.get(), H5P_DEFAULT, layout.get(), H5P_DEFAULT),
      H5Dclose);
  if (!made.valid()) check_hdf5(false, path_, dataset, "cannot be made a dataset: {}", hdf5_reason());
}

Hdf5Dataset Hdf5File::dataset(const std::string& dataset) const {
  return open_dataset(path_, id_, exists(dataset), dataset).what;
}

std::size_t Hdf5File::plausible_elements(const std::string& dataset) const {
  const Opened opened = open_dataset(path_, id_, exists(dataset), dataset);
  const std::int64_t elements = opened.what.shape.elements();
  const double bytes = static_cast<double>(elements * size_of(opened.what.type));
  hsize_t file_bytes = 0;
  H5Fget_filesize(id_, &file_bytes);
  const double stored = static_cast<double>(std::min(file_bytes, H5Dget_storage_size(opened.id.get())));
  const Hdf5Handle layout(H5Dget_create_plist(opened.id.get()), H5Pclose);
  const double factor = H5Pget_nfilters(layout.get()) > 0 ? kMostCompression : 1;
  check_hdf5(bytes <= std::max(kPlausibleBytes, factor * stored), path_, dataset,
             "claims {:.0f} bytes of elements, the file has {:.0f} of them. The file is damaged", bytes, stored);
  return static_cast<std::size_t>(elements);
}

void Hdf5File::write_whole(const std::string& dataset, Hdf5Type type, const void* values, std::size_t count) {
  const Opened opened = open_dataset(path_, id_, exists(dataset), dataset);
  const Shape& shape = opened.what.shape;
  check_hdf5(shape.elements() == static_cast<std::int64_t>(count), path_, dataset,
             "has {} elements, {} values were given", shape.elements(), count);
  if (rows_of_plain_chunks(opened) == 0) {
    write_range(dataset, type, values, 0, count);
    ContentSum sum;
    sum.add(bytes_of(type, values, shape.elements()));
    return set_sum(dataset, sum);
  }
  write_bytes_from(dataset, [&](std::int64_t first, std::span<std::byte> bytes) {
    std::memcpy(bytes.data(), static_cast<const std::byte*>(values) + first, bytes.size());
  });
}

void Hdf5File::write_bytes_from(const std::string& dataset, const ByteSource& source) {
  const Opened opened = open_dataset(path_, id_, exists(dataset), dataset);
  const Shape& shape = opened.what.shape;
  const std::int64_t bytes = shape.elements() * size_of(opened.what.type), chunk_rows = rows_of_plain_chunks(opened);
  if (chunk_rows == 0) {
    const PageMemory all = allocate_pages(static_cast<std::size_t>(bytes));
    if (bytes > 0) source(0, {all.get(), static_cast<std::size_t>(bytes)});
    return write_whole(dataset, opened.what.type, all.get(), static_cast<std::size_t>(shape.elements()));
  }
  ContentSum sum;
  if (!write_chunks(opened.id.get(), shape[0], chunk_rows, bytes / shape[0], source, sum))
    check_hdf5(false, path_, dataset, "cannot be written: {}", hdf5_reason());
  set_sum(dataset, sum);
  check_written();
}

void Hdf5File::read_whole(const std::string& dataset, Hdf5Type type, void* values, std::size_t count) const {
  const Opened opened = open_dataset(path_, id_, exists(dataset), dataset);
  const Shape& shape = opened.what.shape;
  check_hdf5(shape.elements() == static_cast<std::int64_t>(count), path_, dataset, "holds {} elements {}, expected {}",
             shape.elements(), to_string(shape), count);
  const bool summed = has_sum(dataset) && lies_as_in_memory(opened);
  const std::int64_t chunk_rows = opened.what.type == type ? rows_of_plain_chunks(opened) : 0;
  if (chunk_rows > 0) {
    ContentSum sum;
    std::string failure;
    const std::int64_t row_bytes = shape.elements() / shape[0] * size_of(type);
    if (read_chunks(opened.id.get(), shape[0], chunk_rows, row_bytes, static_cast<std::byte*>(values), sum, failure)) {
      check_hdf5(failure.empty(), path_, dataset, "cannot be read: {}. The file is damaged", failure);
      if (summed) check_sum(dataset, sum);
      return;
    }
  }
  read_range(dataset, type, values, 0, count);
  if (!summed) return;
  ContentSum sum;
  sum.add(bytes_of(type, values, shape.elements()));
  check_sum(dataset, sum);
}

void Hdf5File::write_range(const std::string& dataset, Hdf5Type type, const void* values, std::int64_t first,
                           std::size_t count) {
  const auto elements = static_cast<std::int64_t>(count);
  const Opened opened = open_dataset(path_, id_, exists(dataset), dataset);
  check_elements(path_, dataset, opened.what, type, first, elements);
  const auto transfer = [&](hid_t memory, hid_t file, std::int64_t done) {
    const auto* from = static_cast<const std::byte*>(values) + done * size_of(type);
    return H5Dwrite(opened.id.get(), memory_type(type), memory, file, H5P_DEFAULT, from);
  };
  const std::string failure = transfer_range(opened, first, elements, transfer);
  check_hdf5(failure.empty(), path_, dataset, "cannot be written: {}", failure);
  check_written();
}

void Hdf5File::read_range(const std::string& dataset, Hdf5Type type, void* values, std::int64_t first,
                          std::size_t count) const {
  const auto elements = static_cast<std::int64_t>(count);
  const Opened opened = open_dataset(path_, id_, exists(dataset), dataset);
  check_elements(path_, dataset, opened.what, type, first, elements);
  const auto transfer = [&](hid_t memory, hid_t file, std::int64_t done) {
    auto* to = static_cast<std::byte*>(values) + done * size_of(type);
    return H5Dread(opened.id.get(), memory_type(type), memory, file, H5P_DEFAULT, to);
  };
  const std::string failure = transfer_range(opened, first, elements, transfer);
  check_hdf5(failure.empty(), path_, dataset, "cannot be read: {}. The file is damaged", failure);
}

}  // namespace phasor::io
