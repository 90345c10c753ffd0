#include "io/datasets/idx_file.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/files/gzip.h"

namespace phasor::io {

namespace {

constexpr std::uint32_t kImages = 2051, kLabels = 2049;

std::string_view name_of(std::uint32_t magic) {
  return magic == kImages ? "images" : magic == kLabels ? "labels" : "neither images nor labels";
}

class IdxReader {
 public:
  explicit IdxReader(const std::string& path) : path_(path), bytes_("idx", path) {}

  void read_magic(std::uint32_t expected) {
    const std::uint32_t magic = read_number();
    check(magic == expected, "idx: '{}' begins with {} ({}), expected {} ({})", path_, magic, name_of(magic), expected,
          name_of(expected));
  }

  std::uint32_t read_number() {
    std::uint8_t bytes[4];
    check(bytes_.read(bytes) == 4, "idx: '{}' ends within its header. Is it all of the file?", path_);
    return std::uint32_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
  }

  // All that follows, which is so many bytes.
  std::vector<std::uint8_t> read_rest(std::uint64_t count) {
    constexpr std::uint64_t kPart = 1 << 20;
    std::vector<std::uint8_t> rest;
    while (rest.size() < count) {
      const std::size_t before = rest.size();
      rest.resize(before + std::min(kPart, count - before));
      rest.resize(before + bytes_.read(std::span(rest).subspan(before)));
      check(rest.size() > before, "idx: '{}' has {} bytes behind its header, which counts {}. Is it all of the file?",
            path_, rest.size(), count);
    }
    std::uint8_t more;
    check(bytes_.read({&more, 1}) == 0, "idx: '{}' goes on behind the {} bytes that its header counts", path_, count);
    return rest;
  }

 private:
  std::string path_;
  GzipReader bytes_;
};

}  // namespace

IdxImages read_idx_images(const std::string& path) {
  IdxReader reader(path);
  reader.read_magic(kImages);
  const std::uint64_t count = reader.read_number(), rows = reader.read_number(), columns = reader.read_number();
  constexpr std::uint64_t kMostSide = 1 << 16;  // so that no product overflows
  check(rows > 0 && columns > 0 && rows <= kMostSide && columns <= kMostSide,
        "idx: '{}' has images of {} x {} pixels, expected between 1 and {} a side", path, rows, columns, kMostSide);
  std::vector<std::uint8_t> pixels = reader.read_rest(count * rows * columns);
  return {.count = static_cast<std::int64_t>(count),
          .rows = static_cast<std::int64_t>(rows),
          .columns = static_cast<std::int64_t>(columns),
          .pixels = std::move(pixels)};
}

std::vector<std::uint8_t> read_idx_labels(const std::string& path) {
  IdxReader reader(path);
  reader.read_magic(kLabels);
  return reader.read_rest(reader.read_number());
}

}  // namespace phasor::io
