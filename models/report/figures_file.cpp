#include "models/report/figures_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"

namespace phasor::run {

void write_figures(const std::string& path, std::span<const io::Figure> figures) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const io::Figure& figure : figures) {
    ensure(!figure.picture.empty(), "report: the figure '{}' has no picture", figure.title);
    list.push_back({{"title", figure.title},
                    {"note", figure.note},
                    {"whole_width", figure.whole_width},
                    {"picture", figure.picture}});
  }
  io::write_file_atomically(path, list.dump(1) + '\n');
}

std::vector<io::Figure> read_figures(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  std::vector<io::Figure> figures;
  try {
    for (const nlohmann::json& figure : nlohmann::json::parse(io::read_file("report", path))) {
      figures.push_back({.title = figure.at("title"),
                         .note = figure.at("note"),
                         .whole_width = figure.at("whole_width"),
                         .picture = figure.at("picture")});
    }
  } catch (const nlohmann::json::exception&) {
    throw UserError(fmt::format("report: '{}' is damaged. It may be removed", path));
  }
  return figures;
}

}  // namespace phasor::run
