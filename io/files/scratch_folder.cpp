#include "io/files/scratch_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdlib.h>

#include "engine/base/error.h"

namespace phasor::io {

ScratchFolder::ScratchFolder() : path_((std::filesystem::temp_directory_path() / "phasor.XXXXXX").string()) {
  check(mkdtemp(path_.data()) != nullptr, "'{}' cannot be made: {}", path_, std::strerror(errno));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace phasor::io
