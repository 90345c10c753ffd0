// The passes of check_program, in their order: each relies on those before it; then that of check_pipeline that stands
// by itself. All throw InternalError.
#pragma once

#include "engine/program/pipeline.h"

namespace phasor {

// Every number is one of something that exists; each step has the fields of its kind and no others; phases follow one
// another from the first step to the last, section by section; no two buffers share a name, and so their rows.
void check_numbers(const Program& program);

// Slots have the sizes of the rows, shards and tensors that they hold.
void check_sizes(const Program& program);

// What a call writes in place of an input may be written there.
void check_overwrites(const Program& program);

// What the program makes is stored before it is loaded in that section; no part of a row is stored again before it has
// been loaded; the host's rows are never stored.
void check_rows(const Program& program);

// Mapped slots hold what copies of their rows would (mapping/mapping_conflicts.h).
void check_mapped(const Program& program);

// Nothing touches a slot that a transfer under way writes; nothing but another transfer of the same queue overwrites
// one that a transfer under way reads; every wait has something to wait for; all is done when the section is.
void check_transfers(const Program& program);

// Every slot is written before it is read, and no write is lost unread, however often `step` repeats.
void check_slots(const Program& program);

// A replica's leaves are added to their partial sums one after the other, and all before these are summed.
void check_partial_sums(const Program& program);

// What the passes before say of the program, and what its memory plan says, holds of every run of fewer micro-batches,
// whatever the runs before and behind it. For wherever a step runs,
// - the step runs that begins the value which it reads: so it reads what it would read in the whole program, where the
//   plan has that alone;
// - a step runs that reads what it writes;
// - a wait runs that ends the transfer which it issues, and waits for nothing else;
// - the others run that use the same row, but for loads of state in front of its first store.
// Leaves need no more: a run has the first of them.
void check_short_runs(const Program& program);

// Of a pipeline whose messages are sound: a device that stores a row which another loads in the same section, as that
// of a table which two parts share, has been told by messages that all those loads are done. What it stores is loaded
// in later sections, which begin on all devices when all are done with those before.
void check_shared_rows(const Pipeline& pipeline);

}  // namespace phasor
