#include "models/checkpoint/files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

#include "io/files/atomic_file.h"

namespace phasor::run {

namespace {

constexpr std::size_t kStepDigits = 8;

std::string with_stem_suffix(const std::string& path, const std::string& suffix) {
  const std::filesystem::path file(path);
  return file.parent_path() / (file.stem().string() + "-" + suffix + file.extension().string());
}

}  // namespace

bool is_checkpoint(const std::string& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string begin(kSignature.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), std::ssize(begin));
  return begin == kSignature;
}

std::string CheckpointFiles::of_step(std::int64_t step) const {
  return with_stem_suffix(path_, fmt::format("{:0{}}", step, kStepDigits));
}

std::string CheckpointFiles::best() const { return with_stem_suffix(path_, "best"); }

std::vector<std::int64_t> CheckpointFiles::steps() const {
  const std::filesystem::path file(path_);
  const std::string begin = file.stem().string() + "-", end = file.extension();
  std::vector<std::int64_t> steps;
  std::error_code error;
  const std::filesystem::path directory = file.parent_path().empty() ? "." : file.parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(begin) || !name.ends_with(end) || name.size() < begin.size() + kStepDigits + end.size())
      continue;
    const std::string digits = name.substr(begin.size(), name.size() - begin.size() - end.size());
    const bool number =
        digits.size() <= 18 && std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); });
    if (number) steps.push_back(std::stoll(digits));
  }
  std::ranges::sort(steps);
  return steps;
}

void CheckpointFiles::make_numbered(std::int64_t step) const { io::name_atomically(path_, of_step(step)); }

void CheckpointFiles::make_best(std::int64_t step) const { io::name_atomically(of_step(step), best()); }

void CheckpointFiles::retain(std::int64_t newest, std::int64_t best) const {
  if (keep_ == 0) return;
  std::vector<std::int64_t> known = steps();
  std::erase_if(known, [&](std::int64_t step) { return step > newest; });
  for (std::int64_t i = 0; i < std::ssize(known) - keep_; ++i) {
    std::error_code error;
    if (known[static_cast<std::size_t>(i)] != best) std::filesystem::remove(of_step(known[i]), error);
  }
}

}  // namespace phasor::run
