// The choice of the next token from the logits of all that there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasor::generation {

// What may be drawn, in the order in which it applies, which is that of Transformers. Of tokens with equal logits the
// smaller id counts as the more probable.
struct SamplingOptions {
  double temperature = 0;  // that logits are divided by; 0: nothing is drawn, the most probable token is chosen
  std::int64_t top_k = 0;  // so many of the most probable; 0: all
  double top_p = 1;        // of those the smallest set of most probable ones that has this part of their probability
  std::int64_t seed = 0;
};

// Throws UserError, with a line for whoever gave them, where an option is outside its range.
void validate(const SamplingOptions& options);

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options) {}  // which are valid

  // The id of one of the tokens whose logits, finite numbers, these are. What is drawn is a function of them and of
  // (seed, prompt, token), the numbers of a prompt and of the token among those that follow it.
  std::int32_t choose(std::span<const float> logits, std::int64_t prompt, std::int64_t token);

 private:
  struct Candidate {
    float logit = 0;
    std::int32_t id = 0;
    double weight = 0;  // in proportion to its probability

    friend bool operator<(const Candidate& a, const Candidate& b) {  // the more probable first
      return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
    }
  };

  void weigh(std::span<const float> logits);
  void keep_top_k();
  void keep_top_p();
  std::int32_t draw(std::int64_t prompt, std::int64_t token);

  SamplingOptions options_;
  std::vector<Candidate> candidates_;  // of the last choice; their memory serves again
};

}  // namespace phasor::generation
