// Shared by the importers: nodes and links of a foreign file become a Topology in which every node
// is an endpoint. Every choice made on the way is recorded as a note.
//
// Names: lower case; each run of characters other than a-z, 0-9 and '.' becomes one '-', and none
// remains at either end; at most 63 characters. If nothing remains the name is "node-N", with N
// counting nodes from 1. A repeated name gets "-2", "-3", ... in the order of the file. Ports: port
// 1 is the host's; links use 2, 3, ... at both ends in the order of the file. Delay: the
// great-circle distance (Earth's mean radius, 6371.009 km) at 5 us/km where both ends have a
// position. If any position of the file lies outside longitude -180 to 180 and latitude -90 to 90,
// all positions are ignored, because some SNDlib files have pixels there.
//
// Refusals are kBadInput and begin with "FILE line N: ". Not thread-safe.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/name.hpp"
#include "core/result.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

inline constexpr std::size_t kImportNotesMax = 256;  // the last note counts the omitted ones
inline constexpr std::size_t kNoteOctetsMax = 4096;
inline constexpr double kDelayUsPerKm = 5.0;  // light in glass

struct Position {
  double longitude = 0;  // degrees east
  double latitude = 0;   // degrees north
};

// Without the blanks, tabs and ends of lines around it.
std::string_view trimmed(std::string_view text);

// The whole text as a finite number.
std::optional<double> number_of(std::string_view text);

// Quotes a word of the file, always in UTF-8: at most 40 octets, with '?' for control characters
// and for octets that are not UTF-8.
std::string shown(std::string_view word);

// Applies the name rule above, except for uniqueness. Empty if nothing remains.
std::string switch_name_of(std::string_view raw);

// The topology's name for a file of this path: its stem by the rule above.
std::string topology_name_of(const std::string& path);

class TopologyBuilder {
 public:
  explicit TopologyBuilder(const std::string& path)
      : path_(path), topology_(topology_name_of(path)) {}

  template <class... Args>
  tl::unexpected<Error> refuse(std::size_t line, fmt::format_string<Args...> text,
                               Args&&... args) const {
    return fail(ErrorCode::kBadInput, "{} line {}: {}", path_, line,
                printable(fmt::format(text, std::forward<Args>(args)...), kRefusalOctetsMax));
  }

  // `id` identifies the node in links and demands; a repeated id is refused. `label`: the source of
  // the switch's name.
  Result<void> add_node(const std::string& id, std::string_view label, std::size_t line,
                        std::optional<Position> position);
  // `what` names the link in notes and refusals. `why` states the source of its rate, such as
  // "largest module 622 Mbit/s". Refuses a link of a node to itself.
  Result<void> add_link(std::string_view what, const std::string& from, const std::string& to,
                        std::uint64_t cells_per_s, const std::string& why, std::size_t line);
  // A weight of 0 is no demand: it is omitted and noted.
  Result<void> add_demand(std::string_view what, const std::string& from, const std::string& to,
                          double weight, std::size_t line);
  void note(std::string text);
  const std::string& path() const { return path_; }

  struct Built {
    Topology topology;
    std::vector<std::string> notes;  // at most kImportNotesMax
  };
  // `what` names the format in the first note, "SNDlib native format". Refuses a file without
  // nodes.
  Result<Built> finish(std::string_view what);

 private:
  struct Node {
    SwitchIndex index = 0;
    std::size_t line = 0;
  };
  struct RateChoice {
    std::string why;
    std::uint64_t cells_per_s = 0;
    std::size_t links = 0;
    std::vector<std::string> first;  // the first three links
  };

  std::string unique_name(std::string_view label);
  Result<SwitchIndex> node(std::string_view what, const std::string& id, std::size_t line) const;
  void note_names();
  void note_rates();
  void note_shape();
  void set_delays();

  std::string path_;
  Topology topology_;
  std::unordered_map<std::string, Node> nodes_;              // by the file's id
  std::unordered_map<std::string, std::uint32_t> suffixes_;  // the last suffix of each name
  std::vector<std::string> renamed_;                         // "Gdansk = gdansk"
  std::vector<std::uint32_t> next_port_;                     // by switch
  std::vector<std::optional<Position>> positions_;           // by switch
  std::vector<RateChoice> rates_;                            // in order of the file
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> rate_at_;
  std::vector<std::string> first_notes_;  // the importer's own
  std::vector<std::string> notes_;
  std::size_t notes_over_ = 0;
  std::size_t demands_zero_ = 0;
};

}  // namespace xbind
