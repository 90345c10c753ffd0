// Where a run keeps what it would otherwise make again: features of data, rates of the machine.
#pragma once

#include <string>

namespace phasor::run {

// $XDG_CACHE_HOME/phasor, else ~/.cache/phasor; empty, which means no cache, where neither is known.
std::string default_cache_directory();
// Of what data.cache is set to: "auto", the default; "none", no cache; or a folder.
std::string cache_directory(const std::string& setting);

}  // namespace phasor::run
