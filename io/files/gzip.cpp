#include "io/files/gzip.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

#include "engine/base/error.h"
#include "io/files/text_file.h"

namespace phasor::io {

// zlib counts in unsigned int: a file of 4 GiB or more is handed over in parts.
struct GzipReader::Stream {
  z_stream z{};
  std::size_t handed = 0;  // bytes of the file
  bool ended = false;
  ~Stream() { inflateEnd(&z); }
};

namespace {

constexpr std::size_t kMostAtOnce = std::numeric_limits<unsigned>::max();

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

}  // namespace

GzipReader::GzipReader(std::string_view subject, const std::string& path)
    : place_(fmt::format("{}: '{}'", subject, path)), bytes_(read_file(subject, path)) {
  if (!is_gzip(bytes_)) return;
  constexpr int kGzipOnly = 16;
  decompressing_ = std::make_unique<Stream>();
  ensure(inflateInit2(&decompressing_->z, MAX_WBITS + kGzipOnly) == Z_OK, "{}: zlib does not start", place_);
}

GzipReader::~GzipReader() = default;

std::size_t GzipReader::read(std::span<std::uint8_t> to) {
  if (!decompressing_) {
    const std::size_t count = std::min(to.size(), bytes_.size() - next_);
    std::copy_n(bytes_.data() + next_, count, to.data());
    next_ += count;
    return count;
  }
  Stream& stream = *decompressing_;
  std::size_t filled = 0;
  while (filled < to.size() && !stream.ended) {
    if (stream.z.avail_in == 0) {
      stream.z.next_in = reinterpret_cast<Bytef*>(bytes_.data() + stream.handed);
      stream.z.avail_in = static_cast<unsigned>(std::min(kMostAtOnce, bytes_.size() - stream.handed));
      stream.handed += stream.z.avail_in;
      check(stream.z.avail_in > 0, "{} ends in the middle of what gzip compressed. Is it all of the file?", place_);
    }
    const auto room = static_cast<unsigned>(std::min(kMostAtOnce, to.size() - filled));
    stream.z.next_out = to.data() + filled;
    stream.z.avail_out = room;
    const int result = inflate(&stream.z, Z_NO_FLUSH);
    filled += room - stream.z.avail_out;
    stream.ended = result == Z_STREAM_END;
    // Z_BUF_ERROR: all that was handed over is read, which asks for more.
    check(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR, "{} is damaged: gzip's sums do not match",
          place_);
  }
  const std::size_t behind = bytes_.size() - stream.handed + stream.z.avail_in;
  check(!stream.ended || behind == 0, "{} has {} bytes behind what gzip compressed", place_, behind);
  return filled;
}

}  // namespace phasor::io
