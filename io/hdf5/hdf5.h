// HDF5 files: groups, whole and partial datasets, attributes.
//
// A path names an object from the root of the file: "/layer/weights". Missing groups on the way to a new dataset are
// made. A file's bytes follow from what is written in which order: it knows no times. What cannot be opened, read,
// written or does not have the expected type or size is a UserError of one line that names file and object; HDF5's own
// error output is silenced.
//
// Threads: the HDF5 library keeps state for the whole process. Only one thread may be inside this layer at a time, also
// when several threads work on different files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/shape.h"

namespace phasor::io {

class ContentSum;

enum class Hdf5Type : std::uint8_t { u8, i32, i64, f32 };

std::string_view name_of(Hdf5Type type);

// Of the library that runs: "1.10.8".
std::string hdf5_version();

template <class T>
struct Hdf5TypeOf;
template <>
struct Hdf5TypeOf<std::uint8_t> {
  static constexpr Hdf5Type value = Hdf5Type::u8;
};
template <>
struct Hdf5TypeOf<std::int32_t> {
  static constexpr Hdf5Type value = Hdf5Type::i32;
};
template <>
struct Hdf5TypeOf<std::int64_t> {
  static constexpr Hdf5Type value = Hdf5Type::i64;
};
template <>
struct Hdf5TypeOf<float> {
  static constexpr Hdf5Type value = Hdf5Type::f32;
};

struct Hdf5Storage {
  std::int64_t chunk_bytes = 4 << 20;  // upper bound of a chunk, the unit of checksums, compression and writes
  int deflate = 0;                     // 0 (none) to 9
};

struct Hdf5Dataset {
  Hdf5Type type = Hdf5Type::f32;
  Shape shape;
};

// An open file. Movable; closed at the latest by the destructor, which cannot report what it fails to write.
class Hdf5File {
 public:
  static Hdf5File create(const std::string& path);  // replaces a file of that name
  static Hdf5File open(const std::string& path);    // to read
  static Hdf5File open_to_update(const std::string& path);

  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File& operator=(Hdf5File&& other) noexcept;
  ~Hdf5File();

  const std::string& path() const { return path_; }

  // Takes room on the disk for a new file that will have so many bytes or a little more: it is written in fewer pieces,
  // and a disk without that room shows at once, as an error. Where the file system knows no such thing, nothing
  // happens.
  void expect_bytes(std::int64_t bytes);

  // Writes what is still buffered and closes; a full disk shows here at the latest. Nothing else may follow.
  void close();

  // Groups and datasets.
  void create_group(const std::string& group);  // with its parents; one that exists is kept
  bool exists(const std::string& object) const;
  std::vector<std::string> children(const std::string& group) const;  // names, sorted by byte

  // Datasets are checksummed: Fletcher-32 of every chunk, except scalars and empty ones, and, where a dataset was
  // written whole, a sum of all its elements (ContentSum), which is checked whenever it is read whole. Elements that
  // were never written read as 0.
  template <class T>
  void write(const std::string& dataset, const Shape& shape, std::span<const T> values, Hdf5Storage storage = {}) {
    create_dataset<T>(dataset, shape, storage);
    write_whole(dataset, Hdf5TypeOf<T>::value, values.data(), values.size());
  }
  // The same of values that source(first, values) gives, elements from `first` on in row-major order: each once, from
  // the first to the last. It is called on another thread, beside the disk; what it throws is thrown here. It takes the
  // memory of two chunks, with compression that of the dataset.
  template <class T, class Source>
  void write_from(const std::string& dataset, const Shape& shape, const Source& source, Hdf5Storage storage = {}) {
    create_dataset<T>(dataset, shape, storage);
    write_bytes_from(dataset, [&source](std::int64_t first, std::span<std::byte> bytes) {
      constexpr std::size_t kSize = sizeof(T);
      source(first / static_cast<std::int64_t>(kSize),
             std::span<T>(reinterpret_cast<T*>(bytes.data()), bytes.size() / kSize));
    });
  }
  template <class T>
  void create_dataset(const std::string& dataset, const Shape& shape, Hdf5Storage storage = {}) {
    create_dataset(dataset, {Hdf5TypeOf<T>::value, shape}, storage);
  }
  void create_dataset(const std::string& dataset, const Hdf5Dataset& what, Hdf5Storage storage);
  Hdf5Dataset dataset(const std::string& dataset) const;
  bool has_sum(const std::string& dataset) const;  // of all its elements

  // The whole dataset in row-major order; `values` must have as many elements.
  template <class T>
  void read(const std::string& dataset, std::span<T> values) const {
    read_whole(dataset, Hdf5TypeOf<T>::value, values.data(), values.size());
  }
  // Of as many elements as the dataset has; one that claims more than its file could hold is a UserError, unless it is
  // small.
  template <class T>
  std::vector<T> read(const std::string& dataset) const {
    std::vector<T> values(plausible_elements(dataset));
    read(dataset, std::span<T>(values));
    return values;
  }

  // Elements [first, first + values.size()) of the dataset, counted in row-major order whatever its shape. Writing some
  // takes the sum of all away.
  template <class T>
  void write_elements(const std::string& dataset, std::int64_t first, std::span<const T> values) {
    forget_sum(dataset);
    write_range(dataset, Hdf5TypeOf<T>::value, values.data(), first, values.size());
  }
  template <class T>
  void read_elements(const std::string& dataset, std::int64_t first, std::span<T> values) const {
    read_range(dataset, Hdf5TypeOf<T>::value, values.data(), first, values.size());
  }

  // Attributes of a group or dataset ("/" is the file's own). Setting one that exists replaces it. Strings are UTF-8
  // without NUL and shorter than 64,000 bytes.
  void set_attribute(const std::string& object, const std::string& name, std::string_view value);
  void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void set_attribute(const std::string& object, const std::string& name, double value);
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::string string_attribute(const std::string& object, const std::string& name) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;
  double double_attribute(const std::string& object, const std::string& name) const;

 private:
  Hdf5File(std::string path, std::int64_t id) : path_(std::move(path)), id_(id) {}

  void check_written() const;  // throws if a write has failed
  void set_sum(const std::string& dataset, const ContentSum& sum);
  void forget_sum(const std::string& dataset);
  void check_sum(const std::string& dataset, const ContentSum& sum) const;  // which throws where it is another
  void write_whole(const std::string& dataset, Hdf5Type type, const void* values, std::size_t count);
  // Of a dataset that is new.
  void write_bytes_from(const std::string& dataset,
                        const std::function<void(std::int64_t first, std::span<std::byte> bytes)>& source);
  std::size_t plausible_elements(const std::string& dataset) const;
  void read_whole(const std::string& dataset, Hdf5Type type, void* values, std::size_t count) const;
  void write_range(const std::string& dataset, Hdf5Type type, const void* values, std::int64_t first,
                   std::size_t count);
  void read_range(const std::string& dataset, Hdf5Type type, void* values, std::int64_t first, std::size_t count) const;

  std::string path_;
  std::int64_t id_ = -1;  // HDF5's handle; negative when closed
  // The errno of the first write to a new file that failed, which HDF5 does not get to know.
  std::unique_ptr<int> write_error_;
};

}  // namespace phasor::io
