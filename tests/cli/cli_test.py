#!/usr/bin/env python3
"""The command line as a user meets it: what works, and the one line and the exit code of every mistake.

Usage: cli_test.py PROGRAM. Uses the standard library and the sample that scripts/make_sample_data.py writes.
"""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command_line import PROGRAM, ROOT, SANITIZED, CommandLineTest, phasor

TINY = ["--model.layers", "2", "--model.hidden_size", "16", "--model.heads", "2", "--model.intermediate_size", "32",
        "--training.global_batch_size", "8", "--execution.micro_batch_size", "2", "--data.cache", "none"]


class CommandLine(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([ROOT / "scripts/make_sample_data.py", "--output", cls.path, "--train-contexts", "40",
                        "--dev-contexts", "5"], check=True, capture_output=True)
        cls.data = ["--data.train", cls.path / "train.json", "--data.vocab", cls.path / "vocab.txt"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def train(self, name, *arguments):
        return phasor("train", "squad-sample", *TINY, *self.data, "--training.steps", "4", "--output",
                      self.path / name, *arguments)

    def test_train_writes_config_metrics_and_checkpoint(self):
        run = self.train("run", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout.splitlines()[-1])["steps"], 4)
        metrics = [json.loads(line) for line in (self.path / "run/metrics.jsonl").read_text().splitlines()]
        self.assertEqual([line["step"] for line in metrics], [1, 2, 3, 4])
        self.assertEqual(set(metrics[0]), {"step", "samples", "loss", "lr", "samples_per_second", "device_peak_bytes",
                                           "stall_seconds", "gradient_norm"})
        self.assertTrue(all(line["gradient_norm"] > 0 for line in metrics))
        self.assertIn("hidden_size: 16", (self.path / "run/config.yml").read_text())
        scores = phasor("eval", self.path / "run", "--data.dev", self.path / "dev.json", "--json")
        self.assertEqual(scores.returncode, 0, scores.stderr)
        self.assertIn("exact_match", json.loads(scores.stdout.splitlines()[-1]))

    def verify(self, *arguments):
        return phasor("verify", "squad-sample", *TINY, *self.data, "--training.steps", "4", "--steps", 2, *arguments)

    def test_verify(self):
        run = self.verify("--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        line, summary = run.stdout.splitlines()
        self.assertRegex(line, r"^equal to the bit: execution.mode phased and execution.mode monolithic, 2 steps: "
                               r"[0-9,]+ numbers of losses, weights and moments; state [0-9a-f]{32}$")
        summary = json.loads(summary)
        self.assertTrue(summary["equal"])
        # What training logs is that of the same step, however it is executed.
        self.train("fingerprints", "--training.fingerprint", "2", "--execution.mode", "monolithic")
        metrics = [json.loads(line) for line in (self.path / "fingerprints/metrics.jsonl").read_text().splitlines()]
        self.assertEqual(["fingerprint" in line for line in metrics], [False, True, False, True])
        self.assertEqual(metrics[1]["fingerprint"], summary["fingerprint"])
        inspected = phasor("inspect", self.path / "fingerprints", "--json").stdout.splitlines()[-1]
        self.assertEqual(json.loads(inspected)["fingerprint"], metrics[3]["fingerprint"])
        # Keys and values, a run that is over, two executions at once, every activation.
        run = self.verify("--against", "execution.data_parallel", 2, "execution.reproducible", "true", "data.packing",
                          "false", "--against", self.path / "fingerprints", "--depth", "activations", "--report",
                          self.path / "verify.html", "--json")
        self.assertEqual(run.returncode, 1, run.stderr)
        summary = json.loads(run.stdout.splitlines()[-1])
        self.assertEqual([other["equal"] for other in summary["others"]], [False, True])
        self.assertTrue(summary["others"][0]["within_rounding"], run.stdout)
        self.assertIn("<svg", (self.path / "verify.html").read_text())
        # Two logs.
        self.train("other", "--model.seed", "7")
        self.assertEqual(phasor("verify", self.path / "fingerprints", self.path / "fingerprints").returncode, 0)
        run = phasor("verify", self.path / "fingerprints", self.path / "other")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("part in step 1", run.stdout)

    def test_mistakes_of_verify(self):
        self.expect_mistake(self.verify("--against", "execution.mode"), "execution.mode", "has no value")
        self.expect_mistake(self.verify("--against", "execution.mod", "phased"), "execution.mod", "execution.mode")
        self.expect_mistake(self.verify("--against", "execution.mode", "phased"), "has execution.mode phased already")
        self.expect_mistake(self.verify("--against", "model.layers", 1), "Are their models the same?")
        self.expect_mistake(self.verify("--depth", "layers"), "--depth 'layers'", "activations")
        self.expect_mistake(phasor("verify", self.path, self.path), "metrics.jsonl")

    def bench_step(self, *arguments):
        return phasor("bench", "step", "squad-tiny", *TINY, "--model.sequence_length", 24, "--model.vocab_size", 50,
                      *arguments)

    def test_bench_step_measures_without_files(self):
        for execution in ([], ["--execution.mode", "monolithic"],
                          ["--execution.data_parallel", 2, "--training.max_grad_norm", 1]):
            run = self.bench_step("--steps", 2, "--json", *execution)
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout.splitlines()[-1])
            self.assertEqual(set(report), {
                "samples_per_second", "tokens_per_second", "model_flops_per_second", "backend",
                "products_flops_per_second", "share_of_products", "best_backend", "best_backend_flops_per_second",
                "share_of_best_backend", "peak_instruction", "peak_flops_per_second", "share_of_peak", "notes",
                "seconds_per_step", "phases", "stall_seconds", "device_peak_bytes",
                "device_lower_bound_bytes", "arena_high_water_bytes", "remote_bytes", "resident_peak_bytes", "loss",
                "idle_shares", "machine", "versions"})
            self.assertAlmostEqual(sum(report["phases"].values()), report["seconds_per_step"])
            self.assertTrue(all(seconds >= 0 for seconds in report["phases"].values()), report["phases"])
            self.assertAlmostEqual(report["samples_per_second"] * report["seconds_per_step"], 8)
            for limit in ("products", "best_backend", "peak"):
                self.assertAlmostEqual(report[f"share_of_{limit}"] * report[f"{limit}_flops_per_second"],
                                       report["model_flops_per_second"], delta=1)
                self.assertGreater(report[f"share_of_{limit}"], 0)
            self.assertLess(report["share_of_peak"], 1)  # small models exceed the others (docs/speed.md)
            self.assertGreaterEqual(report["best_backend_flops_per_second"], report["products_flops_per_second"])
            self.assertEqual(len(report["notes"]) > 0, report["best_backend"] != report["backend"])
            self.assertGreater(report["device_peak_bytes"], 0)
            self.assertEqual(report["arena_high_water_bytes"], report["device_peak_bytes"])
            self.assertGreaterEqual(report["device_peak_bytes"], report["device_lower_bound_bytes"])
            self.assertGreater(report["resident_peak_bytes"], report["device_peak_bytes"])

    def test_bench_step_is_four_times_four_unless_told_otherwise(self):
        # The plan of one step is the same where the sizes are; the sizes show in the device memory.
        peaks = []
        for sizes in ([], ["--execution.micro_batch_size", 4, "--training.global_batch_size", 16]):
            run = phasor("bench", "step", "squad-sample", "--steps", 1, "--json", *sizes)
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout.splitlines()[-1])
            peaks.append(report["device_peak_bytes"])
            self.assertAlmostEqual(report["samples_per_second"] * report["seconds_per_step"], 16)
        self.assertEqual(peaks[0], peaks[1])

    def test_bench_kernels_prints_a_line_of_json_each(self):
        run = phasor("bench", "kernels", "--only", "square_sum", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        line, = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(line["case"], "square_sum")
        self.assertEqual(line["unit"], "GB/s")
        self.assertAlmostEqual(line["share_of_limit"], line["rate"] / line["limit"])
        self.assertGreater(line["machine"]["threads"], 0)
        self.assertIn(line["versions"]["instructions"], ("baseline", "avx2", "avx512", "avx512_bf16", "amx"))

    def test_bench_kernels_measures_products_against_backends_and_the_peak(self):
        run = phasor("bench", "kernels", "--only", "matmul/spans", "--threads", 1, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([line["case"] for line in lines], ["matmul/spans", "matmul/spans/bfloat16"])
        for line in lines:
            for limit in ("best_backend", "peak"):
                self.assertAlmostEqual(line[f"share_of_{limit}"], 1e9 * line["rate"] / line[f"{limit}_flops_per_second"])
            self.assertTrue(line["backend"])
            self.assertEqual("note" in line, line["best_backend"] != line["backend"])

    def test_mistakes_of_bench(self):
        self.expect_mistake(phasor("bench"), "")
        self.expect_mistake(phasor("bench", "kernels", "--only", "warp"), "warp")
        self.expect_mistake(phasor("bench", "kernels", "--threads", -1), "-1 threads")
        self.expect_mistake(self.bench_step("--steps", 0), "0 steps")
        self.expect_mistake(self.bench_step("--execution.embedding_serialization_factor", 51),
                            "embedding_serialization_factor 51", "50")
        self.expect_mistake(self.bench_step("--model.head", 3), "model.head", "model.heads")
        self.expect_mistake(self.bench_step("--execution.data_parallel", 3),
                            "data_parallel × micro_batch_size = 3 × 2 = 6")

    def test_a_resumed_run_continues_its_log(self):
        self.assertEqual(self.train("resumed", "--training.stop_after", 2).returncode, 0)
        run = self.train("resumed", "--checkpoint.load", self.path / "resumed/checkpoint.h5")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.train("straight").returncode, 0)
        losses = [[json.loads(line)["loss"] for line in (self.path / name / "metrics.jsonl").read_text().splitlines()]
                  for name in ("resumed", "straight")]
        self.assertEqual(losses[0], losses[1])

    def test_models_go_out_and_come_back(self):
        self.assertEqual(self.train("source").returncode, 0)

        def convert(source, target, *arguments):
            run = phasor("convert", self.path / source, self.path / target, *arguments)
            self.assertEqual(run.returncode, 0, run.stderr)

        def scores(*source):
            run = phasor("eval", *source, "--data.dev", self.path / "dev.json", "--json", "--model.sequence_length", 48,
                         "--data.max_query_length", 12, "--data.document_stride", 8)
            self.assertEqual(run.returncode, 0, run.stderr)
            return json.loads(run.stdout.splitlines()[-1])

        convert("source", "folder")
        convert("folder", "back.h5")
        convert("back.h5", "again")
        for name in ("config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors"):
            self.assertEqual((self.path / "folder" / name).read_bytes(), (self.path / "again" / name).read_bytes())
        weights = (self.path / "folder/model.safetensors").read_bytes()
        header = json.loads(weights[8:8 + int.from_bytes(weights[:8], "little")])
        self.assertEqual(header["qa_outputs.weight"]["shape"], [2, 16])
        self.assertEqual(scores("--checkpoint.load", self.path / "back.h5"), scores(self.path / "source"))
        self.assertEqual(scores("--model.from", self.path / "folder"), scores(self.path / "source"))
        self.expect_mistake(phasor("convert", self.path / "source", self.path / "folder"), "folder", "--force")
        convert("source", "folder", "--force")
        self.expect_mistake(phasor("plan", "squad-tiny", "--model.from", self.path / "folder", "--model.hidden_size", 32),
                            "model.hidden_size is 32", "but 16 in", "folder/config.json")

    def test_watching_a_run(self):
        run = self.train("watched", "--trace", "--tensorboard", "--report")
        self.assertEqual(run.returncode, 0, run.stderr)
        events = json.loads((self.path / "watched/trace.json").read_text())["traceEvents"]
        self.assertEqual([event["name"] for event in events if event.get("cat") == "step"],
                         ["step 2", "step 3", "step 4"])
        rows = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertLessEqual({"compute", "loads", "stores", "collectives"}, rows)
        self.assertEqual(len(list((self.path / "watched").glob("events.out.tfevents.*"))), 1)
        report = self.path / "watched/report.html"
        written = report.read_text()
        report.unlink()
        again = phasor("report", self.path / "watched")
        self.assertEqual(again.stdout.strip(), str(report))
        self.assertEqual(report.read_text(), written)
        self.expect_mistake(phasor("report", self.path / "nowhere"), "nowhere", "output folder of a run")
        self.expect_mistake(phasor("report", self.path), "metrics.jsonl")
        self.expect_mistake(self.train("x", "--execution.trace", -1), "execution.trace -1")
        self.expect_mistake(self.train("x", "--execution.tracing", 1), "execution.tracing", "execution.trace")

    def test_help_and_completion_know_every_key(self):
        self.assertEqual(self.train("keys").returncode, 0)
        keys, above = [], []
        for line in (self.path / "keys/config.yml").read_text().splitlines():
            name, value = line.strip().split(":", 1)
            above = above[: (len(line) - len(line.lstrip())) // 2] + [name]
            if value:
                keys.append(".".join(above))
        self.assertGreater(len(keys), 50)
        help_text = phasor("train", "--help").stdout
        self.assertEqual([key for key in keys if f"--{key} " not in help_text.replace("\n", " ")], [])
        for key in keys[::10] if SANITIZED else keys:
            words = self.complete("train", "squad-tiny", "--" + key)
            self.assertIn("--" + key, words)

    def complete(self, *words):
        script = ('source <("$0" completion bash); COMP_WORDS=(phasor "$@"); COMP_CWORD=$#; _phasor; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        run = subprocess.run(["bash", "-c", script, PROGRAM, *words], capture_output=True, text=True, check=True,
                             cwd=ROOT, timeout=60)
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    @unittest.skipIf(shutil.which("bash") is None, "there is no bash")
    def test_completion(self):
        self.assertLessEqual({"train", "eval", "plan", "bench", "report", "completion"}, set(self.complete("")))
        self.assertEqual(self.complete("tr"), ["train"])
        self.assertEqual(self.complete("bench", "k"), ["kernels"])
        self.assertEqual(self.complete("bench", "kernels", "--o"), ["--only"])
        self.assertEqual(self.complete("train", "squad-l"), ["squad-large"])
        self.assertEqual(self.complete("train", "squad-tiny", "--execution.mo"), ["--execution.mode"])
        self.assertEqual(self.complete("train", "--execution.mode", ""), ["phased", "monolithic"])
        self.assertEqual(self.complete("train", "--data.train", "READ"), ["README.md"])
        self.assertEqual(self.complete("predict", "--prom"), ["--prompt", "--prompts"])
        self.assertEqual(self.complete("predict", "--top"), ["--top", "--top-k", "--top-p"])
        self.assertEqual(self.complete("predict", "--prompts", "READ"), ["README.md"])
        self.assertEqual(self.complete("completion", ""), ["bash"])
        self.expect_mistake(phasor("completion", "fish"), "fish", "bash")

    def test_mistakes_in_keys_and_values(self):
        self.expect_mistake(self.train("x", "--training.stepz", 3), "training.stepz", "training.steps")
        self.expect_mistake(self.train("x", "--training.epochs", "many"), "training.epochs 'many'", "a number")
        self.expect_mistake(self.train("x", "--execution.mode", "magic"), "phased or monolithic")
        self.expect_mistake(self.train("x", "--execution.prefetch_depth", -2), "execution.prefetch_depth -2")
        self.expect_mistake(self.train("x", "--execution.data_parallel", 3),
                            "data_parallel × micro_batch_size = 3 × 2 = 6")
        self.expect_mistake(self.train("x", "--model.heads", 3), "hidden_size 16", "heads 3")
        self.expect_mistake(phasor("train", "squad-huge", "--output", self.path / "x"), "squad-huge", "squad-tiny")
        self.expect_mistake(phasor("fly"), "'fly' is not a verb of phasor.")
        self.expect_mistake(phasor(), "phasor: a verb is missing: bench, train, ", "--help tells what each does")
        self.expect_mistake(phasor("bench"), "bench: a verb is missing: ", "step")
        self.expect_mistake(phasor("plan", "squad-tinny"), "nor a file or folder. Did you mean 'squad-tiny'?")
        self.expect_mistake(phasor("plan", "squad-tiny.yml"), "nor a file or folder")
        self.expect_mistake(phasor("trian"), "'trian' is not a verb of phasor. Did you mean 'train'?")
        self.expect_mistake(phasor("bench", "stpe"), "'stpe' is not a verb of bench. Did you mean 'step'?")
        self.expect_mistake(self.train("x", "--training.steps"), "option '--training.steps' has no value behind it")
        self.expect_mistake(phasor("plan", ""), "'' names nothing")
        self.expect_mistake(phasor("plan", "x" * 300), "' cannot be used: File name too long")
        self.expect_mistake(phasor("bench", "kernels", "--threads", 1000000), "--threads 1000000")
        self.expect_mistake(self.train("x", "--model.token_types", 1), "token_types 1", "2 segments")
        version = phasor("--version")
        self.assertEqual((version.returncode, version.stderr), (0, ""))
        self.assertRegex(version.stdout, r"^phasor [0-9.]+\n$")

    @unittest.skipIf(SANITIZED, "a sanitizer maps more memory than the test allows")
    def test_what_memory_does_not_hold_is_one_line(self):
        # Weights that no arena holds, and a program that no list of steps does.
        for kilobytes, arguments in ((4_000_000, "bench step squad-large --steps 1"),
                                     (600_000, "plan squad-sample --training.global_batch_size 200000 "
                                               "--execution.micro_batch_size 1")):
            program = f"ulimit -v {kilobytes}; exec {PROGRAM} {arguments} --data.cache none"
            run = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=120, check=False)
            self.expect_mistake(run, "memory: ")

    def test_bad_files(self):
        def with_data(text, **options):
            path = self.path / "bad.json"
            path.write_bytes(text)
            return self.train("x", "--data.train", path, **options)

        good = (self.path / "train.json").read_bytes()
        self.expect_mistake(with_data(good[: len(good) // 2]), "bad.json", "line 1")
        self.expect_mistake(with_data(b""), "bad.json", "empty")
        self.expect_mistake(with_data(b'{"data": 3}'), "bad.json", "data")
        self.expect_mistake(with_data(good.replace(b'"answer_start":', b'"answer_start":9', 1)), "answer_start",
                            "outside the context")
        self.expect_mistake(with_data(good.replace(b"What", b"Wh\xff\xfe", 1)), "UTF-8")
        self.expect_mistake(self.train("x", "--data.train", "nowhere.json"), "nowhere.json")
        vocabulary = self.path / "no_cls.txt"
        vocabulary.write_text("[PAD]\n[UNK]\n[SEP]\nthe\n")
        self.expect_mistake(self.train("x", "--data.vocab", vocabulary), "no_cls.txt", "[CLS]")

    def test_a_resumed_run_is_the_same_run(self):
        self.assertEqual(self.train("first", "--training.stop_after", 2).returncode, 0)
        checkpoint = self.path / "first/checkpoint.h5"
        load = ["--checkpoint.load", checkpoint]
        refused = self.train("x", *load, "--model.seed", 43)
        self.expect_mistake(refused, "checkpoint.h5", "model.seed 42", "43")
        self.assertNotIn("goes on with", refused.stderr)
        self.expect_mistake(self.train("x", *load, "--training.global_batch_size", 4), "global_batch_size 8", "has 4")
        self.expect_mistake(self.train("x", *load, "--model.heads", 4), "model.heads 2", "has 4")
        self.expect_mistake(self.train("x", *load, "--data.train", self.path / "dev.json"), "fingerprint")
        self.expect_mistake(phasor("eval", self.path / "first", "--data.dev", self.path / "dev.json", "--model.heads", 4),
                            "model.heads 2", "has 4")
        run = self.train("changed", *load, "--training.max_grad_norm", 2, "--execution.data_parallel", 2)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("goes on with training.max_grad_norm 2 instead of 1\n", run.stderr)
        self.assertIn("goes on with 2 × 2 micro-batches of 2 instead of 1 × 4", run.stderr)
        self.assertNotIn("goes on with", self.train("unchanged", *load).stderr)

    def test_inspect(self):
        arguments = ["--checkpoint.every_steps", 1, "--checkpoint.keep", 3, "--data.dev", self.path / "dev.json",
                     "--checkpoint.evaluate", "true", "--checkpoint.compression", "deflate 1"]
        run = self.train("inspected", *arguments, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        scores = [json.loads(line) for line in (self.path / "inspected/evaluations.jsonl").read_text().splitlines()]
        self.assertEqual([score["step"] for score in scores], [1, 2, 3, 4])
        self.assertEqual(json.loads(run.stdout.splitlines()[-1])["f1"], scores[-1]["f1"])
        names = {path.name for path in (self.path / "inspected").glob("*.h5")}
        self.assertLessEqual({"checkpoint-00000002.h5", "checkpoint-00000003.h5", "checkpoint-00000004.h5",
                              "checkpoint.h5", "checkpoint-best.h5"}, names)

        newest, before = self.path / "inspected/checkpoint.h5", self.path / "inspected/checkpoint-00000003.h5"
        run = phasor("inspect", newest, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        facts = json.loads(run.stdout.splitlines()[-1])
        self.assertEqual((facts["step"], facts["samples"], facts["seed"], facts["global_batch_size"]), (4, 32, 42, 8))
        self.assertIn("hidden_size: 16", facts["config"])
        tensors = {tensor["name"]: tensor for tensor in facts["tensors"]}
        self.assertEqual(tensors["/weight/qa_outputs.weight"]["shape"], [2, 16])
        self.assertGreater(tensors["/moment2/qa_outputs.weight"]["norm"], 0)

        run = phasor("inspect", newest, "--diff", self.path / "inspected/checkpoint-00000004.h5")
        self.assertEqual((run.returncode, run.stdout), (0, "equal to the bit\n"), run.stderr)
        self.assertEqual(phasor("inspect", self.path / "inspected").stdout, phasor("inspect", newest).stdout)
        run = phasor("inspect", newest, "--diff", before, "--json")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("step: 4 and 3\n", run.stdout)
        self.assertFalse(json.loads(run.stdout.splitlines()[-1])["equal"])
        self.expect_mistake(phasor("inspect", self.path / "nothing.h5"), "nothing.h5")
        self.expect_mistake(phasor("inspect", newest, "--diff", self.path / "nothing.h5"), "nothing.h5")
        self.expect_mistake(phasor("inspect"), "")
        self.expect_mistake(self.train("x", "--checkpoint.compression", "zip"), "zip", "deflate 1")
        self.expect_mistake(self.train("x", "--checkpoint.evaluate", "true"), "data.dev")

    def test_bad_checkpoints(self):
        self.assertEqual(self.train("small").returncode, 0)
        checkpoint = self.path / "small/checkpoint.h5"
        self.expect_mistake(self.train("x", "--checkpoint.load", checkpoint, "--model.hidden_size", 32),
                            "checkpoint.h5", "word_embeddings", ", 16]", ", 32]")
        cut = self.path / "cut.h5"
        cut.write_bytes(checkpoint.read_bytes()[:5000])
        self.expect_mistake(self.train("x", "--checkpoint.load", cut), "cut.h5")
        self.expect_mistake(self.train("x", "--checkpoint.load", self.path / "train.json"), "train.json")


if __name__ == "__main__":
    unittest.main()
