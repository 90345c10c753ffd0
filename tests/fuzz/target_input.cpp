#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static phasor::fuzz::InputFile file;
  file.set({reinterpret_cast<const char*>(data), size});
  try {
    phasor::fuzz::read_input(file.path());
  } catch (const phasor::UserError& error) {
    const std::string_view message = error.what();
    phasor::ensure(!message.empty() && message.find('\n') == message.npos, "fuzz: the message '{}' is not one line",
                   message);
  }
  return 0;
}
