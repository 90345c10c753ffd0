// What an interpreter moves: rows of remote memory, and messages to and from other devices.
#include <exception>
#include <utility>

#include "engine/base/copy.h"
#include "engine/program/execute/interpreter.h"
#include "engine/program/execute/stopwatch.h"
#include "engine/program/mapping/store_behind.h"

namespace phasor {

// Of a mapped slot.
std::byte* Interpreter::row_of(const Step& transfer) {
  RemoteBuffer& buffer = *buffers_[transfer.buffer];
  const auto bytes = static_cast<std::size_t>(width_->program->slots[transfer.slot].bytes);
  const std::int64_t row = buffer.spec().first_row(iteration_) + transfer.row;
  return buffer.in_place(communicator_.rank(), row, transfer.offset, bytes).data();
}

void Interpreter::await_state_change(const Step& store) {
  if (program_.buffers[store.buffer].origin != Origin::state || !before_state_changes_) return;
  const Stopwatch watch(time_.transfer);
  before_state_changes_();
}

// What the call makes for rows is made there, and what it updates lies there already.
void Interpreter::map_outputs(const Call& call) {
  for (std::size_t i = program_.graph_of(call).inputs.size(); i < call.slots.size(); ++i) {
    const std::int32_t slot = call.slots[i];
    if (!program_.slots[slot].mapped) continue;
    const Step store = program_.steps[store_behind(program_, number_, slot)];
    await_state_change(store);
    rows_[slot] = row_of(store);
  }
}

void Interpreter::transfer(const Step& step) {
  if (program_.slots[step.slot].mapped) {
    if (step.kind == StepKind::load) rows_[step.slot] = row_of(step);
    return;
  }
  if (step.kind == StepKind::store) await_state_change(step);
  const Stopwatch watch(time_.transfer);
  RemoteBuffer& buffer = *buffers_[step.buffer];
  TransferQueue& queue = *queues_[static_cast<std::size_t>(program_.queue_of(step))];
  const std::int64_t row = buffer.spec().first_row(iteration_) + step.row;
  const auto ticket = step.kind == StepKind::load
                          ? queue.load(buffer, communicator_.rank(), row, step.offset, bytes(step.slot), mark())
                          : queue.store(buffer, communicator_.rank(), row, step.offset, bytes(step.slot), mark());
  pending_[step.slot] = {&queue, ticket};
  if (!step.issues) wait(step.slot);
}

void Interpreter::wait(int slot) {
  const Pending pending = std::exchange(pending_[slot], {});
  pending.queue->wait(pending.ticket);
}

void Interpreter::send(const Step& step) {
  Channel& channel = *channels_[step.link];
  const std::int64_t size = message_bytes(*width_->program, step);
  std::byte* room = nullptr;
  {
    const Stopwatch watch(time_.idle);
    room = channel.begin_send();
  }
  const Stopwatch watch(time_.transfer);
  const auto whole = bytes(step.slot);
  copy_bytes(whole.subspan(static_cast<std::size_t>(step.offset), static_cast<std::size_t>(size)),
             {room, static_cast<std::size_t>(size)}, Afterwards::read_soon);
  channel.end_send(size);
}

void Interpreter::receive(const Step& step) {
  Channel& channel = *channels_[step.link];
  std::span<const std::byte> message;
  {
    const Stopwatch watch(time_.idle);
    message = channel.begin_receive();
  }
  const Stopwatch watch(time_.transfer);
  const auto to = bytes(step.slot).subspan(static_cast<std::size_t>(step.offset),
                                           static_cast<std::size_t>(message_bytes(*width_->program, step)));
  ensure(message.size() == to.size(), "link '{}': a message of {} bytes for slot '{}', expected {}",
         program_.links[step.link].name, message.size(), program_.slots[step.slot], to.size());
  copy_bytes(message, to, Afterwards::read_soon);
  channel.end_receive();
}

// An error is under way already: those of the transfers would only follow from it or hide it.
void Interpreter::abandon_transfers() {
  for (std::size_t slot = 0; slot < pending_.size(); ++slot) {
    try {
      if (pending_[slot].queue != nullptr) wait(static_cast<int>(slot));
    } catch (const std::exception&) {
    }
  }
}

}  // namespace phasor
