// Text commands for a running emulated switch: over its control socket, and at the start with
// --fault. Each command is one line, each answer is one line.
//
//   line PORT up|down                  takes a port's line up or down and sends the event
//   card PORT out|in                   removes a port with its connections, or inserts it
//   refuse-next K CODE                 the next K Add Branch requests fail with CODE
//   drop-adjacency [rstack|silent|off] rstack (default): RSTACK on every adjacency; silent: drops
//                                      all messages in both directions until off
//   tcp-reset                          resets every connection
//   slow-reader OCTETS_PER_S|off       limits reading from each controller
//   reorder P|off                      1 to 8 answers overtake an answer with probability P
//   partial-frames OCTETS|off          sends messages in pieces of this size
//   restart hot|cold                   hot: the table stays; cold: nothing stays
//   delay message US                   processor time per request in microseconds; requests are
//   delay connection US                served one after another; and per connection operation
//   delay table US                     the table executes a request at once and answers it this
//                                      many microseconds later; requests are delayed in parallel
//   labels PORT VPI_MIN VPI_MAX VCI_MIN VCI_MAX     sets the input labels of an ATM port
//   labels PORT mpls:FIRST-LAST ...    sets the input labels of an MPLS port
//   status                             shows counters and the faults in force
//   statistics PORT                    shows the cell counters of a port
//   capture PORT FILE|off              captures a port's cells into FILE.erf or FILE.pcap, a name
//                                      in the directory of --capture-dir
//   tune OPTION=VALUE                  sets an option of the process that it takes while it runs,
//                                      such as log-level=gsmp=debug,info; until the process ends
//   tune OPTION                        the option has its configured value again
//
//   answers: ok [NAME=VALUE ...]       error NAME: the reason
//
// A line that is no order is answered, and ends the connection.
//
// In a process with several switches a line begins with the switch's name: "@sw2 line 1 down". The
// order tune is about the process and needs none.
//
// Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/config/options.hpp"
#include "core/label.hpp"
#include "emulator/emulated_switch.hpp"
#include "gsmp/messages/failure_code.hpp"

namespace xbind::emulator {

inline constexpr std::size_t kControlLineMax = 1024;  // octets, without the end of line
inline constexpr std::uint32_t kDelayMaxUs = 10'000'000;

namespace command {

struct SetLine {
  PortId port;
  bool up = true;
};
struct SetCard {
  PortId port;
  bool in = true;
};
struct RefuseNext {
  std::uint64_t count = 0;
  gsmp::FailureCode code{};
};
struct DropAdjacency {
  enum class How : std::uint8_t { kRstAck, kSilent, kOff } how = How::kRstAck;
};
struct TcpReset {};
struct SetSlowReader {
  std::uint32_t octets_per_s = 0;  // 0: off, as below
};
struct Reorder {
  double probability = 0;
};
struct PartialFrames {
  std::size_t octets = 0;
};
struct RestartNow {
  Restart how = Restart::kHot;
};
struct Delay {
  enum class Of : std::uint8_t { kMessage, kConnection, kTable } of = Of::kMessage;
  Duration time{};
};
struct Labels {
  PortId port;
  LabelRanges ranges;  // of one kind; ATM: exactly one range
};
struct Status {};
struct Statistics {
  PortId port;
};
struct Capture {
  PortId port;
  std::string file;  // empty: off
};
struct Tune {
  std::string option;
  std::optional<std::string> value;  // nullopt: the configured one
};

}  // namespace command

using Command =
    std::variant<command::SetLine, command::SetCard, command::RefuseNext, command::DropAdjacency,
                 command::TcpReset, command::SetSlowReader, command::Reorder,
                 command::PartialFrames, command::RestartNow, command::Delay, command::Labels,
                 command::Status, command::Statistics, command::Capture, command::Tune>;

// The NAME of an answer "error NAME: text".
enum class ControlFault : std::uint8_t {
  kUnknownCommand,
  kArguments,  // too few or too many
  kBadValue,   // an invalid word or a value out of range
  kNotText,    // a control character
  kNoSuchPort,
  kNoSuchSwitch,
  kLineTooLong,
  kSystem,  // a file that cannot be written
};
std::string_view to_string(ControlFault fault);  // "unknown-command", ...

struct ControlError {
  ControlFault fault;
  std::string text;  // the error, with the value
};
std::string to_string(const ControlError& error);  // "error bad-value: ..."

template <class T>
using ControlResult = tl::expected<T, ControlError>;

// Whether the line could be an order, right or wrong: it begins with the word of one, perhaps
// behind the name of a switch, and has no control character.
bool is_order(std::string_view line);

// Does not check that the port exists; execute() does.
ControlResult<Command> parse_command(std::string_view line);

// Starts a capture of a port's cells, or stops it (empty file). The owner handles the files.
using CaptureControl =
    std::function<Result<void>(EmulatedSwitch&, PortId, const std::string& file)>;

// Sets an option of the process (config::Reloadable::tune), or no longer sets it. Returns the
// changes.
using TuneControl = std::function<Result<std::vector<config::OptionChange>>(
    const std::string& option, const std::optional<std::string>& value)>;

// What orders need besides the switch.
struct Controls {
  CaptureControl capture;
  TuneControl tune;  // empty: the order is refused
};

// Returns the words after "ok", possibly none.
ControlResult<std::string> execute(const Command& command, EmulatedSwitch& emulated,
                                   const Controls& controls, TimePoint now);

// Executes one line for a process with these switches. Returns the answer without an end of line.
std::string answer(std::string_view line, const std::vector<EmulatedSwitch*>& switches,
                   const Controls& controls, TimePoint now);

}  // namespace xbind::emulator
