#include "io/hdf5/hdf5.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>

#include "io/files/direct_writer.h"
#include "io/hdf5/hdf5_driver.h"
#include "io/hdf5/hdf5_handle.h"

namespace phasor::io {

std::string_view name_of(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::u8:
      return "u8";
    case Hdf5Type::i32:
      return "i32";
    case Hdf5Type::i64:
      return "i64";
    case Hdf5Type::f32:
      return "f32";
  }
  return "?";
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

std::string hdf5_reason() {
  std::string reason = "no reason given";
  const auto visit = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    if (error->desc && *error->desc) *static_cast<std::string*>(out) = error->desc;
    return 1;  // the first one visited is the innermost
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &reason);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return reason;
}

namespace {

// Chunks begin where pages do, so that they can be written past the system's cache.
constexpr hsize_t kAlignFromBytes = 1 << 16;

// HDF5 tells of nothing by itself then.
void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

hid_t open_existing(const std::string& path, unsigned flags) {
  silence();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  check(std::filesystem::exists(status), "hdf5: '{}' does not exist", path);
  check(std::filesystem::is_regular_file(status), "hdf5: '{}' is not a file", path);
  const hid_t id = H5Fopen(path.c_str(), flags, H5P_DEFAULT);
  check(id >= 0, "hdf5: '{}' ({} bytes) cannot be opened as an HDF5 file: {}. Was it written to its end?", path,
        std::filesystem::file_size(path, error), id >= 0 ? "" : hdf5_reason());
  return id;
}

}  // namespace

Hdf5File Hdf5File::create(const std::string& path) {
  silence();
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Since this version of the format the library's own data is checksummed, too: headers, attributes, where chunks lie.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_alignment(access.get(), kAlignFromBytes, kPageBytes);
  const Hdf5Handle root(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_obj_track_times(root.get(), false);
  auto write_error = std::make_unique<int>(0);
  write_through_driver(access.get(), *write_error);
  errno = 0;
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, root.get(), access.get());
  const int error = errno;
  check(id >= 0, "hdf5: '{}' cannot be created: {}", path, std::strerror(error));
  Hdf5File file(path, id);
  file.write_error_ = std::move(write_error);
  return file;
}

Hdf5File Hdf5File::open(const std::string& path) { return {path, open_existing(path, H5F_ACC_RDONLY)}; }

Hdf5File Hdf5File::open_to_update(const std::string& path) { return {path, open_existing(path, H5F_ACC_RDWR)}; }

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : path_(std::move(other.path_)), id_(std::exchange(other.id_, -1)), write_error_(std::move(other.write_error_)) {}

Hdf5File& Hdf5File::operator=(Hdf5File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(id_, other.id_);
  std::swap(write_error_, other.write_error_);
  return *this;
}

Hdf5File::~Hdf5File() {
  if (id_ >= 0) H5Fclose(id_);
}

void Hdf5File::close() {
  const hid_t id = std::exchange(id_, -1);
  if (id < 0) return;
  const bool flushed = H5Fflush(id, H5F_SCOPE_LOCAL) >= 0;
  const std::string reason = flushed ? "" : hdf5_reason();
  const bool closed = H5Fclose(id) >= 0;
  check_written();
  check(flushed && closed, "hdf5: '{}' could not be written to its end: {}. Is the disk full?", path_,
        flushed ? "it could not be closed" : reason);
}

void Hdf5File::check_written() const {
  const int error = write_error_ ? *write_error_ : 0;
  check(error == 0, "hdf5: '{}' cannot be written: {}", path_, std::strerror(error));
}

void Hdf5File::expect_bytes(std::int64_t bytes) {
  void* handle = nullptr;
  if (bytes <= 0 || H5Fget_vfd_handle(id_, H5P_DEFAULT, &handle) < 0 || handle == nullptr) return;
  const bool taken = fallocate(*static_cast<int*>(handle), FALLOC_FL_KEEP_SIZE, 0, bytes) == 0;
  check(taken || errno == EOPNOTSUPP || errno == ENOSYS, "hdf5: '{}' cannot be made {} bytes long: {}", path_, bytes,
        std::strerror(errno));
}

void Hdf5File::create_group(const std::string& group) {
  if (exists(group)) {
    const Hdf5Handle known(H5Oopen(id_, group.c_str(), H5P_DEFAULT), H5Oclose);
    check_hdf5(known.valid() && H5Iget_type(known.get()) == H5I_GROUP, path_, group, "is not a group");
    return;
  }
  if (const std::size_t parent = group.rfind('/'); parent != group.npos && parent > 0) {
    create_group(group.substr(0, parent));
  }
  const Hdf5Handle plain(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(plain.get(), false);
  const Hdf5Handle made(H5Gcreate2(id_, group.c_str(), H5P_DEFAULT, plain.get(), H5P_DEFAULT), H5Gclose);
  if (!made.valid()) check_hdf5(false, path_, group, "cannot be made a group: {}", hdf5_reason());
}

bool Hdf5File::exists(const std::string& object) const {
  // H5Lexists answers for the last link only and fails where an earlier one is missing.
  for (std::size_t end = object.find('/', 1); end != std::string::npos; end = object.find('/', end + 1)) {
    if (H5Lexists(id_, object.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return object == "/" || H5Lexists(id_, object.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::children(const std::string& group) const {
  std::vector<std::string> names;
  check_hdf5(exists(group), path_, group, "does not exist");
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  const Hdf5Handle opened(H5Gopen2(id_, group.c_str(), H5P_DEFAULT), H5Gclose);
  check_hdf5(opened.valid(), path_, group, "is not a group");
  const herr_t done = H5Literate(opened.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, visit, &names);
  if (done < 0) check_hdf5(false, path_, group, "cannot be listed: {}", hdf5_reason());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace phasor::io
