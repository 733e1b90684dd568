// What the importers share: nodes and links of a foreign file become a Topology of which every node is
// an endpoint, and every choice made on the way becomes a note.
//
// Names: lower case; each run of other characters than a-z, 0-9 and '.' is one '-', none at either end;
// at most 63 characters; "node-N" where nothing is left, N counting nodes from 1. A name that is taken
// gets "-2", "-3", ... in the order of the file. Ports: 1 is the host's, links take 2, 3, ... at both
// ends in the order of the file. Delay: the great-circle distance (Earth's mean radius, 6371.009 km) at
// 5 us/km where both ends have a position; when any position of the file lies outside longitude -180 to
// 180 and latitude -90 to 90, none is taken for one (some SNDlib files have pixels there).
//
// Refusals are kBadInput and begin with "FILE line N: ". Not for several threads.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "routeobject/topology/topology.hpp"

namespace xbind {

inline constexpr std::size_t kImportNotesMax = 256;  // the last tells how many are left out
inline constexpr double kDelayUsPerKm = 5.0;         // light in glass

struct Position {
  double longitude = 0;  // degrees east
  double latitude = 0;   // degrees north
};

// A file's word in a sentence, always UTF-8: at most 40 octets of it, '?' for control characters and for
// octets that are no UTF-8.
std::string shown(std::string_view word);

// The rule above, without what makes it unique; empty when nothing is left.
std::string switch_name_of(std::string_view raw);

// The switch name for a topology that a file of this path holds: its stem by the rule above.
std::string topology_name_of(const std::string& path);

class TopologyBuilder {
 public:
  explicit TopologyBuilder(const std::string& path)
      : path_(path), topology_(topology_name_of(path)) {}

  template <class... Args>
  tl::unexpected<Error> refuse(std::size_t line, fmt::format_string<Args...> text,
                               Args&&... args) const {
    return fail(ErrorCode::kBadInput, "{} line {}: {}", path_, line,
                fmt::format(text, std::forward<Args>(args)...));
  }

  // `id`: by which links and demands name it, refused when it is there already; `label`: what the
  // switch's name is made of.
  Result<void> add_node(const std::string& id, std::string_view label, std::size_t line,
                        std::optional<Position> position);
  // `what`: the link in notes and refusals; `why`: where its rate comes from, "largest module 622
  // Mbit/s". A link of a node with itself is refused.
  Result<void> add_link(std::string_view what, const std::string& from, const std::string& to,
                        std::uint64_t cells_per_s, const std::string& why, std::size_t line);
  // A weight of 0 is no demand: it is left out, and noted.
  Result<void> add_demand(std::string_view what, const std::string& from, const std::string& to,
                          double weight, std::size_t line);
  void note(std::string text);
  const std::string& path() const { return path_; }

  struct Built {
    Topology topology;
    std::vector<std::string> notes;  // at most kImportNotesMax
  };
  // `what`: the file in the first note, "SNDlib native format". Refused when there is no node.
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
  std::unordered_map<std::string, std::uint32_t> suffixes_;  // of a name: the last one given out
  std::vector<std::string> renamed_;                         // "Gdansk = gdansk"
  std::vector<std::uint32_t> next_port_;                     // by switch
  std::vector<std::optional<Position>> positions_;           // by switch
  std::vector<RateChoice> rates_;                            // in order of the file
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> rate_at_;
  std::vector<std::string> first_notes_;  // what the importer has said
  std::vector<std::string> notes_;
  std::size_t notes_over_ = 0;
  std::size_t demands_zero_ = 0;
};

}  // namespace xbind
