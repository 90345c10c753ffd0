// Files that appear whole or not at all.
#pragma once

#include <functional>
#include <string>

namespace phasor::io {

// Lets `write` make a file under a temporary name in the directory of `path`, brings it to the disk and gives it its
// name, replacing a file that had it. If anything fails, at any instant, what stood under `path` is still there.
// Throws what `write` throws, UserError where the file system refuses.
void write_atomically(const std::string& path, const std::function<void(const std::string& temporary)>& write);

// Waits until the file or directory is on the disk.
void bring_to_disk(const std::string& path);

}  // namespace phasor::io
