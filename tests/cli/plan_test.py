#!/usr/bin/env python3
"""phasor plan as a user meets it: what it says of memory and time, and what it keeps and draws.

Usage: plan_test.py PROGRAM. Uses the standard library.
"""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

from command_line import PROGRAM, SANITIZED, CommandLineTest, phasor


class Plan(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        """What nobody asks to be measured anew is measured once."""
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.rates = folder.name

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def plan(self, *arguments, cache=None):
        run = phasor("plan", *arguments, "--data.cache", cache or self.rates, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout, json.loads(run.stdout.splitlines()[-1])

    def plan_tiny(self, *arguments, **options):
        return self.plan("squad-tiny", "--model.hidden_size", 16, "--model.intermediate_size", 32,
                         "--model.sequence_length", 24, "--model.vocab_size", 50, *arguments, **options)

    def test_plan_prints_the_program_if_asked(self):
        peaks = []
        # The first layer and the last have other neighbours to prefetch for than the rest.
        for depth, alike in ((0, "23 .. 0"), (1, "22 .. 1")):
            text, report = self.plan("squad-large", "--execution.prefetch_depth", depth, "--program",
                                     "--execution.micro_batch_size", 1, "--training.global_batch_size", 2)
            self.assertIn(f"phase gradient layer  for n = {alike}", text)
            peaks.append(report["device_peak_bytes"])
        self.assertGreater(peaks[0], 0)
        self.assertGreater(peaks[1], peaks[0])
        self.assertNotIn("load ", self.plan_tiny()[0].split("phases", 1)[0])

    def test_plan_prints_what_passes_did_if_asked(self):
        text, report = self.plan_tiny("--passes")
        passes = report["passes"]
        self.assertEqual([one["name"] for one in passes],
                         ["fuse ops", "lower precision", "name values", "make units", "differentiate", "choose products",
                          "pack weights", "write phases", "overlap transfers", "plan memory"])
        for count in ("graphs", "nodes", "slots", "steps"):
            for before, after in zip(passes, passes[1:]):
                self.assertEqual(before[count]["after"], after[count]["before"])
        self.assertLess(passes[0]["nodes"]["after"], passes[0]["nodes"]["before"])
        written = next(one for one in passes if one["name"] == "write phases")
        self.assertGreater(written["steps"]["after"], 0)
        self.assertIn(f"{passes[0]['nodes']['before']} -> {passes[0]['nodes']['after']}", text)
        self.assertNotIn("passes", self.plan_tiny()[1])

    def test_products_that_are_not_there_are_refused(self):
        plan = ["plan", "squad-tiny", "--data.cache", "none", "--execution.products"]
        self.expect_mistake(phasor(*plan, "mkl"), "execution.products", "mkl", "openblas")
        self.assertEqual(phasor(*plan, "eigen").returncode, 0)
        with unittest.mock.patch.dict(os.environ, ONEDNN_MAX_CPU_ISA="SSE41"):  # for which it has no fast kernels
            self.expect_mistake(phasor(*plan, "onednn"), "execution.products onednn is not installed", "auto")

    def test_plan_predicts_memory_and_time_by_phase(self):
        for execution in ([], ["--execution.mode", "monolithic"], ["--training.max_grad_norm", 1],
                          ["--execution.data_parallel", 2, "--execution.prefetch_depth", 1]):
            text, report = self.plan_tiny(*execution)
            self.assertLessEqual({"device_peak_bytes", "device_lower_bound_bytes", "remote_bytes", "host_bytes",
                                  "predicted_step_seconds", "predicted_samples_per_second", "phases"}, set(report))
            phases = report["phases"]
            self.assertGreater(report["predicted_step_seconds"], 0)
            self.assertLess(0, report["eval_device_peak_bytes"])
            self.assertLess(report["eval_device_peak_bytes"], report["device_peak_bytes"])
            self.assertIn("device memory, eval", text)
            self.assertAlmostEqual(sum(phase["seconds"] for phase in phases), report["predicted_step_seconds"])
            self.assertAlmostEqual(report["predicted_step_seconds"] * report["predicted_samples_per_second"], 16)
            self.assertEqual(max(phase["peak_bytes"] for phase in phases), report["device_lower_bound_bytes"])
            self.assertEqual(sum(phase["loaded_bytes"] for phase in phases), report["loaded_bytes"])
            for phase in phases:
                self.assertEqual(sum(phase["held_bytes"].values()), phase["peak_bytes"], phase)
                self.assertAlmostEqual(phase["seconds"], phase["compute_seconds"] + phase["collective_seconds"] +
                                       phase["stall_seconds"])
                count = f" x {phase['instances']}" if phase["instances"] > 1 else ""
                self.assertTrue(any(line.startswith(phase["name"] + count + " ") for line in text.splitlines()), text)
        self.assertGreater(report["host_bytes"], report["remote_bytes"] + 2 * report["device_peak_bytes"])

    def test_plan_shows_each_device_and_the_bubble(self):
        machine = self.path / "machine.yml"
        machine.write_text("flops: 1e10\nmemory: 1GiB\nremote: {bandwidth: 1GiB, latency: 1e-6}\nlink: {latency: 1e-6}\n")
        options = ["--execution.pipeline.devices", 2, "--execution.pipeline.group", 1, "--machine", machine]
        for schedule, groups in (("sequential", 8), ("gpipe", 8), ("1f1b", 8), ("interleaved", 8)):
            text, report = self.plan_tiny(*options, "--execution.pipeline.schedule", schedule)
            pipeline = report["pipeline"]
            devices = pipeline["devices"]
            self.assertEqual(len(devices), 2)
            self.assertEqual(max(device["device_peak_bytes"] for device in devices), report["device_peak_bytes"])
            self.assertAlmostEqual(sum(device["flops"] for device in devices), report["flops"])
            self.assertEqual({phase["device"] for phase in report["phases"]}, {0, 1})
            self.assertEqual(pipeline["groups"], groups)
            parts = 2 if schedule == "interleaved" else 1
            self.assertAlmostEqual(pipeline["textbook_idle_share"], 1 / (parts * groups + 1))
            self.assertGreater(pipeline["idle_share"], 0.35 if schedule == "sequential" else 0)
            self.assertLess(pipeline["idle_share"], 0.6 if schedule == "sequential" else 0.5)
            self.assertIn("device 1", text)
        machine.write_text("flops: 1e10\nlink: {width: 3}\n")
        self.expect_mistake(phasor("plan", "squad-tiny", "--data.cache", "none", "--machine", machine), "link.width")

    # Its last device takes each group back at once, which those in front of it need not wait for.
    def test_gpipe_idles_as_little_as_others(self):
        machine = self.path / "machine.yml"
        machine.write_text("flops: 1e10\nmemory: 1GiB\nremote: {bandwidth: 1GiB, latency: 1e-6}\nlink: {latency: 1e-6}\n")
        for mode in ("monolithic", "phased"):
            idle = {}
            for schedule in ("gpipe", "1f1b"):
                report = self.plan_tiny("--model.layers", 8, "--execution.mode", mode, "--execution.pipeline.devices", 2,
                                        "--execution.pipeline.group", 1, "--execution.pipeline.schedule", schedule,
                                        "--machine", machine)[1]
                idle[schedule] = report["pipeline"]["idle_share"]
            self.assertLess(idle["gpipe"], idle["1f1b"] + 0.03, mode)

    def test_plan_of_a_model_that_no_machine_could_hold(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        report = self.plan("squad-large", "--model.layers", 96, "--model.hidden_size", 12288, "--model.heads", 96,
                           "--model.intermediate_size", 49152)[1]
        if not SANITIZED:  # which takes its time
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 30)
        self.assertGreater(report["remote_bytes"], 2e12)  # of what takes the least, for nothing fits
        self.assertFalse(report["tiers"][1]["fits"])
        self.assertGreater(report["predicted_step_seconds"], 100)

    def cost_of_plan(self, *arguments):
        """The report, the seconds of one core, and the resident bytes that making it took."""
        command = [str(PROGRAM), "plan", *map(str, arguments), "--data.cache", "none", "--json",
                   "--execution.threads_per_replica", "1"]  # teams that wait for each other would count, too
        with open(self.path / "plan.txt", "wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        report = json.loads((self.path / "plan.txt").read_text().splitlines()[-1])
        return report, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def expect_cheap_plan(self, *arguments):
        report, seconds, resident = self.cost_of_plan(*arguments)
        if not SANITIZED:
            self.assertLess(seconds, 20)
            self.assertLess(resident, 200 << 20)
        return report

    def test_plan_of_an_embedding_in_slices(self):
        sizes = ["squad-tiny", "--model.vocab_size", 30522]
        report = self.expect_cheap_plan(*sizes, "--execution.embedding_serialization_factor", 4)
        phases = {phase["name"]: phase for phase in report["phases"]}
        self.assertEqual(phases["forward word_embedding"]["instances"], 4)
        self.assertGreater(phases["forward word_embedding"]["compute_seconds"], 0)
        self.expect_cheap_plan(*sizes, "--execution.device_memory", "12MiB")

    def test_plan_of_widths_with_few_factors_of_two(self):
        for hidden, heads in ((4000, 125), (20000, 100)):
            self.expect_cheap_plan("squad-tiny", "--model.hidden_size", hidden, "--model.heads", heads)

    def test_plan_of_very_many_layers(self):
        report = self.expect_cheap_plan("squad-tiny", "--model.layers", 6000)
        shallow = self.expect_cheap_plan("squad-tiny", "--model.layers", 60)
        self.assertEqual(report["device_peak_bytes"], shallow["device_peak_bytes"])
        phases = {phase["name"]: phase for phase in report["phases"]}
        self.assertEqual(phases["gradient layer"]["instances"], 6000)
        self.assertEqual(sum(phases["gradient layer"]["held_bytes"].values()), phases["gradient layer"]["peak_bytes"])

    def test_plan_keeps_the_rates_that_it_measured(self):
        cache = self.path / "rates"
        host = ["--execution.host_memory", "1GiB"]  # what is free changes
        first = self.plan_tiny(*host, cache=cache)[1]
        file, = cache.glob("rates-*.json")
        self.assertEqual(self.plan_tiny(*host, cache=cache)[1], first)
        file.write_text("{")
        self.plan_tiny(cache=cache)
        rates = json.loads(file.read_text())
        # What the file says counts: at a tenth of the speed a step takes ten times as long.
        rates["nodes"] = {name: rate / 10 for name, rate in rates["nodes"].items()}
        before = self.plan_tiny(cache=cache)[1]
        file.write_text(json.dumps(rates))
        slow = self.plan_tiny(cache=cache)[1]
        seconds = [sum(phase["compute_seconds"] for phase in report["phases"]) for report in (before, slow)]
        self.assertGreater(seconds[1], 5 * seconds[0])
        self.plan_tiny("--calibrate", cache=cache)
        self.assertNotEqual(json.loads(file.read_text())["nodes"], rates["nodes"])

    def test_plan_reckons_with_the_link_that_it_is_told(self):
        files = ["--execution.remote.store", "file", "--execution.remote.path", self.path / "store",
                 "--execution.prefetch_depth", 0]
        report = self.plan_tiny(*files)[1]
        self.assertGreater(sum(phase["load_seconds"] for phase in report["phases"]), 0)
        self.assertFalse((self.path / "store").exists())
        self.assertFalse(list(self.path.glob("phasor-rates-*")))
        report = self.plan_tiny(*files, "--execution.remote.bandwidth", "1MiB")[1]
        for direction in ("load", "stor"):
            seconds = sum(phase["load_seconds" if direction == "load" else "store_seconds"]
                          for phase in report["phases"])
            self.assertAlmostEqual(seconds, report[direction + "ed_bytes"] / 2**20)

    def test_plan_draws_the_arena(self):
        path = self.path / "plan.svg"
        self.plan_tiny("--picture", path, "--execution.device_memory", "64MiB")
        svg = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual(svg.tag, "{http://www.w3.org/2000/svg}svg")
        text = " ".join(svg.itertext())
        for word in ("forward layer x 2", "gradient head", "weights", "workspace", "budget 64 MiB"):
            self.assertIn(word, text)
        blocks = [rect for rect in svg.iter("{http://www.w3.org/2000/svg}rect") if rect.get("class") == "block"]
        self.assertGreater(len(blocks), 50)
        self.assertTrue(all(float(rect.get(side)) > 0 for rect in blocks for side in ("width", "height")))
        self.expect_mistake(phasor("plan", "squad-tiny", "--picture", self.path / "nowhere" / "plan.svg"), "plan.svg")

    def test_plan_draws_devices_under_each_other(self):
        path = self.path / "pipeline.svg"
        report = self.plan_tiny("--picture", path, "--execution.pipeline.devices", 2,
                                "--execution.mode", "monolithic")[1]
        svg = xml.etree.ElementTree.parse(path).getroot()
        text = " ".join(svg.itertext())
        for device, facts in enumerate(report["pipeline"]["devices"]):
            for word in (f"device {device}", f"idle {100 * facts['idle_share']:.1f} %", f"Memory of device {device}"):
                self.assertIn(word, text)
        boxes = [rect for rect in svg.iter("{http://www.w3.org/2000/svg}rect") if rect.get("class") == "work"]
        rows = {}
        for box in boxes:
            row = rows.setdefault(box.get("y"), [])
            self.assertGreaterEqual(float(box.get("x")) + 0.02, row[-1] if row else 0)
            row.append(float(box.get("x")) + float(box.get("width")))
        self.assertEqual(len(rows), 2)

    def test_plan_shows_what_does_not_fit(self):
        text, report = self.plan("squad-base", "--execution.device_memory", "1MiB", "--execution.host_memory", "1MiB")
        self.assertIn("execution.device_memory 1.0 MiB is too little", text)
        self.assertIn("host memory: 1.0 MiB, all that execution.host_memory leaves, are too little", text)
        self.assertEqual({tier["tier"]: tier["fits"] for tier in report["tiers"]}, {"device": False, "host": False})

    def test_plan_tells_every_tier(self):
        files = ["--execution.remote.store", "file", "--execution.remote.path", self.path / "store",
                 "--execution.remote.bandwidth", "1GiB",  # or it would be measured
                 "--execution.device_memory", "1GiB", "--execution.host_memory", "2GiB"]
        report = self.plan_tiny(*files)[1]
        device, host, file = report["tiers"]
        self.assertEqual(device, {"tier": "device", "needed_bytes": report["device_peak_bytes"],
                                  "available_bytes": 1 << 30, "fits": True})
        self.assertEqual((host["needed_bytes"], host["available_bytes"]), (report["host_bytes"], 2 << 30))
        self.assertEqual((file["tier"], file["needed_bytes"]), ("file", report["remote_bytes"]))
        self.assertGreater(file["available_bytes"], 0)
        device, host = self.plan_tiny()[1]["tiers"]
        self.assertIsNone(device["available_bytes"])
        self.assertGreater(host["available_bytes"], 0)  # of this machine

    def test_plan_tells_what_remote_memory_holds(self):
        for options in ([], ["--training.max_grad_norm", 1], ["--model.precision", "bfloat16"],
                        ["--model.layers", 60, "--execution.recompute", "layer"]):
            report = self.plan_tiny(*options)[1]
            self.assertEqual(sum(report["remote_held_bytes"].values()), report["remote_bytes"], options)

    def test_training_refuses_what_the_host_has_no_room_for(self):
        output = self.path / "run"
        run = phasor("train", "squad-large", "--data.train", "nowhere.json", "--output", output,
                     "--execution.host_memory", "4GiB")
        self.expect_mistake(run, "host memory: 4096.0 MiB, all that execution.host_memory leaves, are too little")
        self.assertIn("  execution.remote.store file ", run.stderr)
        self.assertFalse(output.exists())

    def test_what_is_kept_heeds_the_host(self):
        sizes = ["squad-large", "--execution.micro_batch_size", 1, "--training.global_batch_size", 8]
        everything = self.plan(*sizes, "--execution.host_memory", "1TiB")[1]
        less = self.plan(*sizes, "--execution.host_memory", everything["host_bytes"] - 1)[1]
        self.assertTrue(all(tier["fits"] for tier in less["tiers"]))
        self.assertLess(less["remote_held_bytes"]["kept_activations"], everything["remote_held_bytes"]["kept_activations"])
        self.assertGreater(less["remote_held_bytes"]["kept_activations"], 0)


if __name__ == "__main__":
    unittest.main()
