// The three standard streams, when whoever started the program does not listen.
#pragma once

#include <string>

namespace phasor::cli {

// To be called once, before anything is opened or printed.
// - A standard stream that is closed becomes one of nothing, so that no file of ours takes its number.
// - What standard error does not take is dropped: the work goes on, whoever watches it. A closed pipe is no end either.
// - What standard output does not take is remembered for output_failure(); nothing that prints fails. If its reader is
//   gone, the program ends at once, as others do.
// - A file that may not become larger is a failed write like any other, not the end of the program.
void prepare_standard_streams();

// Sends what is left to standard output. Why not all of it arrived, or "".
std::string output_failure();

}  // namespace phasor::cli
