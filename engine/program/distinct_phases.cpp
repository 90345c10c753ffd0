#include "engine/program/distinct_phases.h"

#include <map>

namespace phasor {

namespace {

constexpr int kLongestTurn = 16;  // phases, as many as copies of slots may take turns
constexpr int kFirstTurns = 2;    // that stay, besides the last

// Numbers of phases, equal for those of a section that do the same to the same slots.
class PhaseNumbers {
 public:
  explicit PhaseNumbers(const Program& program) : program_(program) {
    for (const Phase& phase : program.phases) numbers_.push_back(number_of(phase));
  }
  const std::vector<int>& numbers() const { return numbers_; }

 private:
  int number_of(const Phase& phase) {
    std::uint64_t hash = static_cast<std::uint64_t>(phase.section);
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      hash = (hash ^ static_cast<std::uint64_t>(program_.steps.action(static_cast<std::size_t>(i)))) * 0x100000001b3;
    }
    std::vector<int>& like = found_[hash];
    for (const int number : like) {
      if (alike(firsts_[number], phase)) return number;
    }
    like.push_back(static_cast<int>(firsts_.size()));
    firsts_.push_back(phase);
    return like.back();
  }

  bool alike(const Phase& a, const Phase& b) const {
    if (a.section != b.section || a.end_step - a.first_step != b.end_step - b.first_step) return false;
    for (int i = 0; i < a.end_step - a.first_step; ++i) {
      if (program_.steps.action(a.first_step + i) != program_.steps.action(b.first_step + i)) return false;
    }
    return true;
  }

  const Program& program_;
  std::vector<Phase> firsts_;  // of each number
  std::map<std::uint64_t, std::vector<int>> found_;
  std::vector<int> numbers_;  // of each phase
};

// The phases from `first` on that are like those `turn` in front of them, these included.
int count_repeated(const std::vector<int>& numbers, int first, int turn) {
  int end = first + turn;
  while (end < static_cast<int>(numbers.size()) && numbers[end] == numbers[end - turn]) ++end;
  return end - first;
}

}  // namespace

std::vector<Phase> distinct_phases(const Program& program) {
  const PhaseNumbers phases(program);
  const int count = static_cast<int>(program.phases.size());
  std::vector<Phase> distinct;
  for (int next = 0; next < count;) {
    int skipped = 0, kept = 1;
    for (int turn = 1; turn <= kLongestTurn && next + turn <= count && skipped == 0; ++turn) {
      const int turns = count_repeated(phases.numbers(), next, turn) / turn;
      if (turns <= kFirstTurns + 1) continue;
      kept = kFirstTurns * turn;
      skipped = (turns - kFirstTurns - 1) * turn;
    }
    for (int i = 0; i < kept; ++i) distinct.push_back(program.phases[next + i]);
    next += kept + skipped;
  }
  return distinct;
}

}  // namespace phasor
