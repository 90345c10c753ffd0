#include <algorithm>
#include <map>

#include "engine/program/check/checker.h"
#include "engine/program/check/checks.h"
#include "engine/program/check/run_lengths.h"
#include "engine/program/walk.h"

namespace phasor {

namespace {

// A send or a receive, as the other end of its link has to know it.
struct Message {
  std::int32_t step = 0;  // of its program
  std::int32_t link = 0;  // into the pipeline's
  bool sends = false;
  std::int32_t number = 0, micro_batch = -1;
  std::int64_t bytes = 0;
};

class PipelineChecker {
 public:
  explicit PipelineChecker(const Pipeline& pipeline) : pipeline_(pipeline), links_(pipeline.links()) {
    for (std::size_t i = 0; i < links_.size(); ++i) numbers_[links_[i].name] = static_cast<std::int32_t>(i);
  }

  void run() {
    check_devices();
    check_rows_stored();
    for (Section section : {Section::begin, Section::step, Section::end}) {
      find_messages(section);
      check_pairs();
      check_flow();
    }
  }

 private:
  // Of a device's program, for people: "device 1 of 2, phase 'gradient layer' instance 3, step 17".
  std::string place(int device, std::int32_t step) const {
    return place_of_device(pipeline_, device) + fmt::format("{}", StepPlace{pipeline_.devices[device], step});
  }

  void check_devices() const {
    ensure(pipeline_.size() >= 1, "pipeline: it has no device");
    std::map<std::string_view, BufferSpec> specs;
    for (int device = 0; device < pipeline_.size(); ++device) {
      const Program& program = pipeline_.devices[device];
      ensure(program.device == device, "pipeline: program {} is that of device {}", device, program.device);
      ensure(program.replicas == pipeline_.first().replicas && program.micro_batches == pipeline_.first().micro_batches,
             "pipeline: device {} is for {} replicas of {} micro-batches, device 0 for {} of {}", device,
             program.replicas, program.micro_batches, pipeline_.first().replicas, pipeline_.first().micro_batches);
      for (const Link& link : program.links) {
        ensure(links_[numbers_.at(link.name)] == link, "pipeline: devices take link '{}' for different ones",
               link.name);
        ensure(link.from < pipeline_.size() && link.to < pipeline_.size(),
               "pipeline: link '{}' goes from device {} to {} of {}", link.name, link.from, link.to, pipeline_.size());
      }
      for (const Buffer& buffer : program.buffers) {
        const auto [found, is_new] = specs.try_emplace(buffer.spec.name, buffer.spec);
        ensure(found->second == buffer.spec, "pipeline: devices take buffer '{}' for different ones", buffer.spec.name);
      }
    }
  }

  // Devices share remote memory, but each row is stored by one of them.
  void check_rows_stored() const {
    std::map<std::pair<std::string_view, std::int32_t>, int> stored_by;
    for (int device = 0; device < pipeline_.size() && pipeline_.size() > 1; ++device) {
      const Program& program = pipeline_.devices[device];
      for (std::int32_t number = 0; number < static_cast<std::int32_t>(program.steps.size()); ++number) {
        const Step step = program.steps[number];
        if (step.kind != StepKind::store) continue;
        const std::string_view buffer = program.buffers[step.buffer].spec.name;
        const int owner = stored_by.try_emplace({buffer, step.row}, device).first->second;
        ensure(owner == device, "pipeline: {} stores row {} of buffer '{}', as device {} does", place(device, number),
               step.row, buffer, owner);
      }
    }
  }

  void find_messages(Section section) {
    messages_.assign(static_cast<std::size_t>(pipeline_.size()), {});
    for (int device = 0; device < pipeline_.size(); ++device) {
      const Program& program = pipeline_.devices[device];
      for_each_step(program, section, [&](int number) {
        const Step step = program.steps[number];
        if (!is_message(step)) return;
        messages_[device].push_back({.step = number,
                                     .link = numbers_.at(program.links[step.link].name),
                                     .sends = step.kind == StepKind::send,
                                     .number = step.row,
                                     .micro_batch = step.micro_batch,
                                     .bytes = message_bytes(program, step)});
      });
    }
  }

  std::vector<Message> messages_of(const Link& link, bool sends) const {
    std::vector<Message> messages;
    for (const Message& message : messages_[sends ? link.from : link.to]) {
      if (message.sends == sends && links_[message.link].name == link.name) messages.push_back(message);
    }
    return messages;
  }

  [[noreturn]] void alone(int device, const Message& message, const char* does, const char* misses) const {
    throw InternalError(fmt::format("pipeline: {} {} message {} of link '{}', which nobody {}",
                                    place(device, message.step), does, message.number, links_[message.link].name,
                                    misses));
  }

  // Both ends of a link move the same messages in the same order, and serve the same micro-batches with them: so they
  // do in runs of any number.
  void check_pairs() const {
    for (const Link& link : links_) {
      const std::vector<Message> sent = messages_of(link, true), received = messages_of(link, false);
      for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
        if (i == sent.size()) alone(link.to, received[i], "receives", "sends");
        if (i == received.size()) alone(link.from, sent[i], "sends", "receives");
        const Message &a = sent[i], &b = received[i];
        ensure(a.number == b.number, "pipeline: {} sends message {} of link '{}' where {} receives message {}",
               place(link.from, a.step), a.number, link.name, place(link.to, b.step), b.number);
        ensure(a.bytes == b.bytes, "pipeline: {} sends {} bytes through link '{}' where {} receives {}",
               place(link.from, a.step), a.bytes, link.name, place(link.to, b.step), b.bytes);
        ensure(a.micro_batch == b.micro_batch,
               "pipeline: {} sends message {} of link '{}' for micro-batch {}, but {} receives it for {}",
               place(link.from, a.step), a.number, link.name, a.micro_batch, place(link.to, b.step), b.micro_batch);
      }
    }
  }

  // What is under way from device to device goes forward whenever it can: whether devices end up waiting for each other
  // does not depend on who is faster, because each waits for one thing at a time.
  void check_flow() const {
    std::int64_t moves = 0;
    for (const std::vector<Message>& messages : messages_) moves += std::ssize(messages);
    if (moves == 0) return;
    for_each_run_length(moves, pipeline_.first().micro_batches, [&](int n) { check_run(n); });
  }

  void check_run(int micro_batches) const {
    std::vector<std::size_t> next(messages_.size(), 0);
    std::vector<std::int32_t> under_way(links_.size(), 0);
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t device = 0; device < messages_.size(); ++device) {
        for (; next[device] < messages_[device].size(); ++next[device], moves = true) {
          const Message& message = messages_[device][next[device]];
          if (message.micro_batch >= micro_batches) continue;
          std::int32_t& filled = under_way[message.link];
          if (message.sends ? filled == links_[message.link].capacity : filled == 0) break;
          filled += message.sends ? 1 : -1;
        }
      }
    }
    for (std::size_t device = 0; device < messages_.size(); ++device) {
      if (next[device] == messages_[device].size()) continue;
      const Message& message = messages_[device][next[device]];
      const Link& link = links_[message.link];
      throw InternalError(fmt::format(
          "pipeline: in runs of {} micro-batches devices wait for each other: {} {} message {} of link '{}', which {}",
          micro_batches, place(static_cast<int>(device), message.step), message.sends ? "sends" : "receives",
          message.number, link.name,
          message.sends ? fmt::format("is full with {}", link.capacity) : std::string("is empty")));
    }
  }

  const Pipeline& pipeline_;
  std::vector<Link> links_;
  std::map<std::string, std::int32_t, std::less<>> numbers_;  // of the links, by name
  std::vector<std::vector<Message>> messages_;                // of each device, in a section
};

}  // namespace

void check_pipeline(const Pipeline& pipeline) {
  PipelineChecker(pipeline).run();
  if (pipeline.size() > 1) check_shared_rows(pipeline);
}

}  // namespace phasor
