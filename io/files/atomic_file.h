// Files that appear whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace phasor::io {

// Lets `write` make a file under a temporary name in the directory of `path`, brings it to the disk and gives it its
// name, replacing a file that had it. If anything fails, at any instant, what stood under `path` is still there.
// Throws what `write` throws, UserError where the file system refuses.
void write_atomically(const std::string& path, const std::function<void(const std::string& temporary)>& write);

// The same for bytes that are at hand.
void write_file_atomically(const std::string& path, std::string_view bytes);

// Throws UserError where write_atomically could make no file at `path`: for work that takes long before it writes.
void check_writable(const std::string& path);

// Waits until the file or directory is on the disk.
void bring_to_disk(const std::string& path);

// Gives the file `existing` the name `path` as well, in the same directory, replacing a file that had it: at any
// instant `path` is the one file or the other. A second name takes no room; where the file system knows none, it is a
// copy.
void name_atomically(const std::string& existing, const std::string& path);

// Removes the temporary files that writers of `path`, or of names that begin with its stem, left behind when they were
// killed: /a/b.h5 stands for /a/b*.PID.tmp. Those of processes that still run stay. For the writer's own machine.
void remove_abandoned(const std::string& path);

}  // namespace phasor::io
