#include <algorithm>

#include "io/hdf5/hdf5.h"
#include "io/hdf5/hdf5_handle.h"

namespace phasor::io {

namespace {

// HDF5 keeps an attribute in the header of its object, which ends at 64 KiB.
constexpr std::size_t kMaxStringBytes = 64'000;

void write_attribute(const std::string& file, hid_t file_id, const std::string& object, const std::string& name,
                     hid_t type, const void* value) {
  const Hdf5Handle owner(H5Oopen(file_id, object.c_str(), H5P_DEFAULT), H5Oclose);
  check_hdf5(owner.valid(), file, object, "does not exist, expected a group or dataset");
  if (H5Aexists(owner.get(), name.c_str()) > 0) H5Adelete(owner.get(), name.c_str());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle made(H5Acreate2(owner.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!made.valid() || H5Awrite(made.get(), type, value) < 0)
    check_hdf5(false, file, object, "attribute '{}' cannot be written: {}", name, hdf5_reason());
}

struct Attribute {
  Hdf5Handle id;
  Hdf5Handle type;
};

Attribute open_attribute(const std::string& file, hid_t file_id, const std::string& object, const std::string& name,
                         H5T_class_t expected, const char* expected_name) {
  Hdf5Handle id(H5Aopen_by_name(file_id, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check_hdf5(id.valid(), file, object, "has no attribute '{}'", name);
  Hdf5Handle type(H5Aget_type(id.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(id.get()), H5Sclose);
  check_hdf5(H5Tget_class(type.get()) == expected && H5Sget_simple_extent_npoints(space.get()) == 1, file, object,
             "attribute '{}' is not {}", name, expected_name);
  return {std::move(id), std::move(type)};
}

void read_attribute(const std::string& file, const std::string& object, const std::string& name,
                    const Attribute& attribute, hid_t type, void* value) {
  if (H5Aread(attribute.id.get(), type, value) < 0)
    check_hdf5(false, file, object, "attribute '{}' cannot be read: {}. The file is damaged", name, hdf5_reason());
}

}  // namespace

void Hdf5File::set_attribute(const std::string& object, const std::string& name, std::string_view value) {
  check_hdf5(value.size() < kMaxStringBytes, path_, object,
             "attribute '{}' is a string of {} bytes, expected fewer than {}", name, value.size(), kMaxStringBytes);
  check_hdf5(value.find('\0') == value.npos, path_, object, "attribute '{}' is a string with NUL in it", name);
  const std::string terminated(value);  // H5Awrite reads the terminator of an empty string
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(1, value.size()));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  write_attribute(path_, id_, object, name, type.get(), terminated.c_str());
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  write_attribute(path_, id_, object, name, H5T_NATIVE_INT64, &value);
}

void Hdf5File::set_attribute(const std::string& object, const std::string& name, double value) {
  write_attribute(path_, id_, object, name, H5T_NATIVE_DOUBLE, &value);
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return exists(object) && H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string Hdf5File::string_attribute(const std::string& object, const std::string& name) const {
  const Attribute attribute = open_attribute(path_, id_, object, name, H5T_STRING, "a string");
  if (H5Tis_variable_str(attribute.type.get()) > 0) {  // as other writers (h5py) store them
    char* text = nullptr;
    read_attribute(path_, object, name, attribute, attribute.type.get(), &text);
    std::string value = text ? text : "";
    H5free_memory(text);
    return value;
  }
  std::string value(H5Tget_size(attribute.type.get()), '\0');
  read_attribute(path_, object, name, attribute, attribute.type.get(), value.data());
  value.resize(std::min(value.size(), value.find('\0')));
  return value;
}

std::int64_t Hdf5File::integer_attribute(const std::string& object, const std::string& name) const {
  const Attribute attribute = open_attribute(path_, id_, object, name, H5T_INTEGER, "an integer");
  std::int64_t value = 0;
  read_attribute(path_, object, name, attribute, H5T_NATIVE_INT64, &value);
  return value;
}

double Hdf5File::double_attribute(const std::string& object, const std::string& name) const {
  const Attribute attribute = open_attribute(path_, id_, object, name, H5T_FLOAT, "a floating-point number");
  double value = 0;
  read_attribute(path_, object, name, attribute, H5T_NATIVE_DOUBLE, &value);
  return value;
}

}  // namespace phasor::io
