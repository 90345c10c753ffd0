// What a model reads does not depend on how many samples it reads at once.
#include <gtest/gtest.h>

#include "io/datasets/squad.h"
#include "models/squad/inputs.h"
#include "tests/support/letter_files.h"
#include "tests/support/run_parts.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::squad {
namespace {

using namespace phasor::test;

TEST(SquadMicroBatches, OfAnySizeGiveTheSameBits) {
  constexpr int kQuestions = 21;
  const TemporaryFolder folder;
  write_letter_files(folder.path(), kQuestions);
  run::RunConfig config = letter_run(folder.path());
  config.training.steps = 1;
  phasor::test::bert_of(config).initializer_range = 0.2f;
  // Rows of products as many as several pieces have, and sums as long as several blocks.
  phasor::test::bert_of(config).sequence_length = phasor::test::bert_of(config).max_positions = 96;
  phasor::test::bert_of(config).hidden_size = 128;
  phasor::test::bert_of(config).intermediate_size = 512;
  config.checkpoint.load = train_squad(config, "", folder.file("run")).checkpoint;
  const io::SquadData data = io::read_squad(config.data.dev, io::SquadAnswers::Required);
  for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
    SCOPED_TRACE(precision == Precision::bfloat16 ? "bfloat16" : "float32");
    config.precision = precision;
    const FeatureSamples features(load_features(run::settle_defaults(config), config.data.dev, true, io::silent()));
    const auto spans_of = [&](std::int64_t micro_batch_size, int replicas, std::int64_t samples) {
      run::RunConfig way = config;
      way.execution.micro_batch_size = micro_batch_size;
      way.execution.data_parallel = replicas;
      way.training.global_batch_size = micro_batch_size * replicas;
      run::TrainedModel model(run::settle_defaults(way), samples, micro_batch_size, io::silent());
      SpanSearch search(data, features.features(), span_settings(run::settle_defaults(way)));
      io::Progress unseen;
      search_spans(model, features, search, unseen);
      std::vector<std::vector<AnswerSpan>> spans;
      for (const Prediction& prediction : search.predictions()) spans.push_back(prediction.spans);
      return spans;
    };
    const auto expected = spans_of(1, 1, 1);
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(kQuestions));
    ASSERT_FALSE(expected[0].empty());
    for (const std::int64_t size : {2, 4, 5, 21, 64}) {
      EXPECT_EQ(spans_of(size, 1, features.size()), expected) << size;
    }
    EXPECT_EQ(spans_of(4, 3, features.size()), expected);
    EXPECT_EQ(spans_of(4, 1, 3), expected);  // given more than it was made for
  }
}

}  // namespace
}  // namespace phasor::squad
