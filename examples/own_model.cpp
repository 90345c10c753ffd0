// A model of one's own, trained in phases under a budget, then asked: is the product of two numbers above zero?
#include <cstdio>
#include <phasor/phasor.h>

using namespace phasor;

Stages make_model(std::int64_t rows, bool training) {  // `rows` samples a micro-batch
  Stage first{.name = "first", .prefix = "first."}, head{.name = "head", .prefix = "head."};
  StageBuilder a(first), b(head);
  const Value points = a.batch("points", {DType::f32, {rows, 2}});
  a.activation_out(a.relu(layers::uniform_linear(a, "fc", points, 64)));
  const Value x = b.activation_in(a.spec(first.y));
  const Value y = layers::uniform_linear(b, "fc", b.relu(layers::uniform_linear(b, "hidden", x, 32)), 2);
  if (!training) b.result("logits", y);
  if (!training) return {first, head};
  b.loss(b.cross_entropy(y, b.batch("labels", {DType::i32, {rows}}), b.batch("label_weights", {DType::f32, {rows}})));
  return {first, head};
}

int main() try {
  own::Training training(make_model(32, true), {{"training.steps", "400"},
                                                {"training.global_batch_size", "64"},
                                                {"training.optimizer.learning_rate.maximum", "1e-2"},
                                                {"execution.device_memory", "256KiB"}});
  std::vector<float> points(2 * 64);
  std::vector<std::int32_t> labels(64);
  const TensorView x{{DType::f32, {64, 2}}, points.data()}, y{{DType::i32, {64}}, labels.data()};
  for (int step = 0; step <= 400; ++step) {  // the last draw is not trained on
    fill_normal(7, static_cast<std::uint32_t>(step), 1, points);
    for (int i = 0; i < 64; ++i) labels[i] = points[2 * i] * points[2 * i + 1] > 0;
    if (step < 400) training.step({{"points", x}, {"labels", y}});
  }
  const std::vector<float> logits = training.predict(make_model(32, false), {{"points", x}}).at("logits");
  int right = 0;
  for (int i = 0; i < 64; ++i) right += (logits[2 * i + 1] > logits[2 * i]) == (labels[i] == 1);
  std::printf("%d of 64 right, %ld bytes of the device\n", right, static_cast<long>(training.measured_peak_bytes()));
  return right > 56 ? 0 : 1;
} catch (const UserError& mistake) {
  return std::fprintf(stderr, "%s\n", mistake.what()), 2;
}
