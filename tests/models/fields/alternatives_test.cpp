#include "models/fields/alternatives.h"

#include <gtest/gtest.h>

#include "tests/support/message.h"

namespace phasor::fields {
namespace {

struct Wheels {
  static constexpr const char* kName = "wheels";
  int diameter = 26;
};
struct Wings {
  static constexpr const char* kName = "wings";
  int span = 9, ribs = 12;
};

template <MaybeConst<Wheels> Any, class Visitor>
void visit_fields(Any& c, Visitor&& visit) {
  visit("vehicle.diameter", c.diameter, {"of a wheel"});
}
template <MaybeConst<Wings> Any, class Visitor>
void visit_fields(Any& c, Visitor&& visit) {
  visit("vehicle.span", c.span, {"from tip to tip"});
  visit("vehicle.ribs", c.ribs, {"of a wing"});
}

struct Config {
  std::variant<Wheels, Wings> vehicle;
  int seats = 4;
};

template <MaybeConst<Config> Any, class Visitor>
void visit_fields(Any& c, Visitor&& visit) {
  visit("vehicle.kind", c.vehicle, {"what carries it"});
  std::visit([&](auto& vehicle) { visit_fields(vehicle, visit); }, c.vehicle);
  visit("seats", c.seats, {"for people"});
}

TEST(Alternatives, AreChosenByName) {
  Config config;
  EXPECT_EQ(name_of(config.vehicle), "wheels");
  EXPECT_EQ(names_of_all(config.vehicle), (std::vector<std::string>{"wheels", "wings"}));
  EXPECT_FALSE(choose(config.vehicle, "legs"));
  EXPECT_EQ(name_of(config.vehicle), "wheels");
  EXPECT_TRUE(choose(config.vehicle, "wings"));
  EXPECT_EQ(std::get<Wings>(config.vehicle).span, 9);
}

TEST(Alternatives, TheOneThatIsChosenAlreadyStaysAsItIs) {
  Config config{.vehicle = Wheels{.diameter = 20}};
  EXPECT_TRUE(choose(config.vehicle, "wheels"));
  EXPECT_EQ(std::get<Wheels>(config.vehicle).diameter, 20);
}

TEST(Alternatives, AKeyOfAnotherChoiceIsRefusedWithItsName) {
  const auto refusal = [](const Config& config, const std::string& key) {
    return phasor::test::message_of([&] { refuse_key_of_others(config, key, "'my.yml'"); });
  };
  EXPECT_EQ(refusal({}, "vehicle.ribs"),
            "config: unknown key 'vehicle.ribs' in 'my.yml': it is one of vehicle.kind wings, this is wheels");
  EXPECT_EQ(refusal({.vehicle = Wings{}}, "vehicle.diameter"),
            "config: unknown key 'vehicle.diameter' in 'my.yml': it is one of vehicle.kind wheels, this is wings");
  EXPECT_EQ(refusal({}, "vehicle.colour"), "no error");
}

}  // namespace
}  // namespace phasor::fields
