// Our byte-level tokenizer for scripts that compare it with others. A text is four bytes of length, the lowest first,
// and its bytes; ids are such numbers, too.
//   byte_pair_text VOCAB [--end-of-text]   reads texts from standard input; writes for each the number of its ids, the
//                                          ids, and the text that they give back. "<|endoftext|>" is text, or the token
//   byte_pair_text VOCAB TEXTS --time      encodes all texts of the file once for every line that arrives on standard
//                                          input, on one thread, and answers with a line: the seconds it took and the
//                                          number of tokens
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "engine/base/error.h"
#include "io/byte_pair/byte_pair_encoding.h"

namespace {

using phasor::io::BytePairEncoding;
using Ids = std::vector<std::int32_t>;

bool read_text(std::istream& input, std::string& text) {
  std::uint32_t bytes = 0;
  if (!input.read(reinterpret_cast<char*>(&bytes), sizeof(bytes))) return false;
  text.resize(bytes);
  input.read(text.data(), bytes);
  phasor::check(input.good(), "byte_pair_text: the last text is cut short");
  return true;
}

void write_number(std::size_t number) {
  const auto bytes = static_cast<std::uint32_t>(number);
  std::cout.write(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
}

void write_ids(const BytePairEncoding& encoding, bool with_end_of_text) {
  Ids ids;
  for (std::string text; read_text(std::cin, text);) {
    ids.clear();
    with_end_of_text ? encoding.encode_with_end_of_text(text, ids) : encoding.encode(text, ids);
    write_number(ids.size());
    std::cout.write(reinterpret_cast<const char*>(ids.data()), std::ssize(ids) * 4);
    const std::string back = encoding.decode(ids);
    write_number(back.size());
    std::cout << back;
  }
}

void answer_with_times(const BytePairEncoding& encoding, const char* path) {
  std::vector<std::string> texts;
  std::ifstream file(path, std::ios::binary);
  for (std::string text; read_text(file, text);) texts.push_back(text);
  Ids ids;
  for (std::string line; std::getline(std::cin, line);) {
    std::size_t total = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : texts) {
      ids.clear();
      encoding.encode(text, ids);
      total += ids.size();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << fmt::format("{:.6f} {}\n", seconds.count(), total) << std::flush;
  }
}

}  // namespace

int main(int count, char** arguments) try {
  std::ios::sync_with_stdio(false);
  phasor::check(count > 1, "usage: byte_pair_text VOCAB [--end-of-text | TEXTS --time]");
  const auto encoding = BytePairEncoding::load(arguments[1]);
  if (count > 3) {
    answer_with_times(encoding, arguments[2]);
  } else {
    write_ids(encoding, count > 2);
  }
  return 0;
} catch (const phasor::UserError& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
