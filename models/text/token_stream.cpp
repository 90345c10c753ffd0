#include "models/text/token_stream.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "io/files/content_sum.h"

namespace phasor::text {

void TokenStream::add(const io::TokenFile& file) {
  const std::int64_t first = size();
  if (file.tokens.size() == 0) return;
  ensure(!file.document_ends.empty() && file.document_ends.back() == file.tokens.size(),
         "tokens: '{}' ends within a document", file.path);
  if (file.continues && !parts_.empty() && parts_.back().shard) document_ends_.pop_back();
  for (const std::int64_t end : file.document_ends) document_ends_.push_back(first + end);
  parts_.push_back(
      {.path = file.path, .tokens = file.tokens, .mapping = file.mapping, .shard = file.shard, .first = first});
}

std::vector<TokenStream::Part>::const_iterator TokenStream::part_of(std::int64_t token) const {
  return std::ranges::upper_bound(parts_, token, {}, &Part::first) - 1;
}

void TokenStream::copy(std::int64_t first, std::span<std::int32_t> to) const {
  ensure(first >= 0 && first + std::ssize(to) <= size(), "tokens: {} from {} of {}", to.size(), first, size());
  if (to.empty()) return;
  for (auto part = part_of(first); !to.empty(); ++part) {
    const std::int64_t skipped = first - part->first;
    const std::int64_t count = std::min(part->tokens.size() - skipped, std::ssize(to));
    part->tokens.copy(skipped, to.first(static_cast<std::size_t>(count)));
    to = to.subspan(static_cast<std::size_t>(count));
    first += count;
  }
}

TokenStream TokenStream::part(std::int64_t first, std::int64_t end) const {
  ensure(first >= 0 && first < end && end <= size(), "tokens: {} to {} of {}", first, end, size());
  TokenStream result;
  for (auto part = part_of(first); part != parts_.end() && part->first < end; ++part) {
    const std::int64_t skipped = std::max(first - part->first, std::int64_t{0});
    const std::int64_t count = std::min(part->tokens.size(), end - part->first) - skipped;
    result.parts_.push_back({.path = part->path,
                             .tokens = part->tokens.subspan(skipped, count),
                             .mapping = part->mapping,
                             .first = part->first + skipped - first,
                             .first_in_file = part->first_in_file + skipped});
  }
  for (auto border = std::ranges::upper_bound(document_ends_, first); *border < end; ++border)
    result.document_ends_.push_back(*border - first);
  result.document_ends_.push_back(end - first);
  return result;
}

void TokenStream::check_vocabulary(std::int64_t vocabulary) const {
  for (const Part& part : parts_) {
    const std::int64_t foreign = io::find_foreign_token(part.tokens, vocabulary);
    if (foreign == part.tokens.size()) continue;
    throw UserError(fmt::format("text: token {} of '{}' is {}, but model.vocab_size is {}",
                                part.first_in_file + foreign, part.path, part.tokens.at(foreign), vocabulary));
  }
}

std::string TokenStream::sum() const {
  constexpr std::int64_t kPiece = 1 << 18;
  std::vector<std::string> sums(static_cast<std::size_t>((size() + kPiece - 1) / kPiece));
  std::vector<std::vector<std::int32_t>> of_workers(static_cast<std::size_t>(threads()));
  parallel_for(std::ssize(sums), [&](std::int64_t piece, int worker) {
    std::vector<std::int32_t>& tokens = of_workers[static_cast<std::size_t>(worker)];
    tokens.resize(static_cast<std::size_t>(std::min(kPiece, size() - piece * kPiece)));
    copy(piece * kPiece, tokens);
    io::ContentSum sum;
    sum.add(std::as_bytes(std::span(tokens)));
    sums[static_cast<std::size_t>(piece)] = sum.text();
  });
  io::ContentSum all;
  for (const std::string& sum : sums) all.add(std::as_bytes(std::span(sum)));
  return all.text();
}

}  // namespace phasor::text
