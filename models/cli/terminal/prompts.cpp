#include "models/cli/terminal/prompts.h"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/text/utf8.h"
#include "models/cli/terminal/typed_line.h"
#include "models/cli/text/excerpt.h"
#include "models/generation/generation_options.h"
#include "models/text/continuing.h"
#include "models/text/prompts.h"
#include "models/text/task.h"

namespace phasor::cli {

namespace {

// Passes on what is said, but not how far the work has come: the text itself shows that.
class Notes : public io::Listener {
 public:
  explicit Notes(io::Listener& listener) : listener_(listener) {}
  void note(const std::string& text) override { listener_.note(text); }
  void warning(const std::string& text) override { listener_.warning(text); }

 private:
  io::Listener& listener_;
};

// At once. A model may write anything, but a terminal does not obey it.
void print_text(std::string_view text) {
  static const bool terminal = isatty(STDOUT_FILENO) != 0;
  fmt::print("{}", terminal ? printable_lines(text) : std::string(text));
  std::fflush(stdout);
}

void print_json(const text::ContinuedText& continued) {
  fmt::print("{}\n", text::to_json(continued).dump());
  std::fflush(stdout);
}

void print_continued(const text::ContinuedText& continued) { print_text(continued.prompt + continued.text + "\n"); }

}  // namespace

std::string Prompts::task() const { return task_options::TextOptions::kName; }

void Prompts::add_options(CLI::App& command) {
  command.add_option("--prompt", prompt_, "Go on with this text")->group(task());
  const auto add = [&](const char* name, const char* help) {
    command
        .add_option_function<std::string>(
            fmt::format("--{}", name), [this, name](const std::string& value) { options_[name] = value; }, help)
        ->group(task())
        ->type_name("")
        ->take_last();
  };
  add(text::Text::kPrompts, "Go on with the lines of this file, data.predict by another name");
  add(generation::kTokens, "New tokens at most; 0: as many as the model has positions for [128]");
  add(generation::kTemperature,
      "What logits are divided by before tokens are drawn, from model.seed; 0: the most probable one [0]");
  add(generation::kTopK, "Draw from so many of the most probable tokens; 0: from all [0]");
  add(generation::kTopP, "Draw from the fewest tokens that have this probability together [1]");
}

std::map<std::string, std::string> Prompts::options_for_files() const {
  check(!prompt_, "--output is for the prompts of a file; --prompt is continued on the terminal");
  return options_;
}

void Prompts::answer(const run::ResolvedRun& config, bool json, io::Listener& listener) const {
  Notes notes(listener);
  const auto file = options_.find(text::Text::kPrompts);
  check(!prompt_ || file == options_.end(), "--prompt and --prompts both give prompts; expected one");
  const generation::GenerationOptions options = generation::read_options(options_, text::model_of(config), config.seed);
  if (file != options_.end()) {
    return text::continue_texts(config, options, text::read_prompts(file->second), json ? print_json : print_continued,
                                notes);
  }
  text::TextContinuer continuer(config, options, prompt_, notes);
  const auto go_on = [&](const std::string& prompt) {
    if (!json) print_text(io::replace_invalid_utf8(prompt));
    const text::ContinuedText continued = continuer.go_on(prompt, [&](std::string_view text) {
      if (!json) print_text(text);
    });
    if (json) return print_json(continued);
    print_text("\n");
  };
  if (prompt_) return go_on(*prompt_);
  for (std::string line; read_line("prompt", line);) go_on(line);
}

}  // namespace phasor::cli
