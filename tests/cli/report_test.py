#!/usr/bin/env python3
"""The report of a run as a reader meets it: in a browser, at the width of a desk and of a phone.

Usage: report_test.py PROGRAM [FOLDER]. With a folder, the pictures that the browser takes stay there. Needs Chromium;
says so and passes where there is none.
"""

import html
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1]
KEPT = sys.argv[2] if len(sys.argv) > 2 else None
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

TINY = ["--model.layers", "2", "--model.hidden_size", "16", "--model.heads", "2", "--model.intermediate_size", "32",
        "--training.global_batch_size", "8", "--execution.micro_batch_size", "2", "--data.cache", "none",
        "--execution.threads_per_replica", "1"]

# A frame as wide as a screen, and what its page looks like from inside, as JSON in the text of #facts.
FRAME = """<!DOCTYPE html><body style="margin:0"><iframe id="page" style="border:0;width:{width}px;height:{height}px"
srcdoc="{page}"></iframe><pre id="facts" hidden></pre><script>
document.getElementById("page").onload = () => {{
  const page = document.getElementById("page").contentDocument, root = page.documentElement;
  const shown = [...page.querySelectorAll("svg")].filter(svg => svg.getBoundingClientRect().width > 0);
  const texts = shown.flatMap(svg => [...svg.querySelectorAll("text")].map(text => {{
    const box = text.getBoundingClientRect(), card = svg.closest(".card").getBoundingClientRect();
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return {{text: text.textContent, size: scale * parseFloat(getComputedStyle(text).fontSize),
            // Phones move over a picture inside its card.
            outside: !svg.closest(".picture") && (box.left < card.left || box.right > card.right)}};
  }}));
  document.getElementById("facts").textContent = JSON.stringify({{
    width: root.clientWidth, needed: root.scrollWidth, charts: shown.length, height: root.scrollHeight, texts: texts}});
}};
</script>"""


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.pictures = pathlib.Path(KEPT) if KEPT else cls.path
        subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", cls.path, "--train-contexts", "40",
                        "--dev-contexts", "5"], check=True, capture_output=True)
        subprocess.run([PROGRAM, "train", "squad-sample", *TINY, "--data.train", cls.path / "train.json",
                        "--data.vocab", cls.path / "vocab.txt", "--training.steps", "120", "--report",
                        "--execution.data_parallel", "2", "--execution.device_memory", "1MiB", "--output", cls.path / "run"], check=True,
                       capture_output=True, timeout=300)
        cls.page = (cls.path / "run/report.html").read_text()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def browse(self, width, height, *arguments):
        frame = self.path / f"frame{width}.html"
        frame.write_text(FRAME.format(width=width, height=height, page=html.escape(self.page)))
        run = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                              f"--user-data-dir={self.path / 'browser'}", f"--window-size={max(width, 500)},{height}",
                              "--virtual-time-budget=5000", *arguments, frame.as_uri()], capture_output=True, text=True,
                             timeout=120, check=True)
        return run.stdout

    def facts(self, width):
        dom = self.browse(width, 1200, "--dump-dom")
        return json.loads(html.unescape(re.search(r'<pre id="facts" hidden="">(.*?)</pre>', dom, re.S)[1]))

    def test_reading_it_needs_no_sideways_scrolling_and_no_lens(self):
        for width in (1920, 1280, 1041, 1040, 820, 621, 620, 390, 360):
            facts = self.facts(width)
            self.assertEqual(facts["charts"], 9, width)
            self.assertLessEqual(facts["needed"], facts["width"], width)
            self.assertGreater(len(facts["texts"]), 80)
            for text in facts["texts"]:
                self.assertGreaterEqual(text["size"], 10, (width, text))
                self.assertFalse(text["outside"], (width, text))

    def test_pictures_of_it(self):
        dark = ["--blink-settings=preferredColorScheme=0"]
        for name, width, options in (("desk", 1280, []), ("dark", 1280, dark), ("phone", 390, [])):
            height = self.facts(width)["height"]
            picture = self.pictures / f"report-{name}.png"
            self.browse(width, height, f"--screenshot={picture}", *options)
            header = picture.read_bytes()[:24]
            self.assertEqual(struct.unpack(">II", header[16:24]), (max(width, 500), height))
            self.assertGreater(picture.stat().st_size, 50_000)  # an empty page takes a tenth of that


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: there is no chromium on this machine to open the report with")
        sys.exit(0)
    unittest.main(argv=sys.argv[:1])
