#!/usr/bin/env python3
"""Text as a user meets it: a small GPT-2 learns two texts by heart, and `phasor predict` says them.

Usage: text_test.py PROGRAM. Standard library only; with GPT-2's own vocabulary, where it is.
"""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import unittest

from command_line import PROGRAM, ROOT, CommandLineTest, phasor

GPT2 = pathlib.Path(os.environ.get("PHASOR_DATA", ROOT.parent / "shared/data")) / "gpt2"
END = "<|endoftext|>"
ENDING, ENDLESS = "one two three", "áé中😀ß" * 8  # 13 bytes, and as many tokens, eight times
POSITIONS = 112
TINY = ["--model.layers", "2", "--model.hidden_size", "32", "--model.heads", "2", "--model.intermediate_size", "64",
        "--model.sequence_length", str(POSITIONS), "--model.max_positions", str(POSITIONS), "--model.dropout_prob", "0",
        "--data.held_out", "0", "--data.cache", "none", "--training.global_batch_size", "8",
        "--execution.micro_batch_size", "4", "--training.steps", "150", "--execution.threads_per_replica", "1",
        "--training.optimizer.learning_rate.maximum", "1e-2"]


def byte_tokens():
    """What vocab.json writes for each byte: itself where it is a visible character, else one from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return [chr(byte) for byte in plain] + [chr(256 + i) for i in range(len(others))]


class Text(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.output = cls.path / "run"
        vocabulary = cls.path / "vocabulary"
        vocabulary.mkdir()
        (vocabulary / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate([*byte_tokens(), END])}))
        (vocabulary / "merges.txt").write_text("#version: 0.2\n")
        (cls.path / "text.txt").write_text((ENDING + END + ENDLESS + END) * 60, encoding="utf-8")
        trained = phasor("train", "gpt2-tiny", *TINY, "--data.train", cls.path / "text.txt", "--data.vocab", vocabulary,
                         "--output", cls.output)
        assert trained.returncode == 0, trained.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def predict(self, *arguments, typed=None):
        run = subprocess.run([PROGRAM, "predict", self.output, *map(str, arguments)], input=typed, capture_output=True,
                             timeout=300, check=False)
        self.assertEqual(run.returncode, 0, run.stderr.decode())
        return run.stdout.decode("utf-8")

    def objects(self, *arguments, **options):
        return [json.loads(line) for line in self.predict(*arguments, "--json", **options).splitlines()]

    def refuse(self, *arguments, part):
        self.expect_mistake(phasor("predict", self.output, *arguments), part)

    def prompts(self, *lines):
        file = self.path / "prompts.txt"
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return file

    def test_what_was_learnt_is_said(self):
        self.assertEqual(self.predict("--prompt", "one t"), ENDING + "\n")
        self.assertEqual(self.predict("--prompt", "áé", "--tokens", 20), "áé中😀ßáé中😀\n")
        self.assertEqual(self.predict("--prompt", "áé", "--tokens", 3), "áé中\n")
        self.assertEqual(self.predict("--prompt", "áé", "--tokens", 5), "áé中\ufffd\n")  # a character begins, and no more
        # As behind the end of another text, where nothing was learnt: the two were apart.
        self.assertEqual(self.predict("--prompt", "", "--json"), self.predict("--prompt", END, "--json").replace(END, ""))

    def test_json(self):
        [ended] = self.objects("--prompt", "one t")
        self.assertEqual((ended["prompt"], ended["text"], ended["ended_by"]), ("one t", "wo three", "end_of_text"))
        ids = {token: i for i, token in enumerate(byte_tokens())}
        self.assertEqual(ended["tokens"], [ids["Ġ" if c == " " else c] for c in "wo three"])
        [cut] = self.objects("--prompt", "áé", "--tokens", 5)  # in the middle of a character
        self.assertEqual((cut["text"], cut["ended_by"], len(cut["tokens"])), ("中\ufffd", "tokens", 5))
        [full] = self.objects("--prompt", "áé", "--tokens", 0)
        self.assertLessEqual(len(full["tokens"]), POSITIONS - 4)
        [full] = self.objects("--prompt", "one t" * 20, "--tokens", 0, "--temperature", 30)  # noise, hardly ever the end
        self.assertEqual(full["ended_by"] == "positions", len(full["tokens"]) == POSITIONS - 100)

    def test_text_comes_as_it_is_made_in_whole_characters(self):
        reading, writing = socket.socketpair(type=socket.SOCK_SEQPACKET)  # a write is read by itself, however late
        with reading, subprocess.Popen([PROGRAM, "predict", self.output, "--prompt", "áé", "--tokens", "87"],
                                       stdout=writing, stderr=subprocess.DEVNULL) as process:
            writing.close()
            pieces = []
            while piece := reading.recv(1 << 16):
                pieces.append(piece.decode("utf-8"))  # not so of a part of a character
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(pieces, ["áé", *("中😀ß" + "áé中😀ß" * 6 + "\n")])

    def test_prompts_of_a_file(self):
        lines = ["one", "áé", "", "one two", "o"]
        file = self.prompts(*lines)
        continued = self.objects("--prompts", file, "--tokens", 11)
        self.assertEqual([one["prompt"] for one in continued], lines)
        self.assertEqual([one["text"] for one in continued if one["prompt"].startswith("o")],
                         [" two three", " three", "ne two thre"])
        self.assertEqual(self.predict("--prompts", file, "--tokens", 11),
                         "".join(one["prompt"] + one["text"] + "\n" for one in continued))
        output = self.path / "continued"
        run = self.predict("--prompts", file, "--tokens", 11, "--output", output, "--json").splitlines()
        self.assertEqual(json.loads(run[-1]), {"prompts": 5, "tokens": sum(len(one["tokens"]) for one in continued),
                                "continuations": str(output / "continuations.jsonl")})
        written = (output / "continuations.jsonl").read_text(encoding="utf-8")
        self.assertEqual([json.loads(line) for line in written.splitlines()], continued)
        again = self.path / "again"
        self.predict("--data.predict", file, "--tokens", 11, "--output", again, "--execution.data_parallel", 2)
        self.assertEqual((again / "continuations.jsonl").read_text(encoding="utf-8"), written)

    def test_typed_lines(self):
        self.assertEqual(self.predict(typed="one t\n  \n\none two t".encode()), (ENDING + "\n") * 2)
        self.assertEqual(self.predict(typed=b""), "")
        [strange] = self.objects("--tokens", 2, typed=b"a \xff\n")
        self.assertEqual(strange["prompt"], "a \ufffd")

    def test_draws_follow_the_seed(self):
        drawn = ["--prompts", self.prompts("x", "x", "x", "y"), "--temperature", 3]
        first = self.objects(*drawn)
        self.assertEqual(self.objects(*drawn), first)
        self.assertNotEqual(first[0]["text"], first[1]["text"])  # a prompt has draws of its own
        self.assertNotEqual(self.objects(*drawn, "--model.seed", 43), first)
        greedy = self.objects("--prompts", self.prompts("one", "áé"))
        for options in (["--temperature", 3, "--top-k", 1], ["--temperature", 3, "--top-p", 0], ["--temperature", 1e-9],
                        ["--temperature", 0, "--top-k", 7]):
            self.assertEqual(self.objects("--prompts", self.path / "prompts.txt", *options), greedy)

    def test_longer_texts_than_rows_are_told(self):
        run = phasor("predict", self.output, "--prompt", "one t", "--model.sequence_length", 20, "--tokens", 40)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("texts grow to 45 tokens", run.stderr)

    def test_mistakes(self):
        prompts = self.prompts("one")
        output = ["--output", self.path / "x"]
        self.refuse("--prompt", "a", "--tokens", POSITIONS, part=f"--tokens {POSITIONS} leaves no position")
        self.refuse("--prompt", "a" * 80, "--tokens", 40,
                    part="prompt 1 has 80 tokens, and up to 40 are to follow: model.max_positions 112 leaves the prompt 72")
        self.refuse("--prompt", "a", "--tokens", -1, part="--tokens -1")
        self.refuse("--prompt", "a", "--execution.device_memory", "1KiB", part="a pass of the trained model takes")
        self.refuse("--prompt", "a", "--tokens", "many", part="--tokens 'many' is not a whole number")
        self.refuse("--prompt", "a", "--temperature", -1, part="--temperature -1")
        self.refuse("--prompt", "a", "--temperature", "nan", part="--temperature 'nan' is not a number")
        self.refuse("--prompt", "a", "--top-k", -1, part="--top-k -1")
        self.refuse("--prompt", "a", "--top-p", 1.5, part="--top-p 1.5")
        self.refuse("--prompt", "a", "--prompts", prompts, part="--prompt and --prompts")
        self.refuse("--prompt", "a", *output, part="--output is for the prompts of a file")
        self.refuse("--data.predict", prompts, part="--data.predict needs --output")
        self.refuse(*output, part="data.predict is missing")
        self.refuse("--prompts", self.path / "none", part="none' does not exist")
        self.refuse("--prompts", self.path / "none", *output, part="none' does not exist")
        (self.path / "empty").write_text("")
        self.refuse("--prompts", self.path / "empty", part="empty' is empty, expected a prompt a line")
        self.refuse("--prompts", prompts, "--output", prompts, part="prompts.txt")
        for option in (["--question", "a"], ["--context", "a"], ["--unanswerable"], ["--top", 3]):
            self.refuse(*option, part=f"{option[0]} is for data.task squad, this is text")
        self.refuse("--prompt", "a", "--data.vocab", "", part="data.vocab is missing")
        self.expect_mistake(phasor("predict", "gpt2-tiny", "--prompt", "a", "--data.vocab", self.path / "vocabulary"),
                            "checkpoint.load is missing")
        for option in (["--prompt", "a"], ["--prompts", prompts], ["--tokens", 3], ["--temperature", 1], ["--top-k", 1],
                       ["--top-p", 1]):
            for preset, task in (("squad-tiny", "squad"), ("mnist-tiny", "digits")):
                self.expect_mistake(phasor("predict", preset, *option, *output),
                                    f"{option[0]} is for data.task text, this is {task}")
        self.assertFalse((self.path / "x").exists())

    def test_nothing_is_written_where_something_fails(self):
        output = self.path / "failed"
        self.refuse("--prompts", self.prompts("one", "a" * 200), "--output", output, part="prompt 2 has 200 tokens")
        self.assertFalse((output / "continuations.jsonl").exists())

    @unittest.skipUnless(GPT2.exists(), f"needs {GPT2}, which is absent; set PHASOR_DATA")
    def test_a_transformers_folder_by_itself(self):
        """With GPT-2's vocabulary, which is the folder's own."""
        run = phasor("train", "gpt2-tiny", *TINY, "--training.steps", "1", "--data.train", self.path / "text.txt",
                     "--data.vocab", GPT2, "--output", self.path / "words")
        self.assertEqual(run.returncode, 0, run.stderr)
        run = phasor("convert", self.path / "words", self.path / "folder")
        self.assertEqual(run.returncode, 0, run.stderr)
        prompt = ["--prompt", "Once upon a time", "--tokens", 5, "--json"]
        of_folder = phasor("predict", "--model.from", self.path / "folder", *prompt)
        self.assertEqual(of_folder.returncode, 0, of_folder.stderr)
        self.assertEqual(of_folder.stdout, phasor("predict", self.path / "words", *prompt).stdout)
        self.assertEqual(len(json.loads(of_folder.stdout)["tokens"]), 5)


if __name__ == "__main__":
    unittest.main()
