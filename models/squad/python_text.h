// What Python's str and re do with Unicode text, as far as the official SQuAD evaluation uses it. UTF-8 in and out.
#pragma once

#include <string>
#include <string_view>

namespace phasor::squad {

// text.lower()
std::string python_lower(std::string_view text);

// re.sub(r'\b(a|an|the)\b', ' ', text)
std::string python_replace_articles(std::string_view text);

// ' '.join(text.split())
std::string python_join_words(std::string_view text);

}  // namespace phasor::squad
