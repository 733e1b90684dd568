// Shares one load among several generators: what each of N child processes offers, so that together
// they offer the whole load.
//
//   poisson    rate / N each, with seeds of their own: the sum is Poisson with the whole rate
//   constant   rate / N each, the k-th beginning k / rate later: together evenly spaced
//   others     refused: options alone cannot describe a share of a burst, a ramp or a trace
//
// The children are this program, started with the parent's arguments except those that a share
// changes. They attach, report that they are ready, and wait for the common start. At the end they
// write their figures as the JSON of a report. Parent and child exchange lines of text:
//
//   child --> parent    ready
//   parent --> child    start NANOSECONDS          of the steady clock, which all processes share
//   child --> parent    progress CONNECTED REFUSED BUSY UNANSWERED UP IN_FLIGHT OFFERED_PER_S
//                       P50_NS P99_NS SINCE_NS ANSWERED RECENT_P50_NS RECENT_P99_NS
//   child --> parent    report OCTETS, and then that many octets
//   child --> parent    error SENTENCE
//
// Pure: no process is started here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "callgen/options/run_options.hpp"
#include "callgen/run/runner.hpp"
#include "core/config/options.hpp"
#include "core/result.hpp"

namespace xbind::callgen {

inline constexpr std::uint32_t kMostGenerators = 16;

// Why this load cannot be shared, with the option's name; nothing: it can.
std::optional<std::string> cannot_share(const RunOptions& options, std::uint32_t generators);

// The share of the k-th of N (k from 0). Calls are dealt in turn, so the first generators may have
// one more. `phase` is the delay of its beginning after the common start.
struct Share {
  std::uint64_t calls = 0;
  double rate = 0;
  std::uint64_t seed = 0;
  Duration phase{};
};
Share share_of(const RunOptions& options, std::uint32_t k, std::uint32_t generators);

// The arguments of a child: those of the parent without the named options (with or without "="),
// and then `more`.
std::vector<std::string> child_words(const std::vector<std::string>& words,
                                     const std::vector<std::string>& without,
                                     const std::vector<std::string>& more);

// The lines of the protocol.
struct Ready {};
struct Started {
  Duration at{};  // of the steady clock
};
struct ReportFollows {
  std::size_t octets = 0;
};
struct ChildFailed {
  std::string sentence;
};
using ChildLine = std::variant<Ready, Started, Progress, ReportFollows, ChildFailed>;

std::string line_of(const ChildLine& line);  // without a newline
Result<ChildLine> parse_line(std::string_view line);

// All children together: counts and rates are added; percentiles are the worst ones, because they
// cannot be added.
Progress sum_of(const std::vector<Progress>& all);

}  // namespace xbind::callgen
