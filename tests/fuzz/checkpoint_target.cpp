// Checkpoints: read as a run that goes on reads them, and as `inspect` does.
#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/checkpoint/summary.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_file.h"

namespace phasor::fuzz {

namespace {

struct SmallModel {
  Stages stages = bert::training_stages({.layers = 1,
                                         .hidden_size = 4,
                                         .heads = 2,
                                         .intermediate_size = 4,
                                         .sequence_length = 4,
                                         .max_positions = 4,
                                         .vocab_size = 5},
                                        1);
  RemoteMemory memory{memory_store(), 1};
  ModelState state{stages, memory, 100};
};

std::string checkpoint_of(const io::Hdf5Storage& storage) {
  InputFile file;
  SmallModel model;
  model.state.initialise(1);
  const run::RunPosition position{.step = 20, .samples = 320, .seed = 7, .config = "model: {layers: 1}"};
  run::save_checkpoint(file.path(), model.stages, model.state, position, storage);
  return io::read_file("fuzz", file.path());
}

void read_checkpoint(const std::string& path) {
  static SmallModel model;
  const run::RunPosition position = run::read_position(path);
  ensure(position.step >= 0 && position.epoch() >= 0, "fuzz: at step {}, epoch {}", position.step, position.epoch());
  try {
    run::load_checkpoint(path, model.stages, model.state);
  } catch (const UserError&) {
    run::summarise_tensors(path);  // asks for less
  }
  run::compare_checkpoints(path, path);
}

}  // namespace

std::vector<std::string> seeds() { return {checkpoint_of({}), checkpoint_of({.deflate = 1})}; }

std::vector<std::string> words() {
  return {"OHDR",
          "FRHP",
          "FHDB",
          "BTHD",
          "BTLF",
          "weight",
          "moment1",
          "bert.",
          "step",
          "version",
          "format",
          "config",
          std::string(8, '\xff'),
          std::string(8, '\0'),
          std::string("\0\0\0\0\0\0\0\x10", 8)};
}

void read_input(const std::string& path) { read_checkpoint(path); }

}  // namespace phasor::fuzz
