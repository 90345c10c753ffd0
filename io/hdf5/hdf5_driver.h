// For the sources of the HDF5 layer only: how new files reach the disk.
#pragma once

#include <hdf5.h>

namespace phasor::io {

// Makes H5Fcreate under these access properties write a plain file, as HDF5 itself would, but for a write that fails:
// the library could then neither close the file nor end the process in peace. Instead `error`, 0 at first, becomes the
// errno of the first failure, and what follows is dropped as if it were written. `error` outlives the open file.
// Throws InternalError where HDF5 takes no driver.
void write_through_driver(hid_t access, int& error);

}  // namespace phasor::io
