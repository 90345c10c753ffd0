// One of several structs of options, chosen by its name: the value of a key such as model.architecture. Each has
// kName and lists the keys that come with it in visit_fields.
#pragma once

#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "models/fields/facts.h"

namespace phasor::fields {

// Calls body(alternative) for each, with defaults, in their order.
template <class... Alternatives, class Body>
void for_each_alternative(const std::variant<Alternatives...>&, Body body) {
  (body(Alternatives{}), ...);
}

template <class... Alternatives>
std::string name_of(const std::variant<Alternatives...>& chosen) {
  return std::visit([](const auto& alternative) { return std::string(alternative.kName); }, chosen);
}

template <class... Alternatives>
std::vector<std::string> names_of_all(const std::variant<Alternatives...>&) {
  return {std::string(Alternatives::kName)...};
}

// Makes `chosen` the alternative of that name, with defaults where it was another one; false where there is none.
template <class... Alternatives>
bool choose(std::variant<Alternatives...>& chosen, std::string_view name) {
  if (name == name_of(chosen)) return true;
  bool found = false;
  for_each_alternative(chosen, [&](const auto& alternative) {
    if (name != alternative.kName) return;
    chosen = alternative;
    found = true;
  });
  return found;
}

// The alternatives, by name, that have the key.
template <class... Alternatives>
std::vector<std::string> names_with_key(const std::variant<Alternatives...>& chosen, std::string_view key) {
  std::vector<std::string> names;
  for_each_alternative(chosen, [&](const auto& alternative) {
    visit_fields(alternative, [&](std::string_view own, const auto&, const Facts&) {
      if (own == key) names.emplace_back(alternative.kName);
    });
  });
  return names;
}

template <class Field>
inline constexpr bool is_choice = false;
template <class... Alternatives>
inline constexpr bool is_choice<std::variant<Alternatives...>> = true;

// Throws UserError where `key`, which `config` does not have, would come with another choice: it names that.
template <class Config>
void refuse_key_of_others(const Config& config, const std::string& key, const std::string& source) {
  visit_fields(config, [&](const char* choice, const auto& field, const Facts&) {
    if constexpr (is_choice<std::decay_t<decltype(field)>>) {
      const std::vector<std::string> owners = names_with_key(field, key);
      check(owners.empty(), "config: unknown key '{}' in {}: it is one of {} {}, this is {}", key, source, choice,
            fmt::join(owners, " and "), name_of(field));
    }
  });
}

}  // namespace phasor::fields
