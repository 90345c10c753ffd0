#!/usr/bin/env python3
"""Every module that a script imports exists: in Python, among the packages that scripts may need, or in the project.

So a script is not broken unseen where the packages are missing that it needs. Usage: imports_test.py.
"""

import ast
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = {"h5py", "numpy", "phasor", "safetensors", "tokenizers", "torch", "transformers", "yaml"}
SCRIPTS = [*ROOT.glob("scripts/**/*.py"), *ROOT.glob("tests/**/*.py")]


def modules_of(script):
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


class Imports(unittest.TestCase):
    def test_exist(self):
        own = {script.stem for script in SCRIPTS} | {script.parent.name for script in SCRIPTS}
        self.assertGreater(len(SCRIPTS), 20)
        for script in SCRIPTS:
            for module in modules_of(script):
                outer, *inner = module.split(".")
                known = outer in PACKAGES or outer in sys.stdlib_module_names or {outer, *inner} <= own
                self.assertTrue(known, f"{script.relative_to(ROOT)}: {module}")


if __name__ == "__main__":
    unittest.main()
