#include "io/files/file_list.h"

#include <algorithm>
#include <filesystem>
#include <glob.h>
#include <set>

#include "engine/base/error.h"

namespace phasor::io {

namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::vector<std::string> files_of_pattern(std::string_view subject, const std::string& pattern) {
  glob_t found{};
  const int outcome = glob(pattern.c_str(), GLOB_TILDE, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  check(outcome == 0 || outcome == GLOB_NOMATCH, "{}: '{}' cannot be looked for", subject, pattern);
  const bool is_pattern = pattern.find_first_of("*?[") != pattern.npos;
  check(!files.empty(), "{}: {}", subject,
        is_pattern ? fmt::format("no file matches '{}'", pattern) : fmt::format("'{}' does not exist", pattern));
  std::ranges::sort(files);  // glob's order is that of the language
  return files;
}

}  // namespace

std::vector<std::string> find_files(std::string_view subject, const std::string& list) {
  std::error_code error;
  if (std::filesystem::is_regular_file(list, error)) return {list};
  std::vector<std::string> files;
  std::set<std::string> seen;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string entry(without_blanks(std::string_view(list).substr(begin, end - begin)));
    begin = end + 1;
    if (entry.empty()) continue;
    const bool is_name = std::filesystem::exists(entry, error);
    for (std::string& file : is_name ? std::vector{entry} : files_of_pattern(subject, entry)) {
      check(seen.insert(std::filesystem::path(file).lexically_normal()).second, "{}: '{}' is in the list '{}' twice",
            subject, file, list);
      files.push_back(std::move(file));
    }
  }
  check(!files.empty(), "{}: the list of files '{}' names none", subject, list);
  return files;
}

}  // namespace phasor::io
