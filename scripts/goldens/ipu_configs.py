#!/usr/bin/env python3
"""Makes tests/goldens/ipu_configs/*.json, for tests/cli/ipu_config_test.py: files of the forms in which configurations for
optimum-graphcore were published, each with the fields that such files have, and values of their kind.

Which fields and which kinds of values those are was seen in the published ones: of a whole number in early files also a
number for each size of machine ("pod4"), 0 for no serialisation, fields that later versions dropped. Uses the standard
library.
"""

import json
import pathlib

TARGET = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "ipu_configs"

# Of those that train on a host with remote buffers.
COMMON = {"recompute_checkpoint_every_layer": True, "optimizer_state_offchip": True, "replicated_tensor_sharding": True,
          "enable_half_partials": True, "executable_cache_dir": "./exe_cache"}
POD = {"pod4": 1, "pod8": 2, "pod16": 4, "pod32": 8, "pod64": 16, "default": 1}

FILES = {
    # Encoders of 12 layers: the embeddings have an IPU of their own.
    "base": COMMON | {"embedding_serialization_factor": 2, "enable_half_first_order_momentum": True, "device_iterations": 1,
                      "inference_device_iterations": 4, "replication_factor": 2, "inference_replication_factor": 2,
                      "gradient_accumulation_steps": 8, "ipus_per_replica": 4, "layers_per_ipu": [0, 4, 4, 4], "matmul_proportion": 0.22,
                      "output_mode": "final", "seed": 42, "optimum_version": "1.0.0", "transformers_version": "4.18.0"},
    # As from_pretrained and save_pretrained leave it: every field.
    "saved": COMMON | {"auto_loss_scaling": False, "device_iterations": 2, "embedding_serialization_factor": 1,
                       "enable_half_partials": False, "executable_cache_dir": "", "execute_encoder_on_cpu_for_generation": False,
                       "explicit_ir_inference": False, "gradient_accumulation_steps": 16, "inference_device_iterations": 5,
                       "inference_embedding_serialization_factor": None, "inference_ipus_per_replica": 4,
                       "inference_layers_per_ipu": None, "inference_matmul_proportion": None, "inference_parallelize_kwargs": None,
                       "inference_projection_serialization_factor": None, "inference_replication_factor": 4,
                       "inference_serialized_embedding_splits_per_ipu": None, "inference_serialized_projection_splits_per_ipu": None,
                       "ipus_per_replica": 4, "layers_per_ipu": [3, 3, 3, 3], "matmul_proportion": [0.3, 0.3, 0.3, 0.3],
                       "optimizer_state_offchip": False, "optimum_version": "1.6.1", "output_mode": "final", "parallelize_kwargs": None,
                       "profile_dir": "", "projection_serialization_factor": None, "recompute_checkpoint_every_layer": False,
                       "replication_factor": 1, "seed": 1984, "serialized_embedding_splits_per_ipu": None,
                       "serialized_projection_splits_per_ipu": None, "sharded_execution_for_inference": False,
                       "transformers_version": "4.29.2"},
    # Encoders of 24 layers: fewer beside the embeddings.
    "large": COMMON | {"embedding_serialization_factor": 3, "device_iterations": 4, "inference_device_iterations": 4,
                       "replication_factor": 2, "inference_replication_factor": 4, "gradient_accumulation_steps": 4, "ipus_per_replica": 4,
                       "layers_per_ipu": [3, 7, 7, 7], "matmul_proportion": [0.1, 0.2, 0.25, 0.25], "seed": 1984},
    # A later one leaves out what is a default, and says by -1 that layers are shared out.
    "short": {"layers_per_ipu": [-1], "ipus_per_replica": 2, "gradient_accumulation_steps": 4, "matmul_proportion": 0.25},
    # Decoders: 0 for a table that is whole.
    "zero": COMMON | {"embedding_serialization_factor": 0, "replication_factor": 4, "gradient_accumulation_steps": 16,
                      "ipus_per_replica": 4, "layers_per_ipu": [3, 7, 7, 7], "matmul_proportion": [0.15, 0.12, 0.15, 0.2]},
    # An early one: a number for each size of machine.
    "machines": COMMON | {"embedding_serialization_factor": 2, "enable_half_first_order_momentum": True, "replication_factor": POD,
                          "inference_replication_factor": POD, "gradient_accumulation_steps": 512, "ipus_per_replica": 4,
                          "layers_per_ipu": [0, 4, 4, 4], "matmul_proportion": [0.25, 0.2, 0.2, 0.25]},
    # The earliest: fields that are no more.
    "dropped": COMMON | {"async_dataloader": True, "random_seed": 1984, "embedding_serialization_factor": 1, "replication_factor": 4,
                         "gradient_accumulation_steps": 16, "ipus_per_replica": 4, "layers_per_ipu": [0, 4, 4, 4]},
    # One proportion, in a list, for four IPUs.
    "proportion": COMMON | {"ipus_per_replica": 4, "layers_per_ipu": [0, 4, 4, 4], "matmul_proportion": [0.25]},
    # Encoders with a decoder, of which large tables are spread over IPUs.
    "splits": COMMON | {"layers_per_ipu": [0, 8, 8, 0], "serialized_embedding_splits_per_ipu": [4, 4, 0, 0],
                        "embedding_serialization_factor": None, "matmul_proportion": 0.25, "inference_matmul_proportion": 0.6},
    "projection": COMMON | {"layers_per_ipu": [5, 7, 5, 7], "matmul_proportion": [0.2, 0.2, 0.6, 0.6], "projection_serialization_factor": 5,
                            "inference_layers_per_ipu": [12, 12], "inference_parallelize_kwargs": {"use_cache": True}},
}

if __name__ == "__main__":
    TARGET.mkdir(exist_ok=True)
    for name, fields in FILES.items():
        (TARGET / f"{name}.json").write_text(json.dumps(fields, indent=2, sort_keys=True) + "\n")
