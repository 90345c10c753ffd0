#include "io/token_files/documents.h"

#include <algorithm>

#include "engine/base/parallel.h"

namespace phasor::io {

std::vector<std::int64_t> find_document_ends(const TokenSpan& tokens, std::int32_t end_of_text, EndOfText where) {
  constexpr std::int64_t kPiece = 1 << 20;
  const std::int64_t behind = where == EndOfText::after ? 1 : 0;
  std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>((tokens.size() + kPiece - 1) / kPiece));
  parallel_for(end_of_text < 0 ? 0 : std::ssize(found), [&](std::int64_t piece) {
    const std::int64_t first = piece * kPiece, count = std::min(kPiece, tokens.size() - first);
    tokens.subspan(first, count).visit([&](auto elements) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (static_cast<std::int64_t>(elements[static_cast<std::size_t>(i)]) == end_of_text)
          found[static_cast<std::size_t>(piece)].push_back(first + i + behind);
      }
    });
  });
  std::vector<std::int64_t> ends;
  for (const auto& piece : found) ends.insert(ends.end(), piece.begin(), piece.end());
  if (!ends.empty() && ends.front() == 0) ends.erase(ends.begin());  // the first document begins there
  if (tokens.size() > 0 && (ends.empty() || ends.back() < tokens.size())) ends.push_back(tokens.size());
  return ends;
}

}  // namespace phasor::io
