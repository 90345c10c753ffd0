#include "engine/base/copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/base/parallel.h"

namespace phasor {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kLarge = 1 << 16;  // bytes
constexpr std::int64_t kPiece = 1 << 17;
constexpr std::int64_t kCached = 1 << 20;  // what is likely still in the caches when it is read

// As memcpy, by stores that leave the caches alone. Four vectors at a time keep enough loads under way.
void stream(const std::byte* from, std::byte* to, std::int64_t bytes) {
  constexpr hn::ScalableTag<std::uint8_t> kBytes;
  constexpr auto kWidth = static_cast<std::int64_t>(hn::MaxLanes(kBytes));
  const auto* in = reinterpret_cast<const std::uint8_t*>(from);
  auto* out = reinterpret_cast<std::uint8_t*>(to);
  const std::int64_t head = std::min(bytes, (kWidth - reinterpret_cast<std::intptr_t>(out) % kWidth) % kWidth);
  std::memcpy(out, in, static_cast<std::size_t>(head));
  std::int64_t i = head;
  for (; i + 4 * kWidth <= bytes; i += 4 * kWidth) {
    const auto a = hn::LoadU(kBytes, in + i), b = hn::LoadU(kBytes, in + i + kWidth);
    const auto c = hn::LoadU(kBytes, in + i + 2 * kWidth), d = hn::LoadU(kBytes, in + i + 3 * kWidth);
    hn::Stream(a, kBytes, out + i);
    hn::Stream(b, kBytes, out + i + kWidth);
    hn::Stream(c, kBytes, out + i + 2 * kWidth);
    hn::Stream(d, kBytes, out + i + 3 * kWidth);
  }
  std::memcpy(out + i, in + i, static_cast<std::size_t>(bytes - i));
  hwy::FlushStream();
}

}  // namespace

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to, Afterwards afterwards) {
  const auto bytes = static_cast<std::int64_t>(to.size());
  if (bytes < kLarge) {
    if (bytes > 0) std::memcpy(to.data(), from.data(), to.size());
    return;
  }
  const bool past_caches = afterwards == Afterwards::put_away || bytes >= kCached;
  parallel_for_ranges(bytes, kPiece, [&](std::int64_t begin, std::int64_t end) {
    if (past_caches) {
      stream(from.data() + begin, to.data() + begin, end - begin);
    } else {
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin));
    }
  });
}

void clear_bytes(std::span<std::byte> to) {
  parallel_for_ranges(static_cast<std::int64_t>(to.size()), kPiece, [&](std::int64_t begin, std::int64_t end) {
    std::memset(to.data() + begin, 0, static_cast<std::size_t>(end - begin));
  });
}

}  // namespace phasor
