#include "models/cli/program/program.h"

// Nothing but the call: in a portable build all else is in the library, of which there is one for each level of
// processors.
int main(int argc, char** argv) { return phasor::cli::run_program(argc, argv); }
