#include "models/text/encode_text.h"

#include <algorithm>
#include <exception>

#include "engine/base/parallel.h"
#include "io/datasets/json_lines.h"

namespace phasor::text {

namespace {

constexpr std::size_t kPieceBytes = 1 << 16;
constexpr std::size_t kPiecesAtOnce = 256;  // many for each thread, so that none waits long for the others

struct EncodedPiece {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> document_ends;  // behind the piece's first token
  std::exception_ptr mistake;
};

class PieceEncoder {
 public:
  PieceEncoder(const TextEncoder& encoder, const TextPiece& piece, EncodedPiece& result)
      : encoder_(encoder), piece_(piece), result_(result) {
    result_.ids.clear();
    result_.document_ends.clear();
    result_.mistake = nullptr;
  }

  void encode() {
    if (piece_.file->kind == TextKind::json_lines) return encode_lines();
    encoder_.encode(piece_.text, result_.ids);
    if (piece_.ends_document) end_document();
  }

 private:
  void encode_lines() {
    for (std::string_view rest = piece_.text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      const std::string text = io::text_of_line(piece_.file->path, piece_.file->content->text(), line);
      if (text.empty()) continue;
      encoder_.encode(text, result_.ids);
      end_document();
    }
  }

  void end_document() {
    if (encoder_.end_of_text() >= 0) result_.ids.push_back(encoder_.end_of_text());
    result_.document_ends.push_back(std::ssize(result_.ids));
  }

  const TextEncoder& encoder_;
  const TextPiece& piece_;
  EncodedPiece& result_;
};

}  // namespace

std::vector<std::int64_t> encode_text(std::span<const TextFile> files, const TextEncoder& encoder,
                                      const TakeTokens& take, io::Listener& listener) {
  std::vector<TextPiece> pieces;
  std::int64_t bytes = 0;
  for (const TextFile& file : files) {
    const std::vector<TextPiece> of_file = cut_text(file, kPieceBytes);
    pieces.insert(pieces.end(), of_file.begin(), of_file.end());
    bytes += std::ssize(file.content->bytes());
  }
  const auto progress = listener.progress("tokens", bytes / 1024, "KiB");
  std::vector<EncodedPiece> encoded(std::min(kPiecesAtOnce, pieces.size()));
  std::vector<std::int64_t> document_ends;
  std::int64_t tokens = 0;
  for (std::size_t first = 0; first < pieces.size(); first += encoded.size()) {
    const auto at_once = std::span(pieces).subspan(first, std::min(encoded.size(), pieces.size() - first));
    parallel_for(std::ssize(at_once), [&](std::int64_t i) {
      const auto index = static_cast<std::size_t>(i);
      try {
        PieceEncoder(encoder, at_once[index], encoded[index]).encode();
      } catch (...) {
        encoded[index].mistake = std::current_exception();
      }
      progress->advance(std::ssize(at_once[index].text) / 1024);
    });
    for (const EncodedPiece& piece : std::span(encoded).first(at_once.size())) {
      if (piece.mistake) std::rethrow_exception(piece.mistake);
      take(piece.ids);
      for (const std::int64_t end : piece.document_ends) document_ends.push_back(tokens + end);
      tokens += std::ssize(piece.ids);
    }
  }
  return document_ends;
}

}  // namespace phasor::text
