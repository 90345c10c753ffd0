#!/usr/bin/env python3
"""Compares our byte-level tokenizer with Transformers' GPT2TokenizerFast: on the designed texts of
goldens/byte_pair_goldens.py, on text files and SQuAD's contexts, on random text and on random bytes.

Ids must be equal, and text come back byte for byte. Bytes that are not UTF-8, which Transformers does not take, must come
back, and those that are must have equal ids, too. Prints the differences; exit code 1 if there are any. The vocabulary is
read in each of its forms: as it is, and as a tokenizer.json that Transformers wrote. Texts are encoded with
"<|endoftext|>" as text and, once more, as the token. With --characters every character that there is stands between
letters, digits, signs and spaces once.
Needs: pip install transformers tokenizers.

  scripts/check/byte_pair.py build/byte_pair_text gpt2 [text.txt train-v1.1.json ...] [--random 10] [--characters]
"""
import argparse
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "goldens"), str(HERE)]
from byte_pair_goldens import TEXTS
from tokenizer import random_texts, squad_texts

SHOWN = 5


def framed(text):
    return struct.pack("<I", len(text)) + text


def ours(program, vocab, texts, *options):
    """The ids of each text, and the bytes that they give back."""
    run = subprocess.run([program, vocab, *options], input=b"".join(map(framed, texts)), stdout=subprocess.PIPE, check=True)
    answer, at = run.stdout, 0
    for _ in texts:
        (count,) = struct.unpack_from("<I", answer, at)
        ids = struct.unpack_from(f"<{count}i", answer, at + 4)
        at += 4 + 4 * count
        (size,) = struct.unpack_from("<I", answer, at)
        yield list(ids), answer[at + 4:at + 4 + size]
        at += 4 + size


def transformers_tokenizer(vocab):
    """GPT2TokenizerFast of a folder with encoder.json and vocab.bpe, or what else Transformers reads."""
    from transformers import GPT2TokenizerFast
    folder = pathlib.Path(vocab)
    if not (folder / "encoder.json").exists():
        return GPT2TokenizerFast.from_pretrained(vocab)
    with tempfile.TemporaryDirectory() as copy:
        for name, ours_is in (("vocab.json", "encoder.json"), ("merges.txt", "vocab.bpe")):
            pathlib.Path(copy, name).write_bytes((folder / ours_is).read_bytes())
        return GPT2TokenizerFast.from_pretrained(copy)


def decoded(text):
    """None where the bytes are not UTF-8."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


class Comparison:
    def __init__(self, program, vocab, tokenizer):
        self.program, self.vocab, self.tokenizer = program, vocab, tokenizer
        self.wrong = 0

    def expected(self, texts, as_token):
        self.tokenizer.backend_tokenizer.encode_special_tokens = not as_token
        encodings = self.tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def run(self, name, texts):
        for as_token in (False, True):
            self.run_once(f"{name}{', <|endoftext|> a token' * as_token}", texts, as_token)

    def run_once(self, name, texts, as_token):
        got = list(ours(self.program, self.vocab, texts, *["--end-of-text"] * as_token))
        valid = [i for i, text in enumerate(texts) if decoded(text) is not None]
        expected = dict(zip(valid, self.expected([texts[i].decode() for i in valid], as_token), strict=True))
        lost = [i for i, (_, back) in enumerate(got) if back != texts[i]]
        differ = [i for i in valid if got[i][0] != expected[i]]
        size, tokens = sum(map(len, texts)), sum(len(ids) for ids, _ in got)
        print(f"{name}: {len(texts)} texts, {size} bytes, {tokens} tokens; {len(lost)} do not come back, ids of "
              f"{len(differ)} differ among the {len(valid)} that are UTF-8", flush=True)
        for i in lost[:SHOWN]:
            print(f"  {texts[i][:200]!r}\n    comes back as {got[i][1][:200]!r}")
        for i in differ[:SHOWN]:
            at = next((k for k, (a, b) in enumerate(zip(got[i][0], expected[i])) if a != b), -1)
            print(f"  {texts[i][:200]!r}\n    from token {at} on: ours {got[i][0][at:at + 9]}, expected "
                  f"{expected[i][at:at + 9]}")
        self.wrong += len(lost) + len(differ)


def read_texts(path):
    """A text file as one text; SQuAD's contexts and questions."""
    if path.endswith(".json"):
        return [text.encode() for text in squad_texts(path)]
    return [pathlib.Path(path).read_bytes()]


def any_characters(size, draw):
    """Texts of characters from anywhere, each as likely as any other."""
    while size > 0:
        codes = (draw.randrange(0x110000) for _ in range(draw.randint(0, 120)))
        text = "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000).encode()
        size -= len(text)
        yield text


def written_text(size, seed):
    """Texts as the scripts of people and what trips tokenizers up make them."""
    for text in random_texts(sys.maxsize, seed):
        if size <= 0:
            return
        text = text.encode("utf-8", "replace")
        size -= len(text)
        yield text


def any_bytes(size, draw):
    """Random bytes, some in long texts; and UTF-8 cut anywhere."""
    while size > 0:
        kind = draw.randrange(4)
        if kind == 0:
            text = draw.randbytes(draw.randint(0, 5000))
        elif kind == 1:
            text = draw.randbytes(draw.randint(0, 3))
        elif kind == 2:
            text = "".join(draw.choices("aé中😀 \n'", k=draw.randint(0, 30))).encode()[draw.randint(0, 2):][:-1]
        else:
            text = bytes(draw.choices(b" \ta'1.\xc3\xa9\xe2\x80\xff", k=draw.randint(0, 60)))
        size -= len(text)
        yield text


def each_character():
    """Every character between a letter, a digit, a sign, spaces and an apostrophe."""
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000:
            yield f"a{chr(code)}1{chr(code)}. {chr(code)} \n{chr(code)}{chr(code)}'s".encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built byte_pair_text")
    parser.add_argument("vocab", help="a folder with encoder.json and vocab.bpe, or with vocab.json and merges.txt")
    parser.add_argument("files", nargs="*", help="text files, and SQuAD files that end in .json")
    parser.add_argument("--random", type=float, default=0, metavar="MB", help="random text, and as many random bytes")
    parser.add_argument("--characters", action="store_true", help="every character that there is")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tokenizer = transformers_tokenizer(options.vocab)
    comparison = Comparison(options.program, options.vocab, tokenizer)
    comparison.run("designed", [text.encode() for text in TEXTS])
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        saved = Comparison(options.program, folder, tokenizer)
        saved.run("designed, with the files that Transformers saves", [text.encode() for text in TEXTS])
    for path in options.files:
        comparison.run(os.path.basename(path), read_texts(path))
    if options.characters:
        comparison.run("every character", list(each_character()))
    if options.random:
        size, draw = int(options.random * 1e6), random.Random(options.seed)
        comparison.run("random characters", list(any_characters(size / 2, draw)))
        comparison.run("random text", list(written_text(size / 2, options.seed)))
        comparison.run("random bytes", list(any_bytes(size, draw)))
    return comparison.wrong + saved.wrong > 0


if __name__ == "__main__":
    sys.exit(main())
