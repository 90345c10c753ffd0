#include "engine/program/check/checker.h"

#include "engine/program/check/checks.h"

namespace phasor {

void check_program(const Program& program) {
  check_numbers(program);
  check_sizes(program);
  check_overwrites(program);
  check_rows(program);
  check_mapped(program);
  check_transfers(program);
  check_slots(program);
  check_partial_sums(program);
  check_short_runs(program);
}

}  // namespace phasor
