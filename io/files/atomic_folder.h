// Folders that appear whole or not at all.
#pragma once

#include <functional>
#include <string>

namespace phasor::io {

// Lets `write` fill a new folder, made under a temporary name beside `path`, brings its files to the disk and gives it
// its name. A folder that had the name is moved aside first, put back if that fails, and removed with all it holds when
// the new one stands. Throws what `write` throws, UserError where the file system refuses. Only plain files are brought
// to the disk.
void write_folder_atomically(const std::string& path, const std::function<void(const std::string& temporary)>& write);

}  // namespace phasor::io
