// The steps of a program, as many as a model has layers times what it does in each.
#pragma once

#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "engine/program/step.h"

namespace phasor {

// A list of steps by value, in 8 bytes each: of a deep model most differ from others in their rows alone.
class Steps {
 public:
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  Step operator[](std::size_t i) const;
  Step back() const { return (*this)[size() - 1]; }

  void push_back(const Step& step) { entries_.push_back(entry_of(step)); }
  void set(std::size_t i, const Step& step) { entries_[i] = entry_of(step); }
  void erase(std::size_t i) { entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i)); }
  void reserve(std::size_t steps) { entries_.reserve(steps); }
  void shrink_to_fit() { entries_.shrink_to_fit(); }

  // Equal for steps that differ in nothing but the row.
  std::int32_t action(std::size_t i) const { return entries_[i].action; }

  class Iterator;
  Iterator begin() const;
  Iterator end() const;

 private:
  struct Entry {
    std::int32_t action, row;
  };
  struct Hash {
    std::size_t operator()(const Step& step) const;
  };
  Entry entry_of(const Step& step);

  std::vector<Entry> entries_;
  std::vector<Step> actions_;  // each once, without a row
  std::unordered_map<Step, std::int32_t, Hash> numbers_;
};

class Steps::Iterator {
 public:
  using value_type = Step;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;
  using pointer = const Step*;
  using reference = Step;

  Iterator() = default;
  Iterator(const Steps* steps, std::size_t i) : steps_(steps), i_(i) {}
  Step operator*() const { return (*steps_)[i_]; }
  Iterator& operator++() { return ++i_, *this; }
  Iterator operator++(int) { return {steps_, i_++}; }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const Steps* steps_ = nullptr;
  std::size_t i_ = 0;
};

inline Steps::Iterator Steps::begin() const { return {this, 0}; }
inline Steps::Iterator Steps::end() const { return {this, size()}; }

}  // namespace phasor
