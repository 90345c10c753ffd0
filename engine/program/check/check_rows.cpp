#include <algorithm>
#include <map>
#include <utility>

#include "engine/program/check/checks.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

class RowChecker {
 public:
  explicit RowChecker(const Program& program) : program_(program) {}

  // A section by itself: what a step stores is nothing to the next one.
  void run(Section section) {
    rows_.clear();
    for (const Buffer& buffer : program_.buffers) {
      rows_.emplace_back(static_cast<std::size_t>(buffer.spec.rows), RowState::untouched);
    }
    for_each_step(program_, section, [&](int step) {
      if (is_transfer(program_.steps[step])) check_row(step);
    });
  }

 private:
  enum class RowState : std::uint8_t { untouched, stored, loaded, in_parts };
  // Bytes [begin, end) of a row, which one transfer moved last.
  struct Part {
    std::int64_t begin = 0, end = 0;
    RowState state{};
  };
  using Row = std::vector<Part>;  // no two overlap; those that are moved one behind the other are one

  // Cuts [begin, end) out of the row and returns what was there: nothing where it was untouched.
  static Row cut(Row& row, std::int64_t begin, std::int64_t end) {
    Row rest, out;
    for (const Part& part : row) {
      if (part.begin < begin) rest.push_back({part.begin, std::min(part.end, begin), part.state});
      if (part.end > end) rest.push_back({std::max(part.begin, end), part.end, part.state});
      const Part common{std::max(part.begin, begin), std::min(part.end, end), part.state};
      if (common.begin < common.end) out.push_back(common);
    }
    row = std::move(rest);
    return out;
  }

  static void add(Row& row, const Part& part) {
    if (!row.empty() && row.back().end == part.begin && row.back().state == part.state) {
      row.back().end = part.end;
    } else {
      row.push_back(part);
    }
  }

  std::int64_t row_bytes(const Step& step) const { return program_.buffers[step.buffer].spec.row.bytes(); }

  Row row_of(const Step& step) {
    const RowState state = rows_[step.buffer][step.row];
    if (state == RowState::untouched) return {};
    if (state == RowState::in_parts) return parts_[{step.buffer, step.row}];
    return {{0, row_bytes(step), state}};
  }

  void keep(const Step& step, Row row) {
    const bool whole = row.size() == 1 && row[0].begin == 0 && row[0].end == row_bytes(step);
    rows_[step.buffer][step.row] = whole ? row[0].state : RowState::in_parts;
    if (!whole) parts_[{step.buffer, step.row}] = std::move(row);
  }

  // What was in the bytes that a transfer moves, or in some of them.
  struct Before {
    bool untouched = false, stored = false;
  };

  Before move(const Step& step) {
    const RowState state = step.kind == StepKind::load ? RowState::loaded : RowState::stored;
    const std::int64_t begin = step.offset, end = begin + program_.slots[step.slot].bytes;
    RowState& whole = rows_[step.buffer][step.row];
    // Most rows move whole, and there are many.
    if (whole != RowState::in_parts && begin == 0 && end == row_bytes(step)) {
      const RowState before = std::exchange(whole, state);
      return {.untouched = before == RowState::untouched, .stored = before == RowState::stored};
    }
    Row row = row_of(step);
    const Row before = cut(row, begin, end);
    add(row, {begin, end, state});
    keep(step, std::move(row));
    std::int64_t untouched = end - begin;
    for (const Part& part : before) untouched -= part.end - part.begin;
    return {.untouched = untouched > 0,
            .stored = std::ranges::any_of(before, [](const Part& part) { return part.state == RowState::stored; })};
  }

  void check_row(int number) {
    const Step& step = program_.steps[number];
    const Buffer& buffer = program_.buffers[step.buffer];
    const StepPlace place{program_, number};
    const Before before = move(step);
    if (step.kind == StepKind::load) {
      ensure(!before.untouched || buffer.origin != Origin::program,
             "program: {} loads row {} of buffer '{}' before it is stored", place, step.row, buffer.spec.name);
      return;
    }
    ensure(buffer.origin != Origin::host, "program: {} stores to '{}', the host's", place, buffer.spec.name);
    ensure(!before.stored, "program: {} stores row {} of buffer '{}', which nothing has loaded since its store", place,
           step.row, buffer.spec.name);
  }

  const Program& program_;
  std::vector<std::vector<RowState>> rows_;                     // of each buffer, in this section
  std::map<std::pair<std::int32_t, std::int32_t>, Row> parts_;  // of buffers' rows that are in parts
};

}  // namespace

void check_rows(const Program& program) {
  RowChecker checker(program);
  for (Section section : {Section::begin, Section::step, Section::end}) checker.run(section);
}

}  // namespace phasor
