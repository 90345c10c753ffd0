#include "models/digits/scores.h"

#include <algorithm>
#include <fmt/format.h>

#include "io/figures/image_grid.h"

namespace phasor::digits {

namespace {

using Confusion = std::vector<std::vector<std::int64_t>>;  // [label][digit]

Confusion confusion_of(const Images& images, std::span<const Reading> readings) {
  std::int32_t most = 9;
  for (const Reading& reading : readings) most = std::max(most, reading.digit);
  for (const std::uint8_t label : images.labels) most = std::max<std::int32_t>(most, label);
  const auto classes = static_cast<std::size_t>(most) + 1;
  Confusion confusion(classes, std::vector<std::int64_t>(classes));
  for (std::size_t i = 0; i < readings.size(); ++i) ++confusion[images.labels[i]][readings[i].digit];
  return confusion;
}

std::string table_text(const Confusion& confusion) {
  std::string text = "  is \\ read as";
  for (std::size_t digit = 0; digit < confusion.size(); ++digit) text += fmt::format("{:>6}", digit);
  text += '\n';
  for (std::size_t label = 0; label < confusion.size(); ++label) {
    text += fmt::format("{:>14}", label);
    for (const std::int64_t count : confusion[label])
      text += fmt::format("{:>6}", count > 0 ? fmt::to_string(count) : "·");
    text += '\n';
  }
  return text;
}

std::vector<std::size_t> wrong_ones(const Images& images, std::span<const Reading> readings) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (readings[i].digit != images.labels[i]) wrong.push_back(i);
  }
  std::ranges::stable_sort(wrong, std::greater{}, [&](std::size_t i) { return readings[i].probability; });
  return wrong;
}

io::Figure figure_of(const Images& images, std::span<const Reading> readings, std::span<const std::size_t> wrong) {
  constexpr std::size_t kMostShown = 40;
  constexpr int kAcross = 10;
  const auto shown = wrong.first(std::min(kMostShown, wrong.size()));
  const std::int64_t size = images.pixels_of_one();
  std::vector<io::GridImage> grid;
  for (const std::size_t i : shown) {
    const auto first = images.pixels.begin() + static_cast<std::int64_t>(i) * size;
    grid.push_back({.rows = images.rows,
                    .columns = images.columns,
                    .ink = {first, first + size},
                    .caption = fmt::format("{}, not {}: {:.0f} %", images.labels[i], readings[i].digit,
                                           100 * readings[i].probability)});
  }
  return {.title = "Images that were got wrong",
          .note = fmt::format("{} of {}, {}. Below each what it is, what it was taken for, and how sure the model was",
                              wrong.size(), readings.size(),
                              shown.size() < wrong.size()
                                  ? fmt::format("the {} of which the model was surest", shown.size())
                                  : "the model's surest first"),
          .whole_width = true,
          .draw = {},
          .picture = io::draw_image_grid("Images that were got wrong", grid, kAcross)};
}

}  // namespace

run::Scores score(const Images& images, std::span<const Reading> readings) {
  const std::vector<std::size_t> wrong = wrong_ones(images, readings);
  const Confusion confusion = confusion_of(images, readings);
  const std::size_t right = readings.size() - wrong.size();
  const double accuracy = 100.0 * static_cast<double>(right) / static_cast<double>(readings.size());
  run::Scores scores{.values = {{"accuracy", accuracy}, {"images", readings.size()}, {"confusion", confusion}},
                     .logged = {"accuracy"},
                     .text = fmt::format("accuracy {:.2f} %: {} of {} images\n", accuracy, right, readings.size()) +
                             table_text(confusion)};
  if (!wrong.empty()) scores.figures.push_back(figure_of(images, readings, wrong));
  return scores;
}

}  // namespace phasor::digits
