// Files of a cache folder that follow from what they were made of: which names they have, and which of them go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace phasor::io {

// Files named KIND-vVERSION-SUM.ENDING, with .PID.tmp behind while they are written; of the sum, 32 hexadecimal digits.
struct CachedKind {
  std::string_view kind;
  std::int64_t version = 1;  // counts up whenever the same inputs give another file
  std::string_view ending;   // without its dot
  std::int64_t most = 24;    // how many are kept
};

// The path in `folder` of the file that was made of what `inputs` says: all that it depends on but the version.
std::string cached_path(const CachedKind& kind, const std::string& folder, std::string_view inputs);

// A file that was just used goes last.
void mark_used(const std::string& path);

// For who has kept a file: those of other versions go, and of older programs without a version, temporary ones that a
// process left behind a day ago, and, beyond the most, those that were not used for the longest time. Nothing else in
// the folder is touched, and nothing fails: other processes may clean at the same time.
void clean_cache(const CachedKind& kind, const std::string& folder);

}  // namespace phasor::io
