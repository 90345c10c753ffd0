#include "engine/program/memory/slot_contents.h"

namespace phasor {

namespace {

struct Beginning {
  std::string_view text;
  Content content;
};

// Behind the slash of a slot's name; the first that fits counts.
constexpr Beginning kBeginnings[] = {
    {"w.", Content::weights},         {"rounded.", Content::weights},       {"gathered.g.", Content::gradients},
    {"gathered.", Content::weights},  {"packed", Content::packed_weights},  {"g.", Content::gradients},
    {"sum", Content::gradients},      {"partial_sums", Content::gradients}, {"m.", Content::moments},
    {"v.", Content::moments},         {"kept", Content::activations},       {"y_out", Content::activations},
    {"dx_out", Content::activations},
};
// Names of their own.
constexpr std::string_view kActivations[] = {"x", "y", "dy"};

}  // namespace

Content content_of_slot(std::string_view name) {
  const std::string_view what = name.substr(name.find('/') + 1);  // npos + 1 is 0
  for (const auto& [text, content] : kBeginnings) {
    if (what.starts_with(text)) return content;
  }
  const std::string_view plain = what.substr(0, what.find(kCopyMark));  // a copy's name is its slot's
  for (std::string_view activation : kActivations) {
    if (plain == activation) return Content::activations;
  }
  return Content::batch;
}

Content content_of(const Program& program, const Occupant& occupant) {
  return occupant.slot < 0 ? Content::workspace : content_of_slot(program.slots[occupant.slot].name);
}

}  // namespace phasor
