#include <zlib.h>

#include "engine/base/error.h"
#include "io/datasets/idx_file.h"
#include "io/files/text_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace phasor::fuzz {

namespace {

std::string compressed(const std::string& bytes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("seed");
  const gzFile file = gzopen(path.c_str(), "wb");
  ensure(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) > 0 && gzclose(file) == Z_OK,
         "fuzz: a seed cannot be compressed");
  return io::read_file("fuzz", path);
}

}  // namespace

std::vector<std::string> seeds() {
  using namespace std::string_literals;
  const std::string images = "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03"s + "abcdefghijkl";
  const std::string labels = "\0\0\x08\x01\0\0\0\x03"s + "\x07\x02\x01";
  const std::string claims = "\0\0\x08\x03\xff\xff\xff\xff\0\x01\0\0\0\x01\0\0"s + "x";
  return {images, labels, claims, compressed(images), compressed(labels), compressed(claims)};
}

std::vector<std::string> words() {
  using namespace std::string_literals;
  return {"\0\0\x08\x03"s, "\0\0\x08\x01"s, "\xff\xff\xff\xff", "\0\0\0\0"s, "\0\0\0\x01"s, "\x1f\x8b\x08", "\0"s};
}

void read_input(const std::string& path) {
  try {
    const io::IdxImages images = io::read_idx_images(path);
    ensure(std::ssize(images.pixels) == images.count * images.rows * images.columns, "fuzz: images lack pixels");
  } catch (const UserError&) {
    io::read_idx_labels(path);
  }
}

}  // namespace phasor::fuzz
