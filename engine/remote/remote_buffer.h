// Remote buffers: named arrays of rows that outlive the device's slots. Each replica has rows of its own, whether they
// are a shard of a variable, its copy, or the replica's part of the batch.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/base/tensor.h"
#include "engine/remote/store.h"

namespace phasor {

struct BufferSpec {
  std::string name;
  TensorSpec row;  // of one replica
  std::int64_t rows = 1;
  // Of a buffer through which the host and a program talk: steps that have such rows each, one behind the other, so
  // that the program need not wait for the host between them. 0: all steps use the same rows, however many they are.
  std::int64_t iterations = 0;

  std::int64_t all_rows() const { return rows * (iterations > 0 ? iterations : 1); }
  // The first of a step's.
  std::int64_t first_row(std::int64_t iteration) const { return iterations > 0 ? iteration * rows : 0; }
  std::int64_t bytes(int replicas) const { return row.bytes() * all_rows() * replicas; }
  friend bool operator==(const BufferSpec&, const BufferSpec&) = default;
};

class RemoteBuffer {
 public:
  RemoteBuffer(Store& store, BufferSpec spec, int replicas);

  const BufferSpec& spec() const { return spec_; }

  // The part of a row that begins at byte `offset` and is as long as `to` or `from`. Threads: as Store.
  void load(int replica, std::int64_t row, std::span<std::byte> to, std::int64_t offset) const;
  void store(int replica, std::int64_t row, std::span<const std::byte> from, std::int64_t offset);
  // That part of a row itself, `bytes` long, where the store keeps it in this process's memory; aligned as the row is.
  std::span<std::byte> in_place(int replica, std::int64_t row, std::int64_t offset, std::size_t bytes);
  // Whole rows.
  void load(int replica, std::int64_t row, std::span<std::byte> to) const;
  void store(int replica, std::int64_t row, std::span<const std::byte> from);

  // Elements of any type, for callers on the host.
  template <class T, std::size_t N>
  void load(int replica, std::int64_t row, std::span<T, N> to) const {
    load(replica, row, std::span<std::byte>(std::as_writable_bytes(to)));
  }
  template <class T, std::size_t N>
  void store(int replica, std::int64_t row, std::span<T, N> from) {
    store(replica, row, std::span<const std::byte>(std::as_bytes(from)));
  }

 private:
  void expect_whole(std::size_t bytes) const;
  std::int64_t place(int replica, std::int64_t row, std::int64_t offset, std::size_t bytes) const;

  Store& store_;
  BufferSpec spec_;
  int replicas_;
  Store::Region region_;
};

// All remote buffers of a run, by name.
class RemoteMemory {
 public:
  RemoteMemory(std::unique_ptr<Store> store, int replicas) : store_(std::move(store)), replicas_(replicas) {}

  int replicas() const { return replicas_; }
  // The buffer of that name, made of zeros where there is none yet; one that exists must have the same spec.
  RemoteBuffer& open(const BufferSpec& spec);
  // The buffer of that name, which must exist.
  RemoteBuffer& operator[](const std::string& name);
  std::int64_t bytes() const;

 private:
  std::unique_ptr<Store> store_;
  int replicas_;
  std::map<std::string, RemoteBuffer> buffers_;
};

}  // namespace phasor
