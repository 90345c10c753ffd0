// fuzz_TARGET [--seconds N] [--from INDEX] [--count N] [--seed N]: reads mutated inputs.
// fuzz_TARGET FILE...: reads these files, as to see a failure again. fuzz_TARGET --write-seeds FOLDER: for libFuzzer.
//
// Inputs are read by a child process; this one watches it, keeps the input of a failure and starts another child behind
// it. Exit code 1 if there was one.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/heap_account.h"
#include "tests/fuzz/mutation.h"
#include "tests/support/temporary_folder.h"

namespace phasor::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

// Of the processor; a read that waits instead ends by the clock.
constexpr std::chrono::seconds kLongestRead{5}, kLongestWait{60};
constexpr int kMostFailures = 8;

struct Options {
  std::string name;  // of the target
  double seconds = 10;
  std::uint64_t from = 0, count = ~std::uint64_t{0}, seed = 1;
};

// What the child tells, in memory of both.
struct Shared {
  std::atomic<std::uint64_t> index, size;
  std::atomic<std::uint64_t> bytes, most_heap;  // of all inputs; of the one that took most
  std::atomic<bool> ready;                      // the seeds are made
  std::uint8_t input[kMostInputBytes];
};

[[noreturn]] void read_inputs(const Options& options, std::uint64_t from, Clock::time_point end, Shared& shared) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const std::vector<std::string> all_seeds = seeds(), all_words = words();
  shared.ready = true;
  for (std::uint64_t index = from; index < options.count && Clock::now() < end; ++index) {
    const std::string input = make_input(all_seeds, all_words, options.seed, index);
    std::memcpy(shared.input, input.data(), input.size());
    shared.size = input.size();
    shared.index = index;
    shared.bytes += input.size();
    heap_account().begin_input();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    shared.most_heap = std::max<std::uint64_t>(shared.most_heap, heap_account().most_of_input());
    shared.index = index + 1;
  }
  std::exit(0);  // a leak shows here, where there is somebody to look
}

std::chrono::nanoseconds processor_time(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Waits for the child, and kills it where one input takes too long. Returns how it failed; empty if it did not.
std::string watch(pid_t child, const Shared& shared) {
  std::uint64_t last = shared.index;
  auto since = Clock::now();
  auto processor_since = processor_time(child);
  for (int status = 0;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child && WIFEXITED(status)) {
      return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit code {}", WEXITSTATUS(status));
    }
    if (ended == child) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (!shared.ready || shared.index != last) {
      since = Clock::now();
      processor_since = processor_time(child);
    }
    last = shared.index;
    if (processor_time(child) - processor_since > kLongestRead || Clock::now() - since > kLongestWait) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return fmt::format("more than {} seconds of the processor, or of waiting {}", kLongestRead.count(),
                         kLongestWait.count());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

int fuzz(const Options& options) {
  const test::TemporaryFolder folder;  // of the children, which may not get to remove what they leave
  setenv("TMPDIR", folder.path().c_str(), 1);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 70;
  auto& shared = *static_cast<Shared*>(memory);
  shared.index = options.from;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
  int failures = 0;
  for (std::uint64_t from = options.from;; from = shared.index + 1) {
    shared.ready = false;
    std::fflush(stdout);  // or the child would have it to print, too
    const pid_t child = fork();
    if (child == 0) read_inputs(options, from, end, shared);
    const std::string failure = watch(child, shared);
    if (failure.empty()) break;
    const std::string kept = fmt::format("fuzz_{}.{}.{}.input", options.name, options.seed, shared.index.load());
    std::ofstream(kept, std::ios::binary)
        .write(reinterpret_cast<const char*>(shared.input), static_cast<std::streamsize>(shared.size));
    fmt::print("fuzz: {} input {} of seed {} ended with {}; it is kept in '{}'\n", options.name, shared.index.load(),
               options.seed, failure, kept);
    if (++failures == kMostFailures || Clock::now() >= end) break;
  }
  fmt::print("fuzz: {} inputs of {}, {} bytes, {:.1f} seconds, at most {:.1f} of {} MiB of heap for one, {} failures\n",
             shared.index.load() - options.from, options.name, shared.bytes.load(),
             std::chrono::duration<double>(Clock::now() - start).count(),
             static_cast<double>(shared.most_heap.load()) / (1 << 20), kMostHeapBytes >> 20, failures);
  return failures == 0 ? 0 : 1;
}

int run(int count, char** arguments) {
  Options options;
  const std::string program = arguments[0];
  const std::size_t name = program.rfind("fuzz_");
  options.name = name == program.npos ? program : program.substr(name + 5);
  bool mutate = true;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (!argument.starts_with("--")) {
      const std::string bytes = io::read_file("fuzz", argument);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      fmt::print("fuzz: '{}' is read or refused\n", argument);
      mutate = false;
      continue;
    }
    check(i + 1 < count, "fuzz: {} needs a value", argument);
    const std::string value = arguments[++i];
    if (argument == "--seconds") options.seconds = std::stod(value);
    if (argument == "--from") options.from = std::stoull(value);
    if (argument == "--count") options.count = std::stoull(value);
    if (argument == "--seed") options.seed = std::stoull(value);
    if (argument != "--write-seeds") continue;
    int number = 0;
    for (const std::string& seed : seeds()) {
      std::ofstream(fmt::format("{}/seed{}", value, number++), std::ios::binary) << seed;
    }
    mutate = false;
  }
  if (options.count != ~std::uint64_t{0}) options.count += options.from;
  return mutate ? fuzz(options) : 0;
}

}  // namespace

}  // namespace phasor::fuzz

// One allocation of more is an error to AddressSanitizer.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=256"; }

// The HDF5 library loses memory where it refuses a file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

int main(int count, char** arguments) {
  try {
    return phasor::fuzz::run(count, arguments);
  } catch (const phasor::UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
