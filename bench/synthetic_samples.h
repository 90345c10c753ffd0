// Inputs without data files, the same in every run and for everybody: scripts/compare/bench_pytorch.py makes them too.
#pragma once

#include <map>
#include <string>

#include "models/batches/samples.h"
#include "models/layers/micro_batch.h"

namespace phasor::bench {

// 64 random bits, a function of n: the finaliser of SplitMix64 on n x 0x9E3779B97F4A7C15. Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014.
std::uint64_t draw(std::uint64_t n);

// Samples for any model: what a batch tensor holds follows from the op that takes it. Of element i of the n elements
// that sample s has in a tensor:
//   entries of a table  draw(s n + i) mod as many as there are besides the padding, counted past it
//   labels of a loss    draw(2^32 + s n + i) mod the classes
//   segments            one a sample, of all of its tokens
//   other numbers       draw(2^33 + s n + i) / 2^64
// Samples are all as long as they may be. A tensor has them in turn along its first dimension: all first rows, then all
// second ones.
class SyntheticSamples : public run::Samples {
 public:
  // Of such micro-batches.
  SyntheticSamples(const Stages& stages, layers::MicroBatch batch);

  std::int64_t size() const override;  // there is no end to them
  std::int64_t labels(std::int64_t) const override { return labels_; }
  std::int64_t tokens(std::int64_t) const override { return tokens_; }
  void fill(std::span<const run::Place> places, run::BatchTensors& tensors) const override;
  std::string fingerprint() const override { return "synthetic"; }
  // How many entries a sample looks up in a table, at most: its tokens. 0 where there are no tables.
  std::int64_t tokens_of_sample() const { return tokens_; }

 private:
  enum class Kind : std::uint8_t { entries, labels, label_weights, segments, numbers };
  struct Content {
    Kind kind = Kind::numbers;
    std::int64_t choices = 0;   // of entries, the padding not counted, or of labels
    std::int64_t padding = -1;  // the entry that is none; -1: all are
    bool of_tokens = false;     // labels and their weights: each token has one, instead of each sample
  };
  Content content_of(const Graph& graph, Value value) const;
  std::int64_t samples_in_row(const Content& content) const;  // that a tensor has room for

  layers::MicroBatch batch_;
  std::map<std::string, Content> contents_;  // by the tensor's name
  std::int64_t labels_ = 0, tokens_ = 0;     // of a sample
};

}  // namespace phasor::bench
