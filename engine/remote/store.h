// Where remote buffers keep their bytes: regions that are read and written at any place. An interface, so that memory
// and files serve alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace phasor {

// Threads: create() on one thread while no other uses the store; read() and write() from any thread, as long as no two
// touch the same bytes at once with one of them writing.
class Store {
 public:
  using Region = int;
  virtual ~Store() = default;

  // A new region of zero bytes, whatever others are called. `name` is for messages.
  virtual Region create(const std::string& name, std::int64_t bytes) = 0;
  // A file that cannot be read or written there is a UserError; how much was moved by then is not told. Regions of
  // memory are not asked where they end: RemoteBuffer is.
  virtual void read(Region region, std::int64_t offset, std::span<std::byte> to) const = 0;
  virtual void write(Region region, std::int64_t offset, std::span<const std::byte> from) = 0;
};

// In this process's memory; pages that are never written take no room.
std::unique_ptr<Store> memory_store();

// One file a region in `directory`, which is made where it is missing. The files are working memory, not a checkpoint:
// they have no names, so that no other store, of this process or another, can come by them, and they are gone with the
// store, or with the process however it ends. Throws UserError where the file system refuses.
std::unique_ptr<Store> file_store(const std::string& directory);

}  // namespace phasor
