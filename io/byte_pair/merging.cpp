#include "io/byte_pair/merging.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "engine/base/error.h"

namespace phasor::io {

void merge_by_scan(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                   std::vector<std::int32_t>& ids) {
  std::array<std::int32_t, kMostToScan> tokens;
  std::array<std::uint32_t, kMostToScan> ranks;   // of the merge of a token with the next one ...
  std::array<std::int32_t, kMostToScan> results;  // ... and what it makes
  std::size_t count = piece.size();
  const auto look_up = [&](std::size_t i) {
    const MergeTable::Found found = merges.find(tokens[i], tokens[i + 1]);
    ranks[i] = found.rank;
    results[i] = found.result;
  };
  for (std::size_t i = 0; i < count; ++i) tokens[i] = byte_tokens[static_cast<unsigned char>(piece[i])];
  for (std::size_t i = 0; i + 1 < count; ++i) look_up(i);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) best = ranks[i] < ranks[best] ? i : best;
    if (ranks[best] == MergeTable::kNoRank) break;
    tokens[best] = results[best];
    --count;
    for (std::size_t i = best + 1; i < count; ++i) tokens[i] = tokens[i + 1];
    for (std::size_t i = best + 1; i + 1 < count; ++i) {
      ranks[i] = ranks[i + 1];
      results[i] = results[i + 1];
    }
    if (best > 0) look_up(best - 1);
    if (best + 1 < count) look_up(best);
  }
  ids.insert(ids.end(), tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count));
}

namespace {

using BytePosition = std::uint32_t;  // in a piece
constexpr BytePosition kNobody = std::numeric_limits<BytePosition>::max();

// A token of a piece, at the place of its first byte.
struct Link {
  std::int32_t token = -1;
  MergeTable::Found merge;  // with the next token
  BytePosition previous = kNobody, next = kNobody;
};

// A merge to come, as its rank and then its place: of equal ranks the first place goes first.
using Candidate = std::uint64_t;
Candidate candidate_of(std::uint32_t rank, BytePosition place) { return Candidate{rank} << 32 | place; }

}  // namespace

void merge_by_heap(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                   std::vector<std::int32_t>& ids) {
  check(piece.size() < kNobody, "tokenizer: {} bytes of the text have no place to cut them, expected fewer than {}",
        piece.size(), kNobody);
  std::vector<Link> links(piece.size());
  for (BytePosition i = 0; i < links.size(); ++i) {
    links[i].token = byte_tokens[static_cast<unsigned char>(piece[i])];
    links[i].previous = i == 0 ? kNobody : i - 1;
    links[i].next = i + 1 == links.size() ? kNobody : i + 1;
  }
  const auto look_up = [&](BytePosition place) {
    Link& link = links[place];
    link.merge = link.next == kNobody ? MergeTable::Found{} : merges.find(link.token, links[link.next].token);
    return link.merge.rank != MergeTable::kNoRank;
  };
  std::vector<Candidate> first;
  for (BytePosition i = 0; i < links.size(); ++i) {
    if (look_up(i)) first.push_back(candidate_of(links[i].merge.rank, i));
  }
  std::priority_queue candidates(std::greater<>(), std::move(first));
  const auto look_again = [&](BytePosition place) {
    if (look_up(place)) candidates.push(candidate_of(links[place].merge.rank, place));
  };
  while (!candidates.empty()) {
    const auto rank = static_cast<std::uint32_t>(candidates.top() >> 32);
    const auto place = static_cast<BytePosition>(candidates.top());
    candidates.pop();
    Link& link = links[place];
    if (link.merge.rank != rank) continue;  // one of the two has merged with another since
    link.token = link.merge.result;
    Link& gone = links[link.next];
    gone.merge.rank = MergeTable::kNoRank;
    link.next = gone.next;
    if (link.next != kNobody) links[link.next].previous = place;
    look_again(place);
    if (link.previous != kNobody) look_again(link.previous);
  }
  for (BytePosition i = 0; i < links.size(); i = links[i].next) ids.push_back(links[i].token);
}

void merge_piece(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                 std::vector<std::int32_t>& ids) {
  const auto merge = piece.size() <= kMostToScan ? merge_by_scan : merge_by_heap;
  merge(piece, byte_tokens, merges, ids);
}

}  // namespace phasor::io
