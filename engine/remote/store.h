// Where remote buffers keep their bytes: regions that are read and written at any place. An interface, so that memory
// and files serve alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/base/error.h"

namespace phasor {

// Threads: create() on one thread while no other uses the store; read() and write() from any thread, as long as no two
// touch the same bytes at once with one of them writing.
class Store {
 public:
  using Region = int;
  virtual ~Store() = default;

  // A new region of zero bytes, which lasts as long as the store. `name` is for messages: regions of one name, in one
  // store or in several, have nothing in common. Throws UserError where there is no room for it.
  virtual Region create(const std::string& name, std::int64_t bytes) = 0;
  // On success all bytes have moved. What reaches beyond the region is an InternalError, and then nothing has. A disk
  // that fails is a UserError: `to`, or that part of the region, then holds old bytes and new ones in any mixture.
  virtual void read(Region region, std::int64_t offset, std::span<std::byte> to) const = 0;
  virtual void write(Region region, std::int64_t offset, std::span<const std::byte> from) = 0;
  // Those bytes themselves, which last as long as the store: whoever uses them does what read() and write() do, under
  // the same rules. Only a store in this process's memory has them; of others this is an InternalError.
  virtual std::span<std::byte> in_place(Region /*region*/, std::int64_t /*offset*/, std::size_t /*count*/) {
    throw InternalError("remote: this store has no bytes in memory");
  }
};

// In this process's memory; pages that are never written take no room.
std::unique_ptr<Store> memory_store();

// One file a region in `directory`, which is made where it is missing. The files are working memory, not a checkpoint:
// they have no names, so that no other store, of this process or another, can come by them, and they are gone with the
// store, or with the process however it ends. Throws UserError where the file system refuses.
std::unique_ptr<Store> file_store(const std::string& directory);

}  // namespace phasor
