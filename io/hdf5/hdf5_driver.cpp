#include "io/hdf5/hdf5_driver.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <memory>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/files/direct_writer.h"
#include "io/hdf5/hdf5_handle.h"

namespace phasor::io {

namespace {

constexpr haddr_t kSendBytes = 64 << 20;

struct DriverInfo {
  int* error = nullptr;
};

// HDF5 knows the file by its first member.
struct DriverFile {
  H5FD_t library;
  int descriptor;
  DirectWriter direct;
  haddr_t end_allocated;
  haddr_t end;   // of what was written, or would have been
  haddr_t sent;  // up to where the system was told to begin with the disk
  int* error;
};

DriverFile& driver_file(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& driver_file(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

H5FD_t* driver_open(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  const int mode = ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) | ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
                   ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) | ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0);
  const int descriptor = open(name, mode | O_CLOEXEC, 0666);
  struct stat status {};
  if (info == nullptr || descriptor < 0 || fstat(descriptor, &status) != 0) {
    if (descriptor >= 0) close(descriptor);
    return nullptr;
  }
  auto file = std::make_unique<DriverFile>();
  file->descriptor = descriptor;
  if ((flags & H5F_ACC_RDWR) != 0) file->direct.open(name);
  file->end = static_cast<haddr_t>(status.st_size);
  file->error = info->error;
  return &file.release()->library;
}

herr_t driver_close(H5FD_t* file) {
  const std::unique_ptr<DriverFile> owned(&driver_file(file));
  if (close(owned->descriptor) != 0 && *owned->error == 0) *owned->error = errno;
  return 0;
}

int driver_compare(const H5FD_t* a, const H5FD_t* b) {
  struct stat x {
  }, y{};
  fstat(driver_file(a).descriptor, &x);
  fstat(driver_file(b).descriptor, &y);
  const auto left = std::tie(x.st_dev, x.st_ino), right = std::tie(y.st_dev, y.st_ino);
  return left < right ? -1 : left > right ? 1 : 0;
}

herr_t driver_query(const H5FD_t*, unsigned long* features) {
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
              H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t driver_end_allocated(const H5FD_t* file, H5FD_mem_t) { return driver_file(file).end_allocated; }

herr_t driver_set_end_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  driver_file(file).end_allocated = end;
  return 0;
}

haddr_t driver_end_of_file(const H5FD_t* file, H5FD_mem_t) { return driver_file(file).end; }

// What lies behind the end reads as 0.
herr_t driver_read(H5FD_t* library, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, void* buffer) {
  auto* to = static_cast<char*>(buffer);
  while (bytes > 0) {
    const ssize_t moved = pread(driver_file(library).descriptor, to, bytes, static_cast<off_t>(address));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return -1;
    if (moved == 0) {
      std::memset(to, 0, bytes);
      return 0;
    }
    to += moved;
    address += static_cast<haddr_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return 0;
}

herr_t driver_write(H5FD_t* library, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, const void* buffer) {
  DriverFile& file = driver_file(library);
  const auto* from = static_cast<const char*>(buffer);
  // Where nothing is allocated behind these bytes, what is left of their last page belongs to nobody yet.
  const bool last = address + bytes == file.end_allocated && *file.error == 0;
  const std::span<const std::byte> all(static_cast<const std::byte*>(buffer), bytes);
  const std::size_t direct = last ? file.direct.write_at_end(static_cast<std::int64_t>(address), all) : 0;
  const haddr_t page_end = (address + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  file.end = std::max(file.end, direct == bytes ? page_end : address + bytes);
  from += direct;
  address += direct;
  bytes -= direct;
  while (bytes > 0 && *file.error == 0) {
    const ssize_t moved = pwrite(file.descriptor, from, bytes, static_cast<off_t>(address));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) {
      *file.error = moved < 0 ? errno : ENOSPC;
      break;
    }
    from += moved;
    address += static_cast<haddr_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  // The disk starts early, not when somebody waits for it.
  if (file.end - file.sent >= kSendBytes && *file.error == 0) {
    sync_file_range(file.descriptor, static_cast<off_t>(file.sent), static_cast<off_t>(file.end - file.sent),
                    SYNC_FILE_RANGE_WRITE);
    file.sent = file.end;
  }
  return 0;
}

herr_t driver_truncate(H5FD_t* library, hid_t, hbool_t) {
  DriverFile& file = driver_file(library);
  if (file.end_allocated == file.end) return 0;
  if (*file.error == 0 && ftruncate(file.descriptor, static_cast<off_t>(file.end_allocated)) != 0) *file.error = errno;
  file.end = file.end_allocated;
  return 0;
}

// The file's descriptor.
herr_t driver_handle(H5FD_t* library, hid_t, void** handle) {
  *handle = &driver_file(library).descriptor;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION  // since 1.14, which registers no driver without it
  driver.version = H5FD_CLASS_VERSION;
  driver.value = H5_VFD_RESERVED + 1;  // one of those that nobody has to ask for
#endif
  driver.name = "phasor";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = driver_open;
  driver.close = driver_close;
  driver.cmp = driver_compare;
  driver.query = driver_query;
  driver.get_eoa = driver_end_allocated;
  driver.set_eoa = driver_set_end_allocated;
  driver.get_eof = driver_end_of_file;
  driver.get_handle = driver_handle;
  driver.read = driver_read;
  driver.write = driver_write;
  driver.truncate = driver_truncate;
  constexpr H5FD_mem_t kMap[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kMap), std::end(kMap), driver.fl_map);
  return driver;
}

}  // namespace

void write_through_driver(hid_t access, int& error) {
  static const H5FD_class_t driver = driver_class();  // HDF5 keeps a copy, and asks for the functions for ever
  static const hid_t registered = H5FDregister(&driver);
  const DriverInfo info{&error};
  ensure(registered >= 0 && H5Pset_driver(access, registered, &info) >= 0, "hdf5: takes no driver: {}", hdf5_reason());
}

}  // namespace phasor::io
