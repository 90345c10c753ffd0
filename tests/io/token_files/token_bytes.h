// Files of tokens, as the programs write them whose formats they are.
#pragma once

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace phasor::test {

// Numbers of type T, the lowest byte of each first.
template <class T, class Numbers>
std::string numbers_as(const Numbers& numbers) {
  std::string bytes;
  for (const auto number : numbers) {
    const T value = static_cast<T>(number);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

using Ids = std::vector<std::int64_t>;

template <class T>
std::string llm_c_bytes(std::uint32_t magic, std::uint32_t version, const Ids& tokens) {
  std::vector<std::uint32_t> header(256);
  header[0] = magic;
  header[1] = version;
  header[2] = static_cast<std::uint32_t>(tokens.size());
  return numbers_as<std::uint32_t>(header) + numbers_as<T>(tokens);
}
inline std::string llm_c_bytes(const Ids& tokens) { return llm_c_bytes<std::uint16_t>(20240520, 1, tokens); }

// Sequences of so many tokens of so many bytes; the first sequence of each document, and the end.
inline std::string megatron_index(int type, int token_bytes, const Ids& lengths, const Ids& documents) {
  Ids offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), std::int64_t{0});
  for (std::int64_t& offset : offsets) offset *= token_bytes;
  return std::string("MMIDIDX\0\0", 9) + numbers_as<std::uint64_t>(Ids{1}) + static_cast<char>(type) +
         numbers_as<std::uint64_t>(Ids{std::ssize(lengths), std::ssize(documents)}) +
         numbers_as<std::int32_t>(lengths) + numbers_as<std::int64_t>(offsets) + numbers_as<std::int64_t>(documents);
}

inline std::string write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace phasor::test
