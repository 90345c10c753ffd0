// For tests/cli/h5py_test.py: trains a small BERT, writes its checkpoint, and beside it every tensor as the trainer has
// it, past HDF5: raw float32 in FOLDER/GROUP/NAME.
#include <filesystem>
#include <fstream>

#include "models/checkpoint/checkpoint.h"
#include "tests/support/training_run.h"

int main(int argc, char** argv) {
  using namespace phasor;
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  test::RunOptions options;
  options.execution = {.replicas = 2, .accumulation = 2, .rts_threshold = 100};
  options.steps = 3;
  options.finish = [&](const Stages& stages, const ModelState& state) {
    run::save_checkpoint(folder + "/checkpoint.h5", stages, state, {.step = 3, .samples = 144, .seed = 1234});
    for (StateKind kind : kSavedStates) {
      const std::string group = folder + "/" + state_info(kind).name;
      std::filesystem::create_directory(group);
      for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
        const std::vector<float> values = state.read(kind, tensor);
        std::ofstream(group + "/" + tensor.name, std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * 4));
      }
    }
  };
  test::run_training(options);
  return 0;
}
