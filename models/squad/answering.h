// Answers questions with a trained model: those of a SQuAD file, or one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/listener/listener.h"
#include "models/config/resolved_run.h"
#include "models/squad/inputs.h"

namespace phasor::squad {

// Answers the questions of the SQuAD file `data` with the weights of checkpoint.load and writes what
// prediction_files.h describes to the folder `output`. `unanswerable`: "no answer" competes even if the file does
// not say of questions whether they are impossible. Returns the number of questions.
std::int64_t answer_file(const run::ResolvedRun& config, const std::string& data, bool unanswerable,
                         const std::string& output, io::Listener& listener);

// Holds a model to ask. One thread at a time.
class QuestionAnswerer {
 public:
  // A question at a time on one replica, with all threads, whatever execution.* says of batches and replicas.
  QuestionAnswerer(const run::ResolvedRun& config, bool unanswerable);

  // Candidates, the answer first and the others by their probability. Both texts must be valid UTF-8; spans count the
  // context's code points.
  std::vector<AnswerCandidate> ask(const std::string& question, const std::string& context);

 private:
  run::ResolvedRun config_;
  bool unanswerable_;
  io::WordPiece wordpiece_;
  run::TrainedModel model_;
};

}  // namespace phasor::squad
