// What is timed in place of a program's nodes, over programs of every kind that a configuration can ask for.
#include <gtest/gtest.h>
#include <map>

#include "engine/ir/verifier.h"
#include "engine/plan/cost.h"
#include "engine/program/simulate/node_sample.h"
#include "engine/runtime/executable.h"
#include "models/plan/planned_run.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

RunConfig small_run() {
  RunConfig config;
  config.model = bert::Config{.layers = 2,
                              .hidden_size = 64,
                              .heads = 2,
                              .intermediate_size = 128,
                              .sequence_length = 32,
                              .max_positions = 32,
                              .vocab_size = 1000};
  config.training.global_batch_size = 8;
  config.execution.micro_batch_size = 4;
  config.execution.threads_per_replica = 1;
  config.execution.prefetch_depth = 0;
  return config;
}

using Change = void (*)(RunConfig&);

constexpr Change kSizes[] = {
    [](RunConfig&) {},
    [](RunConfig& c) { test::bert_of(c).vocab_size = 30522; },
    [](RunConfig& c) {
      test::bert_of(c).hidden_size = 4000;
      test::bert_of(c).heads = 125;
    },
    [](RunConfig& c) {
      test::bert_of(c).hidden_size = 20000;
      test::bert_of(c).heads = 100;
      test::bert_of(c).intermediate_size = 80000;
    },
    [](RunConfig& c) {
      test::bert_of(c).hidden_size = 10007;
      test::bert_of(c).heads = 1;
      test::bert_of(c).intermediate_size = 3;
    },
    [](RunConfig& c) {
      test::bert_of(c).hidden_size = 64 * 1087;
      test::bert_of(c).heads = 1087;
      test::bert_of(c).vocab_size = 3000000;
    },
    [](RunConfig& c) { test::bert_of(c).sequence_length = test::bert_of(c).max_positions = 100003; },
    [](RunConfig& c) {
      test::bert_of(c).sequence_length = test::bert_of(c).max_positions = 1 << 15;
      test::bert_of(c).hidden_size = 3 << 20;
      test::bert_of(c).heads = 3;
    },
    [](RunConfig& c) {
      test::bert_of(c).sequence_length = test::bert_of(c).max_positions = 1;
      c.execution.micro_batch_size = c.training.global_batch_size = 1 << 20;
    },
};
constexpr Change kWays[] = {
    [](RunConfig&) {},
    [](RunConfig& c) { c.execution.embedding_serialization_factor = 4; },
    [](RunConfig& c) {
      c.execution.embedding_serialization_factor = 3;
      c.precision = Precision::bfloat16;
      c.execution.recompute = Recompute::layer;
    },
    [](RunConfig& c) {
      c.precision = Precision::bfloat16;
      c.training.optimizer.stochastic_rounding = true;
    },
    [](RunConfig& c) {
      c.training.optimizer.max_grad_norm = 1;
      c.execution.reproducible = true;
    },
    [](RunConfig& c) { c.execution.mode = Mode::monolithic; },
};

// The graphs of programs of all sizes in all ways.
const std::vector<NamedGraph>& graphs() {
  static const std::vector<NamedGraph> kGraphs = [] {
    std::vector<NamedGraph> all;
    for (const Change size : kSizes) {
      for (const Change way : kWays) {
        RunConfig config = small_run();
        size(config);
        way(config);
        std::ranges::move(plan_run(settle_defaults(config)).pipeline.devices[0].graphs, std::back_inserter(all));
      }
    }
    return all;
  }();
  return kGraphs;
}

// Calls check(graph, node, sample) for every node of these.
template <class Check>
void for_each_sample(Check check) {
  for (const NamedGraph& named : graphs()) {
    for (const Node& node : named.graph.nodes) check(named.graph, node, sample_of(named.graph, node, 2));
  }
}

constexpr double kMostFlops = 2 * 6.25e8;

TEST(NodeSamples, AreSoundAndSmall) {
  for_each_sample([](const Graph&, const Node& node, const NodeSample& sample) {
    const Graph alone = graph_of(sample);
    verify(alone);
    ASSERT_EQ(alone.nodes.size(), 1u);
    EXPECT_EQ(alone.nodes[0].op, node.op);
    EXPECT_LE(bytes_of(sample), kMostSampleBytes) << name_of(sample);
    EXPECT_LE(cost_of(alone).flops, 2.5 * kMostFlops) << name_of(sample);  // a gradient of attention has 5 products
  });
}

// On whatever this machine has to multiply with, those of sizes that people use can be prepared.
TEST(NodeSamples, ArePreparedByThisMachine) {
  for (const Mode mode : {Mode::phased, Mode::monolithic}) {
    RunConfig config = small_run();
    bert::Config& model = test::bert_of(config);
    model.layers = 12;
    model.hidden_size = 768;
    model.heads = 12;
    model.intermediate_size = 3072;
    config.execution.mode = mode;
    const PlannedRun planned = plan_run(settle_defaults(config));
    for (const NamedGraph& named : planned.pipeline.devices[0].graphs) {
      for (const Node& node : named.graph.nodes) {
        const NodeSample sample = sample_of(named.graph, node, 2);
        EXPECT_NO_THROW(Executable(graph_of(sample), 1)) << name_of(sample);
      }
    }
  }
}

// A node of that size stands for itself and a smaller one of the same kind does, unless it is made larger: a vector.
TEST(NodeSamples, StandForNodesOfTheSameWork) {
  for_each_sample([](const Graph& graph, const Node& node, const NodeSample& sample) {
    const Graph alone = graph_of(sample);
    const NodeSample again = sample_of(alone, alone.nodes[0], 2);
    EXPECT_EQ(name_of(again), name_of(sample));
    const double work = work_of(graph, node), sampled = work_of(alone, alone.nodes[0]);
    EXPECT_GT(sampled, 0) << name_of(sample);
    const bool is_vector = !sample.inputs.empty() && sample.inputs.back().shape.rank() == 1;
    EXPECT_TRUE(is_vector || sampled <= work * 1.001) << name_of(sample);
  });
}

TEST(NodeSamples, OfOneNameAreTheSameWork) {
  std::map<std::string, double> work;
  for_each_sample([&](const Graph&, const Node&, const NodeSample& sample) {
    const Graph alone = graph_of(sample);
    const double sampled = work_of(alone, alone.nodes[0]);
    EXPECT_EQ(work.try_emplace(name_of(sample), sampled).first->second, sampled) << name_of(sample);
  });
}

// A row of a packed micro-batch is timed and counted as the rows of samples that it takes the place of.
TEST(NodeSamples, AttentionAmongPackedSamplesIsThatInRowsOfTheirOwn) {
  const auto attention_of = [](bool packing) {
    RunConfig config = small_run();
    test::squad_of(config).packing = packing;
    std::map<std::string, double> work;
    const PlannedRun planned = plan_run(settle_defaults(config));
    for (const NamedGraph& named : planned.pipeline.devices[0].graphs) {
      for (const Node& node : named.graph.nodes) {
        if (node.op != Op::attention && node.op != Op::attention_gradient) continue;
        work.emplace(name_of(sample_of(named.graph, node, 2)), work_of(named.graph, node));
      }
    }
    return work;
  };
  const std::map<std::string, double> packed = attention_of(true);
  EXPECT_EQ(packed.size(), 2u);
  EXPECT_EQ(packed, attention_of(false));
}

// Ids are within what they count, and the tables that they name rows of are cold.
TEST(NodeSamples, KnowWhatTheirIntegersCountAndWhatComesFromFar) {
  int tables = 0;
  for_each_sample([&](const Graph&, const Node& node, const NodeSample& sample) {
    const auto* embedding = std::get_if<EmbeddingAttributes>(&sample.attributes);
    EXPECT_EQ(sample.from_far, embedding != nullptr || node.op == Op::pack) << name_of(sample);
    if (embedding == nullptr) return;
    ++tables;
    EXPECT_EQ(sample.integers, embedding->whole > 0 ? embedding->whole : embedding->entries) << name_of(sample);
    EXPECT_GE(sample.integers, embedding->entries) << name_of(sample);
  });
  EXPECT_GT(tables, 100);
}

}  // namespace
}  // namespace phasor::run
