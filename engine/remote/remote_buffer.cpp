#include "engine/remote/remote_buffer.h"

namespace phasor {

RemoteBuffer::RemoteBuffer(Store& store, BufferSpec spec, int replicas)
    : store_(store),
      spec_(std::move(spec)),
      replicas_(replicas),
      region_(store.create(spec_.name, spec_.bytes(replicas))) {}

// In the store's region.
std::int64_t RemoteBuffer::place(int replica, std::int64_t row, std::int64_t offset, std::size_t bytes) const {
  ensure(replica >= 0 && replica < replicas_, "remote buffer '{}': replica {} of {}", spec_.name, replica, replicas_);
  ensure(row >= 0 && row < spec_.all_rows(), "remote buffer '{}': row {} of {}", spec_.name, row, spec_.all_rows());
  ensure(offset >= 0 && offset + static_cast<std::int64_t>(bytes) <= spec_.row.bytes(),
         "remote buffer '{}': {} bytes from byte {} on of a row of {}", spec_.name, bytes, offset, spec_.row.bytes());
  return (replica * spec_.all_rows() + row) * spec_.row.bytes() + offset;
}

void RemoteBuffer::expect_whole(std::size_t bytes) const {
  ensure(static_cast<std::int64_t>(bytes) == spec_.row.bytes(), "remote buffer '{}': a row of {} bytes moved as {}",
         spec_.name, spec_.row.bytes(), bytes);
}

void RemoteBuffer::load(int replica, std::int64_t row, std::span<std::byte> to, std::int64_t offset) const {
  store_.read(region_, place(replica, row, offset, to.size()), to);
}

void RemoteBuffer::store(int replica, std::int64_t row, std::span<const std::byte> from, std::int64_t offset) {
  store_.write(region_, place(replica, row, offset, from.size()), from);
}

std::span<std::byte> RemoteBuffer::in_place(int replica, std::int64_t row, std::int64_t offset, std::size_t bytes) {
  return store_.in_place(region_, place(replica, row, offset, bytes), bytes);
}

void RemoteBuffer::load(int replica, std::int64_t row, std::span<std::byte> to) const {
  expect_whole(to.size());
  load(replica, row, to, 0);
}

void RemoteBuffer::store(int replica, std::int64_t row, std::span<const std::byte> from) {
  expect_whole(from.size());
  store(replica, row, from, 0);
}

RemoteBuffer& RemoteMemory::open(const BufferSpec& spec) {
  auto found = buffers_.find(spec.name);
  if (found == buffers_.end()) {
    found = buffers_.try_emplace(spec.name, *store_, spec, replicas_).first;
  }
  ensure(found->second.spec() == spec, "remote buffer '{}': opened as {} x {}, but it is {} x {}", spec.name,
         spec.all_rows(), to_string(spec.row), found->second.spec().all_rows(), to_string(found->second.spec().row));
  return found->second;
}

RemoteBuffer& RemoteMemory::operator[](const std::string& name) {
  const auto found = buffers_.find(name);
  ensure(found != buffers_.end(), "remote buffer '{}' does not exist", name);
  return found->second;
}

std::int64_t RemoteMemory::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [name, buffer] : buffers_) bytes += buffer.spec().bytes(replicas_);
  return bytes;
}

}  // namespace phasor
