#include "models/ipu_config/ipu_config.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace phasor::ipu {
namespace {
namespace ipu_config_test {

template <class Mistake = UserError, class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const Mistake& mistake) {
    return mistake.what();
  }
  return "";
}

IpuConfig with(const std::string& text) {
  IpuConfig config;
  config.update_from_string(text);
  return config;
}

IpuConfig parse(const std::string& json) { return IpuConfig::parse(json); }

TEST(IpuConfig, HasItsDefaults) {
  const IpuConfig config;
  config.check();
  EXPECT_EQ(config.get("layers_per_ipu").dump(), "[-1]");
  EXPECT_EQ(config.get("matmul_proportion"), 0.2);
  EXPECT_EQ(config.get("enable_half_partials"), true);
  EXPECT_EQ(config.get("optimizer_state_offchip"), false);
  EXPECT_EQ(config.get("output_mode"), "final");
  EXPECT_TRUE(config.get("seed").is_null());
  EXPECT_EQ(config.ipus_per_replica(Use::training), 1);
  EXPECT_EQ(config.batch_size_factor(Use::training), 1);
}

// Every field: a value that it takes, one of another type and, where there is a range, one outside of it.
TEST(IpuConfig, FieldsTakeTheirTypeAndRange) {
  for (const Field& field : fields()) {
    const std::string name(field.name);
    IpuConfig config;
    const auto set = [&](const char* json) { return [&, json] { config.set(name, Json::parse(json)); }; };
    const char *good = "3", *foreign = "\"three\"", *outside = field.least > 0 ? "0" : "-1";
    if (field.kind == FieldKind::boolean) good = "true", foreign = "1";
    if (field.kind == FieldKind::real_or_reals) good = "0.6", foreign = "[0.5, \"x\"]", outside = "-0.1";
    if (field.kind == FieldKind::wholes) good = "[3, 1]", foreign = "[1, 2.5]", outside = "[1, -2]";
    if (field.kind == FieldKind::text) good = "\"all\"", foreign = "3";
    if (field.kind == FieldKind::object) good = "{\"a\": 1}", foreign = "[1]";
    EXPECT_EQ(error_of(set(good)), "") << name;
    EXPECT_EQ(config.get(name), Json::parse(good)) << name;
    EXPECT_NE(error_of<TypeMistake>(set(foreign)).find("ipu_config: " + name + " is "), std::string::npos) << name;
    if (field.bounded) {
      EXPECT_NE(error_of(set(outside)).find("or more"), std::string::npos) << name;
    }
    EXPECT_EQ(config.get(name), Json::parse(good)) << name << " after a mistake";
    EXPECT_EQ(error_of<TypeMistake>(set("null")).empty(), field.optional) << name;
  }
}

TEST(IpuConfig, MistakesAreTold) {
  EXPECT_EQ(error_of<Incompatible>([] { parse(R"({"layers": 3, "ipus": "x"})"); }),
            "ipu_config: an IPUConfig has no such fields: layers = 3, ipus = \"x\"");
  EXPECT_EQ(error_of([] { parse(R"({"replication_factor": 0})"); }),
            "ipu_config: replication_factor is 0, expected 1 or more, and 2147483647 at most");
  EXPECT_EQ(error_of<TypeMistake>([] { parse(R"({"layers_per_ipu": [1, true]})"); }),
            "ipu_config: layers_per_ipu is [1,true], expected a list of whole numbers");
  EXPECT_EQ(error_of([] { parse(R"({"output_mode": "some"})"); }),
            "ipu_config: output_mode \"some\" is unknown; expected all, sum, final or default");
  EXPECT_EQ(error_of<TypeMistake>([] { parse(R"({"replication_factor": {"pod4": 1, "default": 2}})"); }),
            "ipu_config: replication_factor is {\"pod4\":1,\"default\":2}, expected a whole number. Choose the one for "
            "your machine");
  EXPECT_EQ(error_of<TypeMistake>([] { parse(R"({"seed": {"a": 1}})"); }),
            "ipu_config: seed is {\"a\":1}, expected a whole number, or null");
  EXPECT_EQ(error_of([] { IpuConfig().layer_ipus(-1); }), "ipu_config: a model of -1 layers, expected 0 to 1000000");
  EXPECT_EQ(error_of([] { parse("[1]"); }), "ipu_config: this is no JSON object of an IPUConfig's fields");
  EXPECT_EQ(error_of([] { parse("{"); }), "ipu_config: this is no JSON object of an IPUConfig's fields");
}

TEST(IpuConfig, FieldsMustAgree) {
  EXPECT_EQ(error_of<Incompatible>([] { parse(R"({"layers_per_ipu": [1, 2], "ipus_per_replica": 4})"); }),
            "ipu_config: layers_per_ipu [1,2] is for 2 IPUs, ipus_per_replica is 4");
  EXPECT_EQ(error_of<Incompatible>([] { parse(R"({"matmul_proportion": [0.1, 0.2], "ipus_per_replica": 4})"); }),
            "ipu_config: matmul_proportion [0.1,0.2] is for 2 IPUs, ipus_per_replica is 4");
  const std::string splits = R"("ipus_per_replica": 3, "serialized_embedding_splits_per_ipu": )";
  EXPECT_EQ(error_of([&] { parse("{" + splits + "[1, 0, 2]}"); }),
            "ipu_config: serialized_embedding_splits_per_ipu [1,0,2] has zeros between splits");
  EXPECT_EQ(error_of([&] { parse("{" + splits + "[0, 0, 0]}"); }),
            "ipu_config: serialized_embedding_splits_per_ipu [0,0,0] has no split, expected one at least");
  EXPECT_EQ(error_of<Incompatible>([&] { parse("{" + splits + "[1, 2]}"); }),
            "ipu_config: serialized_embedding_splits_per_ipu [1,2] is for 2 IPUs, ipus_per_replica is 3");
  EXPECT_EQ(error_of<Incompatible>([&] { parse("{" + splits + R"([1, 2, 0], "embedding_serialization_factor": 2})"); }),
            "ipu_config: serialized_embedding_splits_per_ipu [1,2,0] and embedding_serialization_factor 2 say the same "
            "thing twice. Leave one out");
  EXPECT_EQ(error_of([&] { parse("{" + splits + "[0, 2, 1]}"); }), "");
}

TEST(IpuConfig, PlacesLayers) {
  using Ipus = std::vector<int>;
  EXPECT_EQ(with("layers_per_ipu=[-1 2 -1 2]").layer_ipus(7), (Ipus{0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(parse(R"({"ipus_per_replica": 2})").layer_ipus(7), (Ipus{0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(IpuConfig().layer_ipus(3), (Ipus{0, 0, 0}));
  EXPECT_EQ(parse(R"({"ipus_per_replica": 1, "layers_per_ipu": [5, 6]})").layer_ipus(3), (Ipus{0, 0, 0}));
  EXPECT_EQ(error_of<Incompatible>([] { with("layers_per_ipu=[2 2]").layer_ipus(3); }),
            "ipu_config: layers_per_ipu [2,2] has 4 layers, the model has 3");
  EXPECT_EQ(error_of<Incompatible>([] { with("layers_per_ipu=[5 -1]").layer_ipus(3); }),
            "ipu_config: layers_per_ipu [5,-1] has 5 layers, the model has 3");
}

TEST(IpuConfig, InferenceHasItsOwn) {
  const IpuConfig config = parse(
      R"({"layers_per_ipu": [1, 2], "inference_layers_per_ipu": [3], "gradient_accumulation_steps": 8,
          "inference_device_iterations": 4, "inference_replication_factor": 2, "embedding_serialization_factor": 3,
          "matmul_proportion": 0.3})");
  EXPECT_EQ(config.ipus_per_replica(Use::training), 2);
  EXPECT_EQ(config.ipus_per_replica(Use::inference), 1);
  EXPECT_EQ(config.batch_size_factor(Use::training), 8);
  EXPECT_EQ(config.batch_size_factor(Use::inference), 8);
  EXPECT_TRUE(config.get("embedding_serialization_factor", Use::inference).is_null());
  EXPECT_EQ(config.get("matmul_proportion", Use::inference), 0.3);
}

TEST(IpuConfig, UpdatesFromAString) {
  IpuConfig config;
  config.update_from_string("replication_factor=2, layers_per_ipu = [1 2] ,enable_half_partials=no,output_mode=all");
  EXPECT_EQ(config.get("replication_factor"), 2);
  EXPECT_EQ(config.get("layers_per_ipu").dump(), "[1,2]");
  EXPECT_EQ(config.get("enable_half_partials"), false);
  const std::string before = config.to_json();
  const auto update = [&](const char* text) { return error_of([&, text] { config.update_from_string(text); }); };
  EXPECT_EQ(update("replicas=2"), "ipu_config: an IPUConfig has no field 'replicas'");
  EXPECT_EQ(update("seed=3"), "ipu_config: seed has no value, so that text does not say of which type it is to be");
  EXPECT_EQ(update("replication_factor"), "ipu_config: 'replication_factor' is no setting, as in name=value");
  EXPECT_EQ(update("enable_half_partials=maybe"), "ipu_config: enable_half_partials 'maybe' is neither true nor false");
  EXPECT_EQ(update("replication_factor=two"), "ipu_config: replication_factor 'two' is not a number");
  EXPECT_EQ(update("layers_per_ipu=3"), "ipu_config: layers_per_ipu '3' is no list, as in [1 2]");
  // What fields are to each other is looked at again, and nothing has changed.
  EXPECT_NE(update("replication_factor=4,matmul_proportion=0.1,layers_per_ipu=[]"), "");
  EXPECT_EQ(config.to_json(), before);
}

// As optimum-graphcore saves it, with what it says of itself.
TEST(IpuConfig, IsSavedWithoutLoss) {
  const phasor::test::TemporaryFolder folder;
  const std::string json = R"({"layers_per_ipu": [3, 3], "matmul_proportion": [0.22, 0.1],
    "optimum_version": "1.0.0", "seed": 0, "transformers_version": "4.18.0", "ipus_per_replica": null})";
  const IpuConfig config = parse(json);
  config.save(folder.file("a"));
  const IpuConfig again = IpuConfig::read(folder.file("a"));
  EXPECT_EQ(again.to_json(), config.to_json());
  const Json document = Json::parse(again.to_json());
  const Json given = Json::parse(json);
  for (const auto& [name, value] : given.items()) EXPECT_EQ(document.at(name), value) << name;
  EXPECT_EQ(IpuConfig::read(folder.file("a/ipu_config.json")).to_json(), config.to_json());
  std::ofstream(folder.file("a/ipu_config.json")) << R"({"seed": "x"})";
  EXPECT_EQ(error_of<TypeMistake>([&] { IpuConfig::read(folder.file("a")); }),
            "'" + folder.file("a/ipu_config.json") + "': ipu_config: seed is \"x\", expected a whole number, or null");
}

}  // namespace ipu_config_test
}  // namespace
}  // namespace phasor::ipu
