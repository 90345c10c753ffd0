// Measures, on the machine at hand, the rates that a program's prediction needs.
#pragma once

#include "engine/program/execute/replicas.h"
#include "engine/program/program.h"
#include "engine/program/simulate/rates.h"
#include "engine/remote/remote_buffer.h"

namespace phasor {

// Adds to rates.nodes those samples of the program's nodes that are missing there; returns whether there were any. All
// replicas time the same kernel at once, as they do in a run, so that they share what they share in a run; replica 0's
// times count (measurement_rounds.h). Milliseconds a sample and round, and at most some tens of MiB, one after the
// other.
bool calibrate_nodes(const Program& program, Replicas& replicas, Rates& rates);

// Sets the rates of clearing, of transfers to and from `memory`, by queues as the program uses them, and, where there
// are several replicas, of collectives: likewise, from sizes of 64 bytes to 8 MiB that no cache has lately seen.
// Transfers of a program that issues them are asked how many cores they keep busy: one that copies, none that a disk
// does alone. Leaves a buffer of 64 MiB in the memory, or of 8 MiB for each of more than eight replicas.
void calibrate_links(const Program& program, Replicas& replicas, RemoteMemory& memory, Rates& rates);

}  // namespace phasor
