// Proves, without running it, that a program is sound: its numbers name things that exist, sizes agree, every slot is
// written before it is read and no write is lost unread, no row is stored over what nothing has loaded, and what the
// program itself makes is stored before it is loaded, what a call overwrites in place may be overwritten, nothing
// disturbs a transfer that is under way, no leaf of a sum is missing, and all this in runs of fewer micro-batches, too.
// checks.h says it in full.
#pragma once

#include "engine/program/pipeline.h"

namespace phasor {

// Throws InternalError naming the phase, the step and the thing.
void check_program(const Program& program);

// Proves of sound programs that they are a pipeline's: devices agree on links and buffers, each row is stored by one of
// them, each message that is sent is received, in the same order and by the same micro-batches, and in no run, of
// however many micro-batches, do devices wait for each other for ever; and that a row which several of them use is
// stored behind the loads of all others. Throws InternalError naming the device, the phase, the step and the link.
void check_pipeline(const Pipeline& pipeline);

// Proves of sound pipelines that any micro-batch may run the narrow one's steps in the place of the whole one's: both
// are the same steps of the same calls in the same slots, none of them larger; and what is smaller, slots and rows, is
// written and read for one micro-batch at a time, so that nobody reads more of a value than there is. Throws
// InternalError naming the device and the thing.
void check_narrow(const Pipeline& whole, const Pipeline& narrow);

}  // namespace phasor
