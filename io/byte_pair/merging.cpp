#include "io/byte_pair/merging.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

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

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// A token of a piece, at the place of its first byte.
struct Link {
  std::int32_t token;
  MergeTable::Found merge;  // with the next token
  std::size_t previous, next;
};

using Candidate = std::pair<std::uint32_t, std::size_t>;  // rank and place: of equal ranks the first place goes first
using Candidates = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;

}  // namespace

void merge_by_heap(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                   std::vector<std::int32_t>& ids) {
  std::vector<Link> links(piece.size());
  Candidates candidates;
  const auto look_up = [&](std::size_t place) {
    Link& link = links[place];
    link.merge = link.next == kNobody ? MergeTable::Found{} : merges.find(link.token, links[link.next].token);
    if (link.merge.rank != MergeTable::kNoRank) candidates.emplace(link.merge.rank, place);
  };
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const bool last = i + 1 == piece.size();
    links[i] = {
        byte_tokens[static_cast<unsigned char>(piece[i])], {}, i == 0 ? kNobody : i - 1, last ? kNobody : i + 1};
  }
  for (std::size_t i = 0; i < links.size(); ++i) look_up(i);
  while (!candidates.empty()) {
    const auto [rank, place] = candidates.top();
    candidates.pop();
    Link& link = links[place];
    if (link.merge.rank != rank) continue;  // one of the two has merged with another since
    link.token = link.merge.result;
    Link& gone = links[link.next];
    gone.merge.rank = MergeTable::kNoRank;
    link.next = gone.next;
    if (link.next != kNobody) links[link.next].previous = place;
    look_up(place);
    if (link.previous != kNobody) look_up(link.previous);
  }
  for (std::size_t i = 0; i < links.size(); i = links[i].next) ids.push_back(links[i].token);
}

void merge_piece(std::string_view piece, std::span<const std::int32_t, 256> byte_tokens, const MergeTable& merges,
                 std::vector<std::int32_t>& ids) {
  const auto merge = piece.size() <= kMostToScan ? merge_by_scan : merge_by_heap;
  merge(piece, byte_tokens, merges, ids);
}

}  // namespace phasor::io
