// A small run on letter files, verified against others, with faults planted or not.
#pragma once

#include <gtest/gtest.h>

#include "models/verify/show/text.h"
#include "models/verify/verify.h"
#include "tests/support/letter_files.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run::verify_tests {

class Verifying : public ::testing::Test {
 protected:
  Verifying() {
    test::write_letter_files(folder_.path(), 50);
    config_ = test::letter_run(folder_.path());
    config_.training.steps = 8;
    request_.steps = 3;
  }

  VerifyResult verified() {
    request_.config = config_;
    return verify(request_, io::silent());
  }
  // Against one other execution.
  VerifiedPair verified(const Settings& settings) {
    request_.against = {settings};
    return verified().pairs.at(0);
  }

  test::TemporaryFolder folder_{test::Medium::memory};
  RunConfig config_;
  VerifyRequest request_;
};

}  // namespace phasor::run::verify_tests
