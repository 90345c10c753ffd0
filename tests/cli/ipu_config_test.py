#!/usr/bin/env python3
"""Files of the forms in which IPUConfigs were published: what they ask for shows in `phasor plan`, or why it cannot be had.

Usage: ipu_config_test.py PROGRAM. The files are made by scripts/goldens/ipu_configs.py. Uses the standard library.
"""

import json
import pathlib
import re
import tempfile
import unittest

from command_line import ROOT, CommandLineTest, phasor

FILES = ROOT / "tests" / "goldens" / "ipu_configs"
# A small model with as many layers as theirs.
SMALL = {"model.hidden_size": 8, "model.heads": 1, "model.intermediate_size": 8, "model.sequence_length": 8, "model.vocab_size": 64,
         "execution.micro_batch_size": 2, "execution.threads_per_replica": 1}

ASKED = {
    "base": (12, {"execution.data_parallel": "2", "training.global_batch_size": "32", "execution.pipeline.devices": "4",
                  "execution.pipeline.stages": "0-1, 2-5, 6-9, 10-14", "execution.embedding_serialization_factor": "2",
                  "execution.recompute": "layer", "execution.replicated_tensor_sharding": "true", "model.seed": "42",
                  "data.cache": "./exe_cache"},
             ["matmul_proportion 0.22", "enable_half_partials", "enable_half_first_order_momentum", "optimizer_state_offchip"]),
    "saved": (12, {"execution.data_parallel": "1", "training.global_batch_size": "32", "execution.pipeline.devices": "4",
                   "execution.pipeline.stages": "0-4, 5-7, 8-10, 11-14", "execution.embedding_serialization_factor": "1",
                   "execution.recompute": "none", "execution.replicated_tensor_sharding": "true", "model.seed": "1984",
                   "execution.device_iterations": "2", "execution.outputs": "final"},
              ["matmul_proportion [0.3,0.3,0.3,0.3]", "optimizer_state_offchip false", "replicated_tensor_sharding"]),
    "large": (24, {"execution.data_parallel": "2", "training.global_batch_size": "16", "execution.pipeline.devices": "4",
                   "execution.pipeline.stages": "0-4, 5-11, 12-18, 19-26", "execution.embedding_serialization_factor": "3",
                   "execution.recompute": "layer", "model.seed": "1984", "execution.device_iterations": "4"},
              ["matmul_proportion [0.1,0.2,0.25,0.25]"]),
    "short": (7, {"execution.data_parallel": "1", "training.global_batch_size": "8", "execution.pipeline.devices": "2",
                  "execution.pipeline.stages": "0-4, 5-9", "execution.recompute": "none", "execution.replicated_tensor_sharding": "false"},
              ["optimizer_state_offchip false"]),
}
REFUSED = {
    "zero": "embedding_serialization_factor is 0, expected 1 or more",
    "machines": "inference_replication_factor is {\"default\":1,\"pod16\":4,\"pod32\":8,\"pod4\":1,\"pod64\":16,\"pod8\":2}, expected a whole "
                "number. Choose the one for your machine",
    "dropped": "an IPUConfig has no such fields: async_dataloader = true, random_seed = 1984",
    "proportion": "matmul_proportion [0.25] is for 1 IPUs, ipus_per_replica is 4",
    "splits": "serialized_embedding_splits_per_ipu [4,4,0,0] spreads a table over devices",
    "projection": "projection_serialization_factor 5 cuts the head alone",
}


class PublishedConfigurations(CommandLineTest):
    def plan(self, name, layers):
        with tempfile.TemporaryDirectory() as cache:
            keys = SMALL | {"model.layers": layers, "data.cache": cache}
            return phasor("plan", "squad-tiny", "--ipu-config", FILES / f"{name}.json", "--json",
                          *(word for key, value in keys.items() for word in (f"--{key}", value)))

    def test_every_file_is_looked_at(self):
        self.assertEqual({path.stem for path in pathlib.Path(FILES).glob("*.json")}, {*ASKED, *REFUSED})

    def test_what_they_ask_for_shows(self):
        for name, (layers, keys, notes) in ASKED.items():
            plan = self.plan(name, layers)
            self.assertEqual(plan.returncode, 0, plan.stderr)
            for key, value in keys.items():
                self.assertIn(f"{key} {value}", plan.stderr, name)
            for note in notes:
                self.assertIn(f"ipu_config: {note}", plan.stderr, name)
            shown = json.loads(plan.stdout.splitlines()[-1])
            self.assertEqual(len(shown["pipeline"]["devices"]), int(keys["execution.pipeline.devices"]), name)
            micro_batches = re.search(r"^micro-batches +(\d+)  of (\d+) samples, on each of (\d+) replicas", plan.stdout, re.MULTILINE)
            accumulation, samples, replicas = map(int, micro_batches.groups())
            self.assertEqual(replicas, int(keys["execution.data_parallel"]), name)
            self.assertEqual(accumulation * samples * replicas, int(keys["training.global_batch_size"]), name)

    def test_what_cannot_be_had_says_why(self):
        for name, reason in REFUSED.items():
            self.expect_mistake(self.plan(name, {"zero": 24, "projection": 24, "splits": 16}.get(name, 12)), reason)


if __name__ == "__main__":
    unittest.main()
