// config.json and tokenizer_config.json: a JSON object of settings, read key by key. A key with null is as one that is
// not there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace phasor::transformers {

class SettingsFile {
 public:
  // Of the end of messages: why nothing but what is expected will do, and what to ask where a key is missing.
  struct Words {
    std::string only, missing;
  };

  // A file that is no JSON object is a UserError.
  SettingsFile(const std::string& folder, const char* name, Words words);

  // Text that may be missing, then empty.
  std::string text(const char* key) const;

  // A size, which may have one of two names.
  std::int64_t size(const char* key, const char* other_key = nullptr) const;
  std::int64_t size_or(std::int64_t usual, const char* key) const;
  float real_or(float usual, const char* key) const;

  // Throws UserError where the key is there with another value.
  void expect(const char* key, const nlohmann::json& only) const;

 private:
  const nlohmann::json& find(const char* key) const;
  std::int64_t checked_size(const char* key, const nlohmann::json& value) const;

  std::string path_;
  Words words_;
  nlohmann::json document_;
};

}  // namespace phasor::transformers
