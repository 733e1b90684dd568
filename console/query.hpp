// The target of a request, taken apart: the path's steps and the query's parameters, decoded. Every
// parameter must be known and must be given once; a refusal names it and its value. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "console/problem.hpp"
#include "core/result.hpp"

namespace xbind::console {

inline constexpr std::size_t kParametersMax = 32;

// "%2F" and the like; nullopt: not well formed. `plus`: '+' is a blank, as in a query.
std::optional<std::string> percent_decoded(std::string_view text, bool plus);

struct Target {
  std::vector<std::string> steps;  // "/api/v1" -> {"api", "v1"}; "/" -> {}
  std::map<std::string, std::string> parameters;
};
// The problem's name is "bad-target".
tl::expected<Target, Problem> parse_target(std::string_view target);

// Takes parameters out of a target one by one. The first fault counts: check problem() last.
class Parameters {
 public:
  explicit Parameters(std::map<std::string, std::string> all) : left_(std::move(all)) {}

  // The value, or `otherwise`.
  std::string text(const std::string& name, std::string otherwise = {});
  std::uint64_t number(const std::string& name, std::uint64_t otherwise, std::uint64_t max);
  bool flag(const std::string& name);  // "true" or "false"; default false
  // The place of the value in `words`; the default is the first one.
  std::size_t choice(const std::string& name, const std::vector<std::string>& words);

  // The first fault, or a parameter that nobody took: "unknown-parameter".
  std::optional<Problem> problem() const;

 private:
  std::optional<std::string> take(const std::string& name);
  void refuse(const std::string& name, const std::string& value, const std::string& why);

  std::map<std::string, std::string> left_;
  std::optional<Problem> first_;
};

// A whole number of decimal digits, at most `max`.
std::optional<std::uint64_t> digits_of(std::string_view text, std::uint64_t max);

}  // namespace xbind::console
