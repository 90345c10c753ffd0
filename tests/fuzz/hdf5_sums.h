// The checksums of the library's own data in an HDF5 file, made right again after a change: past them lies code that
// damage by chance never reaches, but a file that somebody made on purpose does.
#pragma once

#include <string>

namespace phasor::fuzz {

// Renews the sums of superblocks of version 2 and 3 and of object headers of version 2, as far as they lie within the
// file. Others stay.
void renew_hdf5_sums(std::string& file);

}  // namespace phasor::fuzz
