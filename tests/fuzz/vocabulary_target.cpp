// vocab.txt, and the tokenizer that is made of it.
#include "engine/base/error.h"
#include "io/tokenizer/vocabulary.h"
#include "io/tokenizer/wordpiece.h"
#include "tests/fuzz/fuzz_target.h"

namespace phasor::fuzz {

std::vector<std::string> seeds() {
  std::string all = "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n";
  for (int token = 0; token < 300; ++token) all += fmt::format("{}{}\r\n", token % 3 == 0 ? "##" : "", token * 7);
  return {"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nword\n##s\n##\n#\né\n中\n😀\n", all};
}

std::vector<std::string> words() {
  return {"[PAD]\n",      "[UNK]\n", "[CLS]\n", "[SEP]\n",      "##",
          "##s\n",        "\n",      "\r\n",    "\r",           "\xff",
          "\xed\xa0\x80", "é",       "😀",       "\xef\xbb\xbf", std::string(1, '\0')};
}

void read_input(const std::string& path) {
  const io::WordPiece tokenizer(io::read_vocabulary(path));
  const io::Tokens tokens = tokenizer.encode("the words, é 中国 😀 7 142149 ## [SEP]");
  for (const std::int32_t id : tokens.ids) {
    ensure(id >= 0 && id < tokenizer.vocab_size(), "fuzz: there is no token {}", id);
  }
}

}  // namespace phasor::fuzz
