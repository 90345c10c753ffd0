#!/usr/bin/env python3
"""The pages say what the program says: every key with its default, every verb, and links that lead somewhere.

Usage: documentation_test.py PROGRAM. Uses the standard library.
"""

import re
import unittest

from command_line import ROOT, phasor

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("docs/*.md")]


def keys_of_help():
    """Key -> default, from the help of train; a long key has its meaning on the next line."""
    text = re.sub(r"\n {20,}", " ", phasor("train", "--help").stdout)
    lines = re.findall(r"^  --([a-z_0-9]+\.\S+)(.*)$", text, re.MULTILINE)
    return {key: (re.findall(r"\[([^\]]*)\]$", rest.rstrip()) or [""])[0] for key, rest in lines}


class Documentation(unittest.TestCase):
    maxDiff = None

    def test_every_key_has_its_row_and_its_default(self):
        rows = re.findall(r"^\| `([a-z_0-9]+\.\S+)` \| (.*?) ?\|", (ROOT / "docs/configuration.md").read_text(),
                          re.MULTILINE)
        keys = keys_of_help()
        self.assertGreater(len(keys), 50)
        self.assertEqual({key: default.strip() for key, default in rows}, keys)

    def test_every_verb_has_its_row(self):
        verbs = re.findall(r"^  ([a-z]+) ", phasor("--help").stdout.split("Subcommands:")[1], re.MULTILINE)
        rows = re.findall(r"^\| `([a-z]+)` \|", (ROOT / "docs/command-line.md").read_text(), re.MULTILINE)
        self.assertCountEqual(rows, verbs)

    def test_links_lead_somewhere(self):
        self.assertGreater(len(PAGES), 7)
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
                if not target.startswith("http"):
                    self.assertTrue((page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}")

    def test_files_that_pages_name_are_there(self):
        for page in PAGES:
            for name in re.findall(r"`((?:scripts|tests|docs|engine|io|models|bench|\.ci)/[a-z0-9_./-]+)`", page.read_text()):
                self.assertTrue((ROOT / name).exists(), f"{page.relative_to(ROOT)}: {name}")


if __name__ == "__main__":
    unittest.main()
