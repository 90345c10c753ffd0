// figures.json: pictures that an evaluation made for the report of its run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/figures/page.h"

namespace phasor::run {

// Of each figure its title, its note and its picture, which there must be. The file appears when it is complete.
void write_figures(const std::string& path, std::span<const io::Figure> figures);

// None where there is no such file. One that is damaged is a UserError.
std::vector<io::Figure> read_figures(const std::string& path);

}  // namespace phasor::run
