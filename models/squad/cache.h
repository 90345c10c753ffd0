// Keeps the features of a SQuAD file for the next run.
#pragma once

#include <cstdint>
#include <string>

#include "io/listener/listener.h"
#include "models/squad/features.h"

namespace phasor::squad {

// What features are made of.
struct SourceFiles {
  std::string data;   // SQuAD JSON
  std::string vocab;  // vocab.txt
};

struct CachedFeatures {
  Features features;
  bool from_cache = false;
  std::string note;  // one line for the user if something was wrong with the cache, else empty
};

// The file in `directory` that belongs to the contents of `files`, the settings and the version of the format.
std::string cache_path(const SourceFiles& files, const FeatureSettings& settings, const std::string& directory);

// How many files a cache keeps.
inline constexpr std::int64_t kCachedFiles = 24;

// Takes the features from the cache or makes and keeps them. Whoever keeps a file cleans up: files of other versions of
// the format go, temporary ones that a process left behind a day ago, and, beyond kCachedFiles, those that were not
// used for the longest time. Nothing else in the directory is touched. A file in the cache that is damaged is made
// anew, and one that cannot be written is left out: neither stops the run. An empty `directory` is no cache. Files
// appear under their name when they are complete, so several processes may share a directory.
CachedFeatures cached_features(const SourceFiles& files, const FeatureSettings& settings, const std::string& directory,
                               io::Listener& listener);

}  // namespace phasor::squad
