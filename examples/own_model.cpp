// A model of one's own, trained in phases under a budget: two hidden layers learn which class a point is of.
#include <cstdio>
#include <phasor/phasor.h>

using namespace phasor;

Stages make_model(std::int64_t rows) {
  Stage first{.name = "first", .prefix = "first."}, head{.name = "head", .prefix = "head."};
  StageBuilder a(first), b(head);
  const Value points = a.batch("points", {DType::f32, {rows, 2}});
  a.activation_out(a.relu(layers::uniform_linear(a, "fc", points, 64)));
  const Value x = b.activation_in(a.spec(first.y));
  const Value logits = layers::uniform_linear(b, "fc", b.relu(layers::uniform_linear(b, "hidden", x, 32)), 2);
  const Value labels = b.batch("labels", {DType::i32, {rows}});
  b.loss(b.cross_entropy(logits, labels, b.batch("label_weights", {DType::f32, {rows}})));
  return {first, head};
}

int main() try {
  own::Training training(make_model(32), {{"training.steps", "400"},
                                          {"training.global_batch_size", "64"},
                                          {"training.optimizer.learning_rate.maximum", "1e-2"},
                                          {"execution.device_memory", "256KiB"}});
  std::vector<float> points(2 * 64);
  std::vector<std::int32_t> labels(64);
  double loss = 0;
  for (int step = 0; step < 400; ++step) {
    fill_normal(7, static_cast<std::uint32_t>(step), 1, points);
    for (int i = 0; i < 64; ++i) labels[i] = points[2 * i] * points[2 * i + 1] > 0;
    loss = training.step(
        {{"points", {{DType::f32, {64, 2}}, points.data()}}, {"labels", {{DType::i32, {64}}, labels.data()}}});
  }
  std::printf("loss %.3f, %ld bytes of the device\n", loss, static_cast<long>(training.measured_peak_bytes()));
  return loss < 0.3 ? 0 : 1;
} catch (const UserError& mistake) {
  std::fprintf(stderr, "%s\n", mistake.what());
  return 2;
}
