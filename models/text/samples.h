// Windows of text as samples of a decoder. B rows of S tokens, N samples of a row at most:
//
//   input_ids      i32 [B, S]
//   segments       i32 [B, N, 3]  whose tokens they are (engine/base/segments.h)
//   labels         i32 [B, S]     the token behind each
//   label_weights  f32 [B, S]     of each label in the loss, 0 for those that do not count
#pragma once

#include <string>
#include <vector>

#include "models/batches/samples.h"
#include "models/text/token_stream.h"
#include "models/text/windows.h"

namespace phasor::text {

class TextSamples : public run::Samples {
 public:
  // Text that is too short for a label is a UserError.
  TextSamples(TokenStream stream, const WindowSettings& settings);

  const TokenStream& stream() const { return stream_; }
  const Window& window(std::int64_t sample) const { return windows_[static_cast<std::size_t>(sample)]; }

  std::int64_t size() const override { return std::ssize(windows_); }
  std::int64_t labels(std::int64_t sample) const override { return window(sample).labels(); }
  std::int64_t tokens(std::int64_t sample) const override { return window(sample).tokens; }
  void fill(std::span<const run::Place> places, run::BatchTensors& tensors) const override;
  std::string fingerprint() const override;

 private:
  TokenStream stream_;
  std::vector<Window> windows_;
};

}  // namespace phasor::text
