#!/usr/bin/env python3
"""Writes tests/io/tokenizer_goldens.json: what Transformers' BertTokenizerFast makes of designed texts.

Needs: pip install transformers tokenizers.

  scripts/goldens/tokenizer_goldens.py [bert-base-uncased/vocab.txt]

With a vocabulary, its ids are written too, for the test to check where that vocabulary is at hand.
"""
import json
import pathlib
import string
import sys
import tempfile

GOLDENS = pathlib.Path(__file__).resolve().parents[2] / "tests/io/tokenizer/tokenizer_goldens.json"

WORDS = ["the", "play", "##ing", "##s", "un", "##aff", "##able", "cafe", "##able##", "strasse", "hello", "world",
         "i", "istanbul", "##stanbul", "中", "国", "日", "本", "한", "##ᆫ", "ᄒ", "##ᅡ", "привет", "##вет", "שלום", "مرحبا",
         "##ß", "ß", "😀", "##😀", "fi", "ﬁ", "ﬁn", "##ﬁ", "²", "½", "ⅷ", "σ", "##σ", "##ς", "´", "–", "—", "“", "”", "…"]
VOCABULARY = (["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + list(string.punctuation) +
              list(string.digits) + ["##" + d for d in string.digits] + [c for c in string.ascii_lowercase if c != "i"] +
              ["##" + c for c in string.ascii_lowercase if c not in "s"] + WORDS)

TEXTS = [
    "", " ", "\t\r\n", "the", "The PLAYING plays", "unaffable unaffableunaffable",
    "hello,world!", "!!!...???", "a-b_c@d#e$f%g^h&i*j(k)l", "##able ##ing [the] \"quoted\" 'single'",
    "café CAFÉ cafe\u0301 cafe\u0301\u0302s", "Ångström Ñandú ÇÖÜ",
    "naïve–résumé—coöperate…", "“the” ‘the’ «the»",
    "İstanbul istanbul Istanbul ıstanbul", "Straße STRASSE ß ẞ", "ﬁn ofﬁce ﬀ ﬃ",
    "中国 the中国hello日本", "日本語テキスト　全角", "\U00020000\U0002A700中", "\uF900\U0002F800",
    "한국 한", "\u1112\u1161\u11ab",
    "hello😀world 😀😀 👨‍👩‍👧 🇩🇪 👍🏽", "שלום hello مرحبا", "\u202Ehello\u202C שָׁלוֹם",
    "a\u200Bb a\u200Db a\uFEFFb a\u00ADb", "hello\u00A0world a\u2003b a\u3000b a\u2028b a\u202Fb",
    "a\x00b a\x01b a\x7Fb a\x1Fb a\x85b a\x0Bb a\x0Cb", "a\uFFFDb \uE000 a\uE000b", "\u0301the \u0301 \u0301\u0302",
    "a" * 100, "a" * 101, "a" * 99 + "é", "a" * 100 + "é", "e\u0301" * 100, "e\u0301" * 101, "中" * 120, "the " * 3 + "q" * 150,
    "Привет МИР", "ΣΑΣ ὈΔΥΣΣΕΎΣ", "x² ½ Ⅷ ①", "a\u0600b a\u180Eb a\u061Cb", "हिन्दी தமிழ் ไทย",
    "3.14 1,000 10% $5 №5", "e=mc² a+b<c>d|e~f`g", "http://www.example.com/a?b=c&d", "\u037E\u1FEF\u2126\u212B",
    "𝐛𝐨𝐥𝐝 𝟙𝟚", "①\u20DDa\u0488", "\u166D\u1734\u1885\u1886\uA9BD a\u166Db", "a\u1885b a\uA9BDb", "\u0378 \U0001FAE0a \u1AC1",
    " leading and trailing ", "tab\tnew\nline", "unknownwordwithß", "i̇ İ", "ǅ ǈ Ǆ", "Ω Å K",
    # Emoji: joined, with skin tones, hair, keycaps, tags, variation selectors, halves of sequences.
    "👩🏽‍🚀the👨🏿‍🦰 👩‍❤️‍💋‍👨", "🏳️‍🌈 🏴‍☠️ 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "1️⃣#️⃣*️⃣", "☺︎☺️❤the❤️", "\u200d👩\u200d \uFE0F 🏽", "🇩the🇪",
    # Ideographs at the borders of their blocks, and beyond the ones that stand alone; kana, bopomofo, full width.
    "a㐀b䶿c一d鿿e", "a\U0002A6DFb\U0002A700c\U0002B740d\U0002B81Fe\U0002B820f", "a\U0002B920b\U0002CEAFc\U0002CEB0d\U00030000e", "ㄅㄆカタｶﾀ々〇〆", "ＴＨＥ　ｔｈｅ，１２", "中，国。「the」",
    # Accents: stacked, alone, before and behind, on what has none, enclosing, spacing, in several forms of one letter.
    "Z̴̡̛a̵͔̅l̷̰̈g̶̣͂o̸̧͝ the", "\u0301\u0302\u0303", "a\u0301\u0315\u0327b", "ḉ c\u0327\u0301 c\u0301\u0327 ç\u0301", "中\u0301国 1\u0301 ,\u0301the", "ǭ ǫ\u0304 ō\u0328 o\u0328\u0304", "e\u20E3 e\u20DD", "क़ क\u093C ড় য\u09BC", "ậ Ậ â\u0323 ạ\u0302", "a\u0345ͅ ᾳ ᾼ",
    # Control characters: every one of C0 and C1, NUL and the byte order mark in every place, format characters.
    "".join(f"a{chr(c)}b " for c in range(0x20)), "".join(f"a{chr(c)}b " for c in range(0x7F, 0xA0)), "\x00", "\x00the\x00 \x00", "the\x00play", "\uFEFFthe\uFEFF", "un\u00ADaff\u200Bable\u2060", "a\u2028b\u2029c",
    # Long words: around the limit in characters, in bytes, before and after accents and what is dropped go.
    "é" * 100, "é" * 101, "😀" * 100, "😀" * 101, "the" * 33 + "s", "the" * 34, "q" * 1000 + " the", "a\u200B" * 100, "a\u200B" * 101, "ß" * 100 + "," + "ß" * 101, "7" * 100 + "7", "ﬁ" * 101,
    # Mixed direction, with marks, embeddings and isolates.
    "the \u200Fשלום\u200E play \u202Bمرحبا\u202C", "\u2067שלום\u2069the\u2066play\u2069", "abcאבג123دهو456", "\u202Ethe\u202D\u061Cplay", "לְשָׁלוֹם مَرْحَبًا",
    # Lone surrogates, which arrive replaced; a pair of them is a character.
    "a\ud83db \ude00 \ud83d\ude00", "\udfff\ud800", "the\udc80ing",
    # What is neither: private use, not assigned, noncharacters, the last code point.
    "a\uE000b \U000F0000c \U0010FFFFd", "a\uFDD0b a\uFFFEb a\U0001FFFFb", "a\u0378b a\U000E01EFb",
    # Spaces and line ends of all kinds, alone and in rows; a word between any two.
    "\u00A0\u1680\u2000\u2001\u200A\u202F\u205F\u3000", "the\u1680the\u2005the\u205Fthe\r\n\r\nthe\vthe\fthe", "\u200Bthe\u200B \u200B",
]


def replace_surrogates(text):
    """Pairs become their character and lone ones U+FFFD, as whatever decodes UTF-16 leniently does."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def encode(path):
    from transformers import BertTokenizerFast
    tokenizer = BertTokenizerFast(str(path), do_lower_case=True).backend_tokenizer
    encodings = tokenizer.encode_batch(list(map(replace_surrogates, TEXTS)), add_special_tokens=False)
    return [{"ids": e.ids, "begins": [b for b, _ in e.offsets], "ends": [end for _, end in e.offsets]}
            for e in encodings]


def main():
    with tempfile.TemporaryDirectory() as folder:
        vocab = pathlib.Path(folder, "vocab.txt")
        vocab.write_text("".join(token + "\n" for token in VOCABULARY), encoding="utf-8")
        goldens = {"vocabulary": VOCABULARY, "texts": list(map(replace_surrogates, TEXTS)), "own": encode(vocab)}
    if len(sys.argv) > 1:
        goldens["bert_base_uncased"] = encode(sys.argv[1])
    lines = [f" {json.dumps(key)}: [\n" + ",\n".join("  " + json.dumps(x, separators=(",", ":")) for x in values) + "\n ]"
             for key, values in goldens.items()]
    GOLDENS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{GOLDENS}: {len(TEXTS)} texts")


if __name__ == "__main__":
    main()
