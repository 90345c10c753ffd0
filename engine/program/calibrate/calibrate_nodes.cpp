#include <algorithm>

#include "engine/base/copy.h"
#include "engine/base/parallel.h"
#include "engine/base/segments.h"
#include "engine/program/calibrate/caches.h"
#include "engine/program/calibrate/calibration.h"
#include "engine/program/calibrate/measurement_rounds.h"
#include "engine/program/calibrate/timing.h"
#include "engine/program/simulate/node_sample.h"
#include "engine/runtime/executable.h"

namespace phasor {

namespace {

constexpr Runs kRuns{.least = 1, .most = 4};  // of a sample in a round

// Written by each thread before a run, so that the run does not find in the cores' own caches what in a step other
// nodes have driven out of them.
constexpr std::size_t kSweptBytes = 4 << 20;

using Samples = std::map<std::string, NodeSample>;

Samples missing_samples(const Program& program, const Rates& rates) {
  Samples samples;
  for (const NamedGraph& named : program.graphs) {
    for (const Node& node : named.graph.nodes) {
      NodeSample sample = sample_of(named.graph, node, rates.threads);
      std::string name = name_of(sample);
      if (!rates.nodes.contains(name)) samples.try_emplace(std::move(name), std::move(sample));
    }
  }
  return samples;
}

// Memory that one sample after the other uses, as much as the largest so far wanted.
class Room {
 public:
  std::byte* of(std::int64_t bytes) {
    if (bytes > bytes_) {
      memory_.reset();
      memory_ = allocate_zeroed(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::int64_t bytes_ = 0;
  AlignedBytes memory_;
};

// Real numbers near one, which no kernel finds special; integers spread over their range; positions zero.
void fill(const TensorSpec& spec, std::byte* data, std::int64_t integers) {
  constexpr std::uint32_t kOnes = 0x3f803f80;  // two bfloat16, or about one in float32
  const std::span<std::uint32_t> words(reinterpret_cast<std::uint32_t*>(data),
                                       static_cast<std::size_t>(spec.bytes() + 3) / 4);
  std::ranges::fill(words, is_real(spec.dtype) ? kOnes : 0);
  if (spec.dtype != DType::i32) return;
  constexpr std::uint32_t kGolden = 2654435769;  // of 2^32: multiples fill it evenly
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint32_t>(std::uint64_t{i * kGolden} * static_cast<std::uint64_t>(integers) >> 32);
  }
}

// Of rows of so many tokens, each a sample's own.
void fill_segments(std::int64_t tokens, const TensorView& segments) {
  const std::span<std::int32_t> numbers = segments.as<std::int32_t>();
  std::ranges::fill(numbers, 0);
  const std::int64_t of_a_row = segments.spec.shape[1] * Segments::kNumbers;
  for (std::int64_t i = 0; i < std::ssize(numbers); i += of_a_row) numbers[i + 1] = static_cast<std::int32_t>(tokens);
}

// A sample that is ready to run on the calling thread's team.
class SampleRun {
 public:
  SampleRun(const NodeSample& sample, Room& room) : executable_(graph_of(sample), threads()) {
    const Graph& graph = executable_.graph();
    std::vector<std::int64_t> offsets;
    std::int64_t end = 0;
    const auto place = [&](Value value) {
      offsets.push_back(end);
      end += align_up(graph.spec(value).bytes());
    };
    for (Value input : graph.inputs) place(input);
    const int overwritten = op_info(sample.op).overwritable_inputs;
    for (int i = 0; i < static_cast<int>(graph.outputs.size()); ++i) {
      if (i < overwritten) {
        offsets.push_back(offsets[i]);
      } else {
        place(graph.outputs[i]);
      }
    }
    std::byte* const memory = room.of(end + executable_.workspace_bytes());
    far_ = {memory, static_cast<std::size_t>(sample.from_far ? end : 0)};
    for (std::int64_t offset : offsets) tensors_.push_back(memory + offset);
    workspace_ = memory + end;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const TensorSpec& spec = graph.spec(graph.inputs[i]);
      if (op_info(sample.op).input(i).role == OperandRole::segments) {
        fill_segments(graph.spec(graph.outputs[0]).shape[1], {spec, tensors_[i]});
      } else {
        fill(spec, tensors_[i], sample.integers);
      }
    }
  }

  void operator()() { executable_.run(tensors_, workspace_); }

  // As other nodes of a step leave the caches.
  void prepare(std::span<std::byte> swept) const {
    clear_bytes(swept);
    leave_caches(far_);
  }

 private:
  Executable executable_;
  std::vector<std::byte*> tensors_;
  std::byte* workspace_ = nullptr;
  std::span<const std::byte> far_;  // what no cache holds
};

}  // namespace

bool calibrate_nodes(const Program& program, Replicas& replicas, Rates& rates) {
  rates.threads = replicas.threads_per_device();
  const Samples samples = missing_samples(program, rates);
  if (samples.empty()) return false;
  std::vector<const NodeSample*> pieces;
  for (const auto& [name, sample] : samples) pieces.push_back(&sample);
  replicas.run([&](int rank) {
    Room room;
    const AlignedBytes swept = allocate_zeroed(static_cast<std::int64_t>(kSweptBytes * threads()));
    Communicator& members = replicas.communicator(rank);
    const auto seconds_of_piece = [&](int piece) {
      SampleRun run(*pieces[piece], room);
      members.barrier();
      return fastest_seconds(run, kRuns, [&] { run.prepare({swept.get(), kSweptBytes * threads()}); });
    };
    const std::vector<double> seconds = medians_of_rounds(static_cast<int>(pieces.size()), members, seconds_of_piece);
    if (rank > 0) return;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Graph graph = graph_of(*pieces[i]);
      rates.nodes[name_of(*pieces[i])] = work_of(graph, graph.nodes[0]) / seconds[i];
    }
  });
  return true;
}

}  // namespace phasor
