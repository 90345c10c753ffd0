// HDF5 files as our layer reads them. Mutated are files in the form that it writes, whose sums tell damage: behind
// right sums, and in older forms without, the library itself (1.10.8) ends on what was made to end it.
#include <hdf5.h>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/hdf5/hdf5.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_file.h"

namespace phasor::fuzz {

namespace {

std::string our_file(const io::Hdf5Storage& storage) {
  InputFile file;
  auto made = io::Hdf5File::create(file.path());
  made.set_attribute("/", "format", "phasor checkpoint");
  made.set_attribute("/", "version", std::int64_t{1});
  made.set_attribute("/", "loss_scale", 1.5);
  made.write<float>("/weight/a", {5, 3}, std::vector<float>(15, 0.25f), storage);
  made.write<float>("/weight/b", {2, 2, 2, 2}, std::vector<float>(16, 2), storage);
  made.write<std::int64_t>("/numbers", {4}, std::vector<std::int64_t>{1, 2, 3, 4}, storage);
  made.write<std::uint8_t>("/bytes", {}, std::vector<std::uint8_t>{7}, storage);
  made.write<std::int32_t>("/none", {0, 2}, std::vector<std::int32_t>{}, storage);
  made.close();
  return io::read_file("fuzz", file.path());
}

// As other programs write: the oldest form of the format, whose own data has no sums, and an empty dataset that can
// grow.
std::string old_file() {
  InputFile file;
  const hid_t made = H5Fcreate(file.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t none = 0, any = H5S_UNLIMITED, chunk = 4, some[] = {3, 2};
  H5Pset_chunk(layout, 1, &chunk);
  H5Pset_fletcher32(layout);
  const hid_t growing = H5Screate_simple(1, &none, &any), fixed = H5Screate_simple(2, some, nullptr);
  const hid_t empty = H5Dcreate2(made, "empty", H5T_IEEE_F32LE, growing, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hid_t whole = H5Dcreate2(made, "whole", H5T_IEEE_F32BE, fixed, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const float values[6] = {1, 2, 3, 4, 5, 6};
  H5Dwrite(whole, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  const hid_t text = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
  H5Tset_size(text, H5T_VARIABLE);
  const hid_t format = H5Acreate2(made, "format", text, one, H5P_DEFAULT, H5P_DEFAULT);
  const char* said = "phasor checkpoint";
  H5Awrite(format, text, &said);
  for (const hid_t id : {format, empty, whole, text, one, growing, fixed, layout}) H5Idec_ref(id);
  H5Fclose(made);
  return io::read_file("fuzz", file.path());
}

// Calls `action`, whose UserErrors are answers.
template <class Action>
void try_to(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    ensure(std::string_view(error.what()).find('\n') == std::string_view::npos,
           "fuzz: the message '{}' is not one line", error.what());
  }
}

template <class T>
void read_as(const io::Hdf5File& file, const std::string& name) {
  try_to([&] { file.read<T>(name); });
  try_to([&] {
    std::vector<T> two(2);
    file.read_elements<T>(name, 1, two);
  });
}

void read_all(const std::string& path) {
  const auto file = io::Hdf5File::open(path);
  for (const char* name : {"format", "version", "loss_scale"}) {
    if (!file.has_attribute("/", name)) continue;
    try_to([&] { file.string_attribute("/", name); });
    try_to([&] { file.integer_attribute("/", name); });
    try_to([&] { file.double_attribute("/", name); });
  }
  for (const std::string group : {"/", "/weight"}) {
    if (!file.exists(group)) continue;
    try_to([&] {
      for (const std::string& name : file.children(group)) {
        const std::string path_of_it = group == "/" ? "/" + name : group + "/" + name;
        try_to([&] { file.dataset(path_of_it); });
        read_as<float>(file, path_of_it);
        read_as<std::int64_t>(file, path_of_it);
        read_as<std::int32_t>(file, path_of_it);
        read_as<std::uint8_t>(file, path_of_it);
      }
    });
  }
}

}  // namespace

std::vector<std::string> seeds() { return {our_file({}), our_file({.chunk_bytes = 16}), our_file({.deflate = 1})}; }

std::vector<std::string> words() {
  return {"OHDR",
          "OCHK",
          "FRHP",
          "FHDB",
          "BTHD",
          "BTLF",
          "FADB",
          "EAHD",
          "TREE",
          "SNOD",
          "HEAP",
          "GCOL",
          "weight",
          std::string(8, '\xff'),
          std::string(8, '\0'),
          std::string("\1\0\0\0\0\0\0\0", 8),
          std::string("\0\0\0\0\0\0\0\x10", 8),
          std::string("\0\0\0\x40\0\0\0\0", 8)};
}

void read_input(const std::string& path) {
  static const bool old_is_read = [] {
    InputFile file;
    file.set(old_file());
    read_all(file.path());
    return true;
  }();
  ensure(old_is_read, "fuzz: files of other programs are read");
  read_all(path);
}

}  // namespace phasor::fuzz
