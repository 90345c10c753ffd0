"""The Python package: python_test.py BUILD_FOLDER PROGRAM, with an interpreter that has NumPy and for which the module was built.

A run from Python is the run of the command line, to the bit; what is wrong is an exception with its message.
"""

import contextlib
import io
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from package import make_package

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()


FOLDER = tempfile.TemporaryDirectory()
make_package(BUILD, FOLDER.name)

import numpy as np  # noqa: E402

import phasor  # noqa: E402

SMALL = {"model.layers": 1, "model.hidden_size": 16, "model.heads": 2, "model.intermediate_size": 16,
         "model.sequence_length": 64, "model.vocab_size": 0, "data.document_stride": 16, "data.max_query_length": 24,
         "training.steps": 4, "training.global_batch_size": 4,
         "execution.threads_per_replica": 1, "data.cache": "none", "model.dropout_prob": 0.1}


def small(folder, **more):
    return {"data.train": f"{folder}/train.json", "data.dev": f"{folder}/dev.json", "data.vocab": f"{folder}/vocab.txt",
            **SMALL, **more}


def loops():
    """The seconds of many short loops: others on the machine lengthen most of them, but not all."""
    seconds = []
    for _ in range(100):
        begin = time.perf_counter()
        sum(range(40_000))
        seconds.append(time.perf_counter() - begin)
    return seconds


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = cls.kept.name
        subprocess.run([sys.executable, ROOT / "scripts" / "make_sample_data.py", "--output", cls.folder, "--train-contexts", "12",
                        "--dev-contexts", "4"],
                       check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def trainer(self, name, **more):
        options = {key: more.pop(key) for key in ("callbacks", "logger", "force") if key in more}
        return phasor.Trainer("squad-tiny", output=f"{self.folder}/{name}", progress=False, **options,
                              **small(self.folder, **more))

    def test_has_the_bits_of_the_command_line(self):
        trainer = self.trainer("python")
        outcome = trainer.fit()
        arguments = [text for key, value in small(self.folder).items() for text in (f"--{key}", str(value))]
        subprocess.run([PROGRAM, "train", "squad-tiny", *arguments, "--output", f"{self.folder}/program", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(subprocess.run([PROGRAM, "inspect", f"{self.folder}/python", "--diff", f"{self.folder}/program"],
                                        stdout=subprocess.DEVNULL).returncode, 0)
        self.assertEqual(outcome["steps"], 4)
        for kind in ("weight", "moment1", "moment2"):
            other = phasor.read_state(f"{self.folder}/program", kind)
            for name, tensor in trainer.state_dict(kind).items():
                self.assertTrue(np.array_equal(tensor, other[name]), name)
        self.assertEqual(trainer.state_dict()["qa_outputs.weight"].shape, (2, 16))
        scores = trainer.validate()
        self.assertIn("f1", scores)
        trainer.predict(f"{self.folder}/answers", **{"data.predict": f"{self.folder}/dev.json"})
        self.assertTrue(os.path.exists(f"{self.folder}/answers/predictions.json"))
        again = trainer.fit()  # it is finished
        self.assertEqual(again["steps"], 4)

    def test_callbacks_and_loggers_go_along(self):
        heard = []

        class Hears(phasor.Callback):
            def __getattribute__(self, name):
                if name.startswith("on_"):
                    return lambda trainer, *rest: heard.append((name, *[r for r in rest if isinstance(r, int)]))
                return super().__getattribute__(name)

        class Stops(phasor.Callback):
            def on_train_batch_end(self, trainer, metrics):
                trainer.should_stop = metrics["step"] == 3

        logger = phasor.CSVLogger(f"{self.folder}/logged")
        trainer = self.trainer("heard", callbacks=[Hears(), Stops()], logger=logger)
        self.assertEqual(trainer.fit()["steps"], 3)
        self.assertEqual(heard, [("on_fit_start",), ("on_train_start",), ("on_train_batch_start", 1), ("on_train_batch_end",),
                                 ("on_train_batch_start", 2), ("on_train_batch_end",), ("on_train_batch_start", 3),
                                 ("on_train_batch_end",), ("on_save_checkpoint", 3), ("on_train_end",), ("on_fit_end",)])
        lines = pathlib.Path(f"{self.folder}/logged/metrics.csv").read_text().splitlines()
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[0].startswith("step,loss,learning_rate"))
        self.assertEqual(trainer.fit()["steps"], 4)  # goes on where it was stopped

    def test_exceptions_come_through(self):
        class Fails(phasor.Callback):
            def on_train_batch_end(self, trainer, metrics):
                raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            self.trainer("failed", callbacks=[Fails()]).fit()
        with self.assertRaisesRegex(phasor.UserError, r"unknown key 'model.layer' in the arguments\..*model.layers"):
            self.trainer("wrong", **{"model.layer": 2})
        with self.assertRaisesRegex(phasor.UserError, "config: 'nothing' is neither a preset"):
            phasor.plan("nothing")
        with self.assertRaisesRegex(phasor.UserError, "not a multiple"):
            phasor.plan("squad-tiny", **{"training.global_batch_size": 7, "execution.micro_batch_size": 2})
        for wrong in (3, [1], {1: 2}, {"model": {"layers": object()}}, {"model.layers": 1 << 80}):
            with self.assertRaises(phasor.UserError):
                phasor.plan(wrong)

    def test_ctrl_c_ends_a_step_whole(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell ignores for what it runs behind itself

        class Interrupts(phasor.Callback):
            def on_train_batch_end(self, trainer, metrics):
                if metrics["step"] == 2:
                    os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            self.trainer("interrupted", callbacks=[Interrupts()]).fit()
        self.assertEqual(self.trainer("interrupted").fit()["steps"], 4)
        straight = self.trainer("straight")
        straight.fit()
        for name, tensor in phasor.read_state(f"{self.folder}/interrupted").items():
            self.assertTrue(np.array_equal(tensor, straight.state_dict()[name]), name)

    def test_plans_are_data(self):
        plan = phasor.plan({"preset": "squad-tiny", "execution": {"device_memory": "64MiB"}}, **{"data.cache": "none"})
        self.assertLessEqual(plan["device_peak_bytes"], 64 << 20)
        self.assertEqual(plan["refusal"], "")
        self.assertNotEqual(phasor.plan("squad-tiny", **{"execution.device_memory": "1MiB", "data.cache": "none"})["refusal"], "")
        self.assertIn("mnist", phasor.presets())
        self.assertIn("layers: 3", phasor.configuration("squad-tiny", **{"model.layers": 3}))

    def test_the_interpreter_is_free_while_a_step_runs(self):
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        self.trainer("free", **{"training.steps": 8}).fit()
        done.set()
        thread.join()
        self.assertGreater(counted[0], 5)


def build(model, rows, training):
    stage = model.stage("first")
    stage.output(stage.relu(stage.linear("fc", stage.batch("x", [rows, 4]), 16)))
    stage = model.stage("head")
    logits = stage.linear("fc", stage.input(), 3)
    if training:
        stage.loss(stage.cross_entropy(logits, stage.batch("labels", [rows], "int32")))
    else:
        stage.result("logits", logits)


KEYS = {"training.steps": 20, "training.global_batch_size": 16, "training.optimizer.learning_rate.maximum": 0.05}


def batch(seed, samples=16):
    draw = np.random.default_rng(seed)
    x = draw.standard_normal((samples, 4))
    return {"x": x, "labels": x[:, :3].argmax(axis=1)}


class OwnModels(unittest.TestCase):
    def test_phases_do_not_show(self):
        losses = [phasor.Model(build, 8, **KEYS, **{"execution.mode": mode}).fit(map(batch, range(20)))
                  for mode in ("phased", "monolithic")]
        self.assertEqual(losses[0], losses[1])
        self.assertLess(losses[0][-1], losses[0][0])

    def test_state_and_predictions(self):
        model, other = phasor.Model(build, 8, **KEYS), phasor.Model(build, 8, **KEYS, **{"model.seed": 3})
        model.fit(map(batch, range(20)))
        logits = model.predict({"x": batch(5)["x"]})["logits"]
        self.assertEqual(logits.shape, (16, 3))
        state = model.state_dict()
        x = np.maximum(batch(5)["x"] @ state["first.fc.weight"].T + state["first.fc.bias"], 0)
        np.testing.assert_allclose(logits, x @ state["head.fc.weight"].T + state["head.fc.bias"], rtol=1e-4, atol=1e-5)
        other.load_state_dict(state)
        np.testing.assert_array_equal(other.predict({"x": batch(5)["x"]})["logits"], logits)
        model.save(f"{FOLDER.name}/own.h5")
        other.load(f"{FOLDER.name}/own.h5")
        self.assertEqual(other.steps, 20)
        self.assertEqual(model.planned_peak_bytes, model.measured_peak_bytes)

    def test_predicts_any_number_of_samples(self):
        model = phasor.Model(build, 8, **KEYS)
        x = batch(0)["x"]
        logits = model.predict({"x": x})["logits"]
        for samples in (1, 7, 8, 9):
            np.testing.assert_array_equal(model.predict({"x": x[:samples]})["logits"], logits[:samples])

    def test_progress_is_shown_where_it_is_asked_for(self):
        model = phasor.Model(build, 8, **KEYS)
        for options, parts in (({}, None), ({"progress": True, "steps": 2}, ("training 5/5 steps, loss ", " s left")),
                               ({"progress": True}, ("training 8/8 steps, loss ",))):
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                model.fit([batch(step) for step in range(3)] if "steps" not in options else map(batch, range(3)), **options)
            self.assertEqual(bool(shown.getvalue()), parts is not None)
            for part in parts or ():
                self.assertIn(part, shown.getvalue())

    def test_any_array_is_taken_or_refused(self):
        model = phasor.Model(build, 8, **KEYS)
        good = batch(0)
        wide = np.zeros((16, 8))
        wide[:, ::2] = good["x"]
        first = model.step({"x": wide[:, ::2], "labels": good["labels"].astype(np.int16)})  # not contiguous
        self.assertEqual(first, phasor.Model(build, 8, **KEYS).step(good))
        for wrong in ({"x": good["x"]}, {**good, "y": good["x"]}, {**good, "x": "text"}, {**good, "x": good["x"][:, :3]},
                      {**good, "x": good["x"][:8]}, {**good, "labels": good["labels"] + 1}, {**good, "labels": good["labels"] - 3},
                      {**good, "labels": good["labels"] * 0.5}, {**good, "labels": good["labels"] + (1 << 40)},
                      {**good, "x": np.zeros((0, 4))}, {**good, "x": np.float32(1)}, {**good, "x": [[object()]]},
                      {name: np.concatenate([array] * 2) for name, array in good.items()},
                      {**good, "x": good["x"] * np.nan}, {**good, "x": good["x"].astype(complex)}, {**good, "x": np.zeros((1, 1, 1, 1, 1))}):
            with self.assertRaises((phasor.UserError, ValueError)):
                model.step(wrong)
        self.assertEqual(model.steps, 1)

    def test_names_and_types_are_looked_at(self):
        def two(model, rows, training, kind="same"):
            stage = model.stage("first")
            x = stage.batch("x", [rows, 4])
            stage.output(stage.linear("fc", x, 4))
            if kind == "same":
                stage.linear("fc", x, 4)
            if kind == "braces":
                model.stage("{}")
            if kind == "index":
                stage.relu(stage.batch("ids", [rows], "int32"))
            if kind == "loss":
                stage.loss(x)
            if kind == "huge":
                stage.linear("wide", x, 1 << 30)
            if kind == "foreign":
                stage.relu(phasor._phasor.Model().stage("first").batch("x", [rows, 4]))
            head = model.stage("head")
            head.loss(head.cross_entropy(head.input(), head.batch("labels", [rows], "int32")))

        keys = {**KEYS, "execution.host_memory": "1GiB"}
        for kind, message in {"same": "variable 'fc.weight' is there twice", "braces": r"a stage is named '\{\}'", "index": "a tensor of int32",
                              "loss": r"the loss is f32\[8, 4\]", "huge": "execution.host_memory has 1024",
                              "foreign": "a tensor of another stage"}.items():
            with self.assertRaisesRegex(phasor.UserError, message):
                phasor.Model(lambda *given: two(*given, kind=kind), 8, **keys)
        loop = {}
        loop["training"] = loop
        with self.assertRaisesRegex(phasor.UserError, "sections lie in more than 16 others"):
            phasor.Model(build, 8, **loop)
        with self.assertRaisesRegex(phasor.UserError, "unknown key 'training.stps'"):
            phasor.Model(build, 8, **{"training.stps": 3})
        with self.assertRaisesRegex(phasor.UserError, "training.steps 'x' in the settings is not a whole number"):
            phasor.Model(build, 8, **{"training.steps": "x"})
        with self.assertRaisesRegex(phasor.UserError, "batch: list, expected a dictionary"):
            phasor.Model(build, 8, **KEYS).step([1])
        with self.assertRaisesRegex(phasor.UserError, "cannot be used|cannot be written"):
            phasor.IPUConfig().save_pretrained("/proc/none")

    def test_mistakes_in_a_model_are_told(self):
        with self.assertRaisesRegex(AttributeError, "no op 'softmax'. There are: add, attention.*relu"):
            phasor.Model(lambda model, rows, training: model.stage("a").softmax(), 8, **KEYS)
        with self.assertRaisesRegex(phasor.UserError, "model: it has no stages"):
            phasor.Model(lambda *_: None, 8, **KEYS)

        def crooked(model, rows, training):
            stage = model.stage("a")
            stage.matmul(stage.batch("x", [rows, 3]), stage.batch("y", [rows, 3]))

        with self.assertRaisesRegex(phasor.UserError, "matmul: a .* have inner dimensions 3 and 8"):
            phasor.Model(crooked, 8, **KEYS)

        def without_loss(model, rows, training):
            build(model, rows, False)

        with self.assertRaisesRegex(phasor.UserError, "has no loss"):
            phasor.Model(without_loss, 8, **KEYS)
        for shape in ([], [0], [-1, 2], [1 << 40], [1, 1, 1, 1, 1]):
            with self.assertRaises(phasor.UserError):
                phasor._phasor.Model().stage("a").batch("x", shape)
        with self.assertRaisesRegex(phasor.UserError, "execution.device_memory"):
            phasor.Model(build, 8, **KEYS, **{"execution.device_memory": "64"})


class IPUConfigs(unittest.TestCase):
    def test_is_optimum_graphcores(self):
        config = phasor.IPUConfig(replication_factor=2, gradient_accumulation_steps=4, seed=3)
        config.update_from_string("recompute_checkpoint_every_layer=true")
        config.save_pretrained(f"{FOLDER.name}/ipu")
        self.assertEqual(phasor.IPUConfig.from_pretrained(f"{FOLDER.name}/ipu"), config)
        keys = config.settings(micro_batch_size=2)
        self.assertEqual(keys["training.global_batch_size"], "16")
        self.assertEqual(phasor.IPUConfig(layers_per_ipu=[1, 2]).ipus_per_replica, 2)
        with self.assertRaises(TypeError):
            config.replication_factor = "two"
        with self.assertRaises(ValueError):
            config.replication_factor = 0
        with self.assertRaises(phasor.IncompatibleIPUConfigError):
            config.replicas = 2
        with self.assertRaises(phasor.IncompatibleIPUConfigError):
            phasor.IPUConfig(layers_per_ipu=[1, 2]).settings(2)
        for wrong in (object(), float("nan"), b"x", {1, 2}):
            with self.assertRaises(TypeError):
                config.seed = wrong


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments):
        environment = {**os.environ, "PYTHONPATH": FOLDER.name}
        done = subprocess.run([sys.executable, ROOT / "examples" / name, *map(str, arguments)], capture_output=True,
                              text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_they_run(self):
        self.assertIn("right", self.run_example("own_model.py", "training.steps", 20))
        self.assertIn("2 devices", self.run_example("mnist_pipeline.py", "-", "training.steps", 1))

    def test_questions(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "scripts" / "make_sample_data.py", "--output", folder, "--train-contexts", "12",
                            "--dev-contexts", "4"],
                           check=True, stdout=subprocess.DEVNULL)
            settings = [text for key, value in SMALL.items() for text in (key, value)]
            text = self.run_example("squad.py", f"{folder}/train.json", f"{folder}/dev.json", f"{folder}/vocab.txt",
                                    f"{folder}/run", *settings)
        self.assertIn("4 steps", text)

    def test_importing_is_quick(self):
        code = "import time; t = time.perf_counter(); import numpy; a = time.perf_counter(); import phasor; " \
               "print(time.perf_counter() - a)"
        environment = {**os.environ, "PYTHONPATH": FOLDER.name}
        seconds = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                                        env=environment).stdout) for _ in range(3)]
        self.assertLess(min(seconds), 0.3)

    def test_the_first_step_begins_soon(self):
        code = """
import sys, time
begin = time.perf_counter()
import phasor
class Watch(phasor.Callback):
    def on_train_batch_start(self, trainer, step):
        print(time.perf_counter() - begin)
phasor.Trainer("squad-tiny", output=sys.argv[2], progress=False, callbacks=[Watch()], **{
    "data.train": f"{sys.argv[1]}/train.json", "data.vocab": f"{sys.argv[1]}/vocab.txt", "training.steps": 1}).fit()
"""
        environment = {**os.environ, "PYTHONPATH": FOLDER.name}
        in_python, of_program, of_loops = [], [], []
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "scripts" / "make_sample_data.py", "--output", folder], check=True,
                           stdout=subprocess.DEVNULL)
            for n in range(3):
                of_loops += loops()
                in_python.append(float(subprocess.run([sys.executable, "-c", code, folder, f"{folder}/run{n}"], check=True,
                                                      capture_output=True, text=True, env=environment).stdout))
                begin = time.perf_counter()
                subprocess.run([PROGRAM, "train", "squad-tiny", "--data.train", f"{folder}/train.json",
                                "--data.vocab", f"{folder}/vocab.txt", "--training.steps", "1",
                                "--output", f"{folder}/program{n}", "--quiet"], check=True, stdout=subprocess.DEVNULL)
                of_program.append(time.perf_counter() - begin)
        self.assertLess(min(in_python), min(of_program) + 0.3)  # importing takes up to 0.3 of it
        self.assertLess(min(in_python), 1.3 * statistics.median(of_loops) / min(of_loops))


if __name__ == "__main__":
    unittest.main()
