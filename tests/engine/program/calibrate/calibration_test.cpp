#include "engine/program/calibrate/calibration.h"

#include <gtest/gtest.h>
#include <utility>

#include "engine/program/simulate/simulator.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

TEST(Calibration, MeasuresEveryNodeOnce) {
  const Program program = small_program(2);  // adds 8 floats, and 4
  Replicas replicas(2, 1);
  Rates rates;
  EXPECT_TRUE(calibrate_nodes(program, replicas, rates));
  EXPECT_EQ(rates.nodes.size(), 2u);
  for (const NamedGraph& named : program.graphs) {
    EXPECT_GT(seconds_of(named.graph, rates), 0);
  }
  const Rates before = rates;
  EXPECT_FALSE(calibrate_nodes(program, replicas, rates));
  EXPECT_EQ(rates.nodes, before.nodes);
}

// Kernels prove that ids are within the table, of which a slice is a part.
TEST(Calibration, MeasuresTablesAndTheirSlices) {
  constexpr std::int64_t kEntries = 100, kWhole = 350, kIds = 64, kColumns = 8;
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {kIds, kColumns}}, "x");
  const Value table = graph.add_input({DType::f32, {kEntries, kColumns}}, "table");
  const Value ids = graph.add_input({DType::i32, {kIds}}, "ids");
  const Value position = graph.add_input({DType::i64, {5}}, "position");
  for (const std::int64_t whole : {std::int64_t{0}, kWhole}) {
    const EmbeddingAttributes attributes{.entries = kEntries, .whole = whole};
    const Value at = whole > 0 ? position : Value{};
    graph.outputs.push_back(whole > 0 ? b.embedding_slice(x, table, ids, position, attributes)
                                      : b.embedding(table, ids, attributes));
    graph.outputs.push_back(b.embedding_gradient(ids, x, attributes, at));
    graph.outputs.push_back(b.embedding_gradient_add(table, ids, x, attributes, at));
  }
  Program program;
  program.graphs.push_back({"tables", GraphKind::forward, graph});
  Replicas replicas(1, 1);
  Rates rates;
  EXPECT_TRUE(calibrate_nodes(program, replicas, rates));
  EXPECT_EQ(rates.nodes.size(), 6u);
  EXPECT_GT(seconds_of(graph, rates), 0);
}

// Likewise of labels.
TEST(Calibration, MeasuresVocabulariesAndTheirSlices) {
  constexpr std::int64_t kWidth = 8, kTokens = 6;
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {kTokens, kWidth}}, "x");
  const Value weight = graph.add_input({DType::f32, {kVocabularyBlock, kWidth}}, "weight");
  const Value labels = graph.add_input({DType::i32, {kTokens}}, "labels");
  const Value label_weights = graph.add_input({DType::f32, {kTokens}}, "label_weights");
  const Value position = graph.add_input({DType::i64, {5}}, "position");
  for (const std::int64_t whole : {std::int64_t{0}, 2 * kVocabularyBlock - 1}) {
    const VocabularyAttributes attributes{.whole = whole};
    const Builder::VocabularySlice slice{whole > 0 ? position : Value{}, {}};
    const Value sums = b.vocabulary_sums(x, weight, labels, label_weights, attributes, slice);
    graph.outputs.push_back(b.vocabulary_gradient(x, weight, labels, sums, attributes, slice).dx);
    graph.outputs.push_back(b.vocabulary_gradient_add(weight, x, weight, labels, sums, attributes, slice).dweight);
  }
  Program program;
  program.graphs.push_back({"vocabularies", GraphKind::forward, graph});
  Replicas replicas(1, 1);
  Rates rates;
  EXPECT_TRUE(calibrate_nodes(program, replicas, rates));
  EXPECT_EQ(rates.nodes.size(), 6u);
}

TEST(Calibration, MeasuresLinks) {
  for (int count : {1, 3}) {
    Replicas replicas(count, 1);
    RemoteMemory memory(memory_store(), count);
    Rates rates;
    calibrate_links(small_program(count), replicas, memory, rates);
    for (const LinkRate* link : {&rates.clear, &rates.load, &rates.store}) EXPECT_GT(link->bytes_per_second, 0);
    for (const LinkRate* link : {&rates.gather, &rates.reduce_scatter, &rates.all_reduce}) {
      EXPECT_EQ(link->bytes_per_second > 0, count > 1);
    }
    for (const LinkRate* link : {&rates.clear, &rates.load, &rates.store}) {
      double bytes = 0;
      for (const TimedBytes& timed : link->measured) {
        EXPECT_GT(timed.bytes, std::exchange(bytes, timed.bytes));
        EXPECT_GT(timed.seconds, 0);
      }
      EXPECT_EQ(bytes, 8 << 20);
      EXPECT_EQ(link->cores, 0);  // of what is waited for at once
    }
  }
}

// Memory is copied by a core.
TEST(Calibration, MeasuresTheCoresOfTransfers) {
  Program program = small_program(1);
  Step first = program.steps[0];
  first.issues = true;
  program.steps.set(0, first);
  Replicas replicas(1, 1);
  RemoteMemory memory(memory_store(), 1);
  Rates rates;
  calibrate_links(program, replicas, memory, rates);
  for (const LinkRate* link : {&rates.load, &rates.store}) {
    EXPECT_GT(link->cores, 0);
    EXPECT_LE(link->cores, 1);
  }
  EXPECT_EQ(rates.clear.cores, 0);
}

}  // namespace
}  // namespace phasor::test
