// A reader under fuzzing: any bytes are read, or refused by a UserError of one line; nothing else may happen.
//
// A target is one source file that defines the three functions below. It is linked with target_input.cpp and either
// with libFuzzer, where clang instruments what is built, or with main.cpp, which mutates the seeds itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phasor::fuzz {

// Inputs have at most so many bytes, and reading one takes at most so much memory at a time.
inline constexpr std::size_t kMostInputBytes = 1 << 20;
inline constexpr std::size_t kMostHeapBytes = 256 << 20;

// Whole files from which mutations start: good ones, and some that are wrong in ways no mutation comes upon.
std::vector<std::string> seeds();

// Pieces of the format that are worth inserting.
std::vector<std::string> words();

// Reads the file as the program does, and what was read to its end.
void read_input(const std::string& path);

}  // namespace phasor::fuzz

// Reads the bytes by read_input, from a file of their own. What is not a UserError of one line ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
