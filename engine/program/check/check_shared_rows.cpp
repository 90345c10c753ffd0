#include <deque>
#include <map>
#include <string_view>

#include "engine/program/check/checks.h"
#include "engine/program/check/run_lengths.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

using RowName = std::pair<std::string_view, std::int32_t>;  // buffer and number

// What of a device's program matters to the others' rows.
struct Event {
  enum class Kind : std::uint8_t { sends, receives, has_read, stores };
  Kind kind{};
  std::int32_t step = 0;
  std::int32_t micro_batch = -1;
  std::int32_t what = 0;  // the link of a message; the shared row
};

// How many events of each device have happened before, as a device knows by what it has received (Lamport's order, as
// clocks of Mattern and Fidge keep it). What a device has not been told of may be under way still.
using Clock = std::vector<std::int32_t>;

class SharedRowChecker {
 public:
  explicit SharedRowChecker(const Pipeline& pipeline) : pipeline_(pipeline) {
    for (const Link& link : pipeline.links()) links_.emplace(link.name, static_cast<std::int32_t>(links_.size()));
  }

  void run(Section section) {
    find_rows(section);
    if (rows_.empty()) return;
    std::int64_t moves = 0;
    events_.assign(devices(), {});
    for (std::size_t device = 0; device < devices(); ++device) {
      find_events(section, device);
      moves += std::ssize(events_[device]);
    }
    for_each_run_length(moves, pipeline_.first().micro_batches, [&](int n) { check_run(n); });
  }

 private:
  std::size_t devices() const { return pipeline_.devices.size(); }

  RowName name_of(const Program& program, const Step& step) const {
    return {program.buffers[step.buffer].spec.name, step.row};
  }

  // Those that one device stores and another loads.
  void find_rows(Section section) {
    std::map<RowName, int> stored_by;
    const auto for_transfers = [&](StepKind kind, auto visit) {
      for (const Program& program : pipeline_.devices) {
        for_each_step(program, section, [&](int number) {
          const Step step = program.steps[number];
          if (step.kind == kind) visit(program, step);
        });
      }
    };
    for_transfers(StepKind::store, [&](const Program& program, const Step& step) {
      stored_by.emplace(name_of(program, step), program.device);
    });
    rows_.clear();
    for_transfers(StepKind::load, [&](const Program& program, const Step& step) {
      const auto found = stored_by.find(name_of(program, step));
      if (found == stored_by.end() || found->second == program.device) return;
      rows_.emplace(found->first, static_cast<std::int32_t>(rows_.size()));
    });
  }

  void find_events(Section section, std::size_t device) {
    const Program& program = pipeline_.devices[device];
    std::map<std::int32_t, Event> under_way;  // loads of shared rows, by slot
    const auto add = [&](const Event& event) { events_[device].push_back(event); };
    for_each_step(program, section, [&](int number) {
      const Step step = program.steps[number];
      Event event{.step = number, .micro_batch = step.micro_batch};
      if (is_message(step)) {
        event.kind = step.kind == StepKind::send ? Event::Kind::sends : Event::Kind::receives;
        event.what = links_.at(program.links[step.link].name);
        return add(event);
      }
      if (step.kind == StepKind::wait) {
        if (const auto read = under_way.extract(step.slot)) add(read.mapped());
        return;
      }
      if (!is_transfer(step)) return;
      const auto row = rows_.find(name_of(program, step));
      if (row == rows_.end()) return;
      event.kind = step.kind == StepKind::store ? Event::Kind::stores : Event::Kind::has_read;
      event.what = row->second;
      if (step.kind == StepKind::load && step.issues) {
        under_way[step.slot] = event;  // it has read when somebody has waited for it
      } else {
        add(event);
      }
    });
  }

  void check_run(int micro_batches) {
    find_last_reads(micro_batches);
    std::vector<std::size_t> next(devices(), 0);
    std::vector<Clock> clocks(devices(), Clock(devices(), 0));
    std::vector<std::deque<Clock>> under_way(links_.size());
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t device = 0; device < devices(); ++device) {
        for (; next[device] < events_[device].size(); ++next[device], moves = true) {
          const Event& event = events_[device][next[device]];
          if (event.micro_batch >= micro_batches) continue;
          Clock& clock = clocks[device];
          clock[device] = static_cast<std::int32_t>(next[device]) + 1;
          if (event.kind == Event::Kind::sends) under_way[event.what].push_back(clock);
          if (event.kind == Event::Kind::stores) check_store(device, event, clock);
          if (event.kind != Event::Kind::receives) continue;
          if (under_way[event.what].empty()) break;
          const Clock& sent = under_way[event.what].front();
          for (std::size_t other = 0; other < devices(); ++other) clock[other] = std::max(clock[other], sent[other]);
          under_way[event.what].pop_front();
        }
      }
    }
  }

  // Of each row and device: how many of its events there are until it has read the row for the last time.
  void find_last_reads(int micro_batches) {
    last_reads_.assign(rows_.size(), Clock(devices(), 0));
    for (std::size_t device = 0; device < devices(); ++device) {
      for (std::size_t i = 0; i < events_[device].size(); ++i) {
        const Event& event = events_[device][i];
        if (event.kind != Event::Kind::has_read || event.micro_batch >= micro_batches) continue;
        last_reads_[event.what][device] = static_cast<std::int32_t>(i) + 1;
      }
    }
  }

  void check_store(std::size_t device, const Event& store, const Clock& clock) const {
    for (std::size_t reader = 0; reader < devices(); ++reader) {
      const std::int32_t last = last_reads_[store.what][reader];
      if (reader == device || last <= clock[reader]) continue;
      const Program &owner = pipeline_.devices[device], &other = pipeline_.devices[reader];
      const Step step = owner.steps[store.step];
      const Event& read = events_[reader][static_cast<std::size_t>(last) - 1];
      throw InternalError(fmt::format(
          "pipeline: {}{} stores row {} of buffer '{}', and no message tells it that {}{} has loaded it before",
          place_of_device(pipeline_, static_cast<int>(device)), StepPlace{owner, store.step}, step.row,
          owner.buffers[step.buffer].spec.name, place_of_device(pipeline_, static_cast<int>(reader)),
          StepPlace{other, read.step}));
    }
  }

  const Pipeline& pipeline_;
  std::map<std::string, std::int32_t, std::less<>> links_;
  std::map<RowName, std::int32_t> rows_;
  std::vector<std::vector<Event>> events_;  // of each device, in a section
  std::vector<Clock> last_reads_;           // of each row, in a run
};

}  // namespace

void check_shared_rows(const Pipeline& pipeline) {
  SharedRowChecker checker(pipeline);
  for (Section section : {Section::begin, Section::step, Section::end}) checker.run(section);
}

}  // namespace phasor
