// The whole command: every verb behind one parser, and what a failure says.
#pragma once

namespace phasor::cli {

// As main(), and what that returns: 0, 2 for a mistake of the user's, 70 for one of ours. To be called once, before
// anything is opened or printed; nothing is thrown.
int run_program(int argc, char** argv);

}  // namespace phasor::cli
