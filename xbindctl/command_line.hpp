// What the operator types: the commands with their words, the options, and what does not fit
// together. Everything is judged before anybody is asked; a refusal is exit code 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "core/config/options.hpp"

namespace xbind::ctl {

struct CommandLine {
  std::string manager;             // name under xbind/cmgr/
  std::vector<std::string> words;  // the command and its arguments, as many as it takes
  std::uint64_t id = 0;            // the argument ID, REQUEST or PORT of commands that have one
  Label label;                     // the argument VPI/VCI

  ServiceSpec service;
  std::string category;                   // one of categories()
  bool both = false;                      // the other direction too,
  std::uint64_t reverse_cells_per_s = 0;  // with this rate; 0: as forward
  std::uint8_t priority = 0;
  double hold_s = 0;
  std::uint32_t count = 0;
  std::string mode;  // one of aggregation_modes()
  std::uint32_t threshold = 0;
  double flush_timeout_ms = 0;

  const std::string& verb() const { return words.front(); }
  std::optional<ServiceSpec> reverse() const;
  std::uint32_t hold_ms() const;
};

// In the order of the contract's numbers.
const std::vector<std::string>& aggregation_modes();

// In the order of ServiceCategory's numbers; the first: the contract is not named.
const std::vector<std::string>& categories();

// Declares words, options and checks; `line` and `set` must outlive the loading.
void declare(config::OptionSet& set, CommandLine& line);

}  // namespace xbind::ctl
