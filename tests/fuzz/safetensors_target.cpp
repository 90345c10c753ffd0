#include "io/files/text_file.h"
#include "io/safetensors/safetensors.h"
#include "io/safetensors/safetensors_writer.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_file.h"

namespace phasor::fuzz {

namespace {

std::string file_of(io::StoredType type) {
  InputFile file;
  io::SafetensorsWriter writer(file.path(), type,
                               {{"bert.weight", {3, 4}}, {"é", {2, 1, 1, 2}}, {"none", {0, 7}}, {"one", {}}});
  for (const std::size_t elements : {12, 4, 0, 1}) writer.write(std::vector<float>(elements, 0.5f));
  writer.close();
  return io::read_file("fuzz", file.path());
}

std::string with_header(const std::string& header) {
  const std::uint64_t bytes = header.size();
  return std::string(reinterpret_cast<const char*>(&bytes), sizeof(bytes)) + header;
}

}  // namespace

std::vector<std::string> seeds() {
  return {file_of(io::StoredType::f32), file_of(io::StoredType::f16), file_of(io::StoredType::bf16),
          with_header(R"({"a":{"dtype":"BOOL","shape":[1,2],"data_offsets":[0,2]},"b":{"dtype":"F32","shape":[0],)"
                      R"("data_offsets":[2,2]}})") +
              "xy",
          with_header(R"({"a":{"shape":)" + std::string(kMostInputBytes - 99, '['))};
}

std::vector<std::string> words() {
  return {"\"__metadata__\":{}",
          "\"dtype\":",
          "\"shape\":",
          "\"data_offsets\":",
          "\"F32\"",
          "\"BF16\"",
          "\"F16\"",
          "\"I64\"",
          "\"F8_E5M2\"",
          "[0,0]",
          "[0,4]",
          "[",
          "]",
          "{",
          "}",
          ",",
          ":",
          "0",
          "4294967296",
          "9223372036854775807",
          "18446744073709551615",
          "-1",
          "1e9",
          "\xff",
          "\\n",
          "null",
          "true"};
}

void read_input(const std::string& path) {
  const io::SafetensorsFile file(path);
  for (const io::StoredTensor& tensor : file.tensors()) {
    ensure(file.find(tensor.name) == &tensor, "fuzz: a tensor is not found by its name");
    const auto type = io::find_stored_type(tensor.dtype);
    if (!type) continue;
    std::vector<float> values(static_cast<std::size_t>((tensor.end - tensor.begin) / io::size_of(*type)));
    file.read(tensor, values);
  }
}

}  // namespace phasor::fuzz
