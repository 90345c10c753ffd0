#!/usr/bin/env python3
"""A checkpoint as others read it: h5py finds the names of Transformers and the bits that were trained.

Usage: h5py_test.py TRAINED_TENSORS. Needs h5py and NumPy.
"""

import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy


def find_flipped_bit(path, name):
    """The library refuses the tensor when a bit of its first chunk has changed."""
    with h5py.File(path, "r") as file:
        place = file[name].id.get_chunk_info(0).byte_offset + 5
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)
    with h5py.File(path, "r") as file:
        try:
            file[name][:]
        except OSError as error:
            assert "Fletcher32" in str(error) or "filter" in str(error), error
        else:
            raise AssertionError(f"{name} is read in spite of a flipped bit")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], folder], check=True, timeout=300)
        tensors = 0
        with h5py.File(folder / "checkpoint.h5", "r") as file:
            assert file.attrs["format"].decode() == "phasor checkpoint", file.attrs["format"]
            assert (file.attrs["step"], file.attrs["samples"], file.attrs["seed"]) == (3, 144, 1234)
            assert set(file) == {"weight", "moment1", "moment2"}, set(file)
            for group in file:
                assert set(file[group]) == {path.name for path in (folder / group).iterdir()}
                for tensor, dataset in file[group].items():
                    trained = numpy.fromfile(folder / group / tensor, "<u4")
                    assert dataset.dtype == numpy.dtype("<f4") and dataset.fletcher32, tensor
                    assert numpy.array_equal(dataset[:].ravel().view("<u4"), trained), f"{group}/{tensor}"
                    assert numpy.any(trained), f"{group}/{tensor} is zero"
                    tensors += 1
            query = file["weight/bert.encoder.layer.2.attention.self.query.weight"]
            assert query.shape == (24, 24), query.shape
        find_flipped_bit(folder / "checkpoint.h5", "moment2/bert.encoder.layer.1.output.dense.weight")
        print(f"{tensors} tensors are equal to the bit")


if __name__ == "__main__":
    main()
