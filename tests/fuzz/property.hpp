// How the fuzz targets state what must hold for any input. A broken property ends the process, so
// that libFuzzer stores the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/name.hpp"

namespace xbind::fuzz {

// The name of the file that a parser believes it reads.
inline const std::string kFile = "input.toml";

// Longest text for people: a reason of kRefusalOctetsMax octets, and its place.
inline constexpr std::size_t kSentenceOctetsMax = kRefusalOctetsMax + 100;

[[noreturn]] inline void broken(std::string_view property, std::string_view detail = {}) {
  std::fprintf(stderr, "broken: %.*s\n%.*s\n", static_cast<int>(property.size()), property.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

inline void require(bool holds, std::string_view property, std::string_view detail = {}) {
  if (!holds) broken(property, detail);
}

inline std::string_view text_of(std::span<const std::uint8_t> input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// A text for people: something, on one line, safe for a terminal, and of bounded length.
inline void require_sentence(std::string_view text, std::size_t octets_max = kSentenceOctetsMax) {
  require(!text.empty(), "a text is empty");
  require(text.size() <= octets_max, "a text is too long", text);
  require(printable(text, octets_max) == text, "a text is not printable", text);
}

// A refusal of a file names it, and says why.
inline void require_refusal(const Error& error) {
  require(error.code == ErrorCode::kBadInput, "a refusal is not bad input", error.text);
  require(error.text.starts_with(kFile), "a refusal does not name its file", error.text);
  require(error.text.size() > kFile.size() + 2, "a refusal gives no reason", error.text);
  require_sentence(error.text);
}

}  // namespace xbind::fuzz
