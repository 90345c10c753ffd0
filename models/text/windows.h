// Which tokens a sample reads, and which it learns or is judged by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasor::text {

// Which tokens see each other.
enum class Documents : std::uint8_t {
  separate,  // those of a document
  joined,    // those of a window of the whole stream, as GPT-2, llm.c and nanoGPT train
};

struct WindowSettings {
  std::int64_t sequence = 0;  // tokens that the model sees at most
  Documents documents = Documents::separate;
  std::int64_t stride = 0;  // 0: windows to train by; else to judge by, a window every so many tokens
};

// Reads tokens first .. first + tokens - 1 of the stream; the label of each is the token behind it, and the labels of
// the first `unscored` do not count.
struct Window {
  std::int64_t first = 0;
  std::int32_t tokens = 0;
  std::int32_t unscored = 0;

  std::int64_t labels() const { return tokens - unscored; }
  friend bool operator==(const Window&, const Window&) = default;
};

// In the order of the stream, each with a label that counts at least. Of documents that are joined, read "stream" for
// "document".
//
// To train by: each document is cut into windows of `sequence` tokens, of which the last is what is left, so that every
// token but the first of its document is the label of one window, and no token is read twice. The last token of a
// document is a label only.
//
// To judge by, at a stride of 1 .. sequence: each document is cut into windows that hold `sequence` tokens, labels
// included, and begin every `stride` tokens, until one reaches the end; a token is scored by the first window that
// predicts it. Every token but the first of its document is, if the stride is less than `sequence`; at that stride the
// first of each window is not, since nothing stands before it. These are the windows by which Transformers' guide
// computes perplexities.
std::vector<Window> make_windows(std::span<const std::int64_t> document_ends, const WindowSettings& settings);

}  // namespace phasor::text
