// What the console knows of the network now: sections ("links", "daemons") of rows, each a key and
// a JSON text. Rows that are replaced give the change, so that whoever has an earlier state needs
// only that. One poller writes, any number of browsers read.
//
//   Board::replace("links", "routeobject/default", rows) ──▶ Change ──▶ event_text() ──▶ streams
//
// Pure; the owner locks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace xbind::console {

// Key -> JSON text.
using Rows = std::map<std::string, std::string>;

struct Change {
  std::uint64_t number = 0;  // from 1, without gaps
  std::string section;
  Rows set;                       // new, or with another text
  std::vector<std::string> gone;  // keys
};

// Rows of a section; further ones are left out, and counted.
inline constexpr std::size_t kRowsMax = 20'000;

class Board {
 public:
  // Makes `rows` all that `owner` has in the section. A key belongs to the first owner that shows
  // it, as long as it does. nullopt: nothing has changed.
  std::optional<Change> replace(const std::string& section, const std::string& owner, Rows rows);

  // Sets rows of `owner` and removes the keys in `gone`; its other rows stay. The same otherwise.
  std::optional<Change> amend(const std::string& section, const std::string& owner, Rows rows,
                              const std::vector<std::string>& gone);

  // The number of the last change.
  std::uint64_t number() const { return number_; }
  // The rows of a section, in the order of the keys, as a JSON array.
  std::string array_of(const std::string& section) const;
  // nullptr: there is none.
  const std::string* row(const std::string& section, const std::string& key) const;
  std::uint64_t left_out() const { return left_out_; }

  // {"number":7,"sections":{"links":{"KEY":ROW,...},...}}
  std::string json() const;

 private:
  struct Row {
    std::string owner;
    std::string json;
  };
  using Section = std::map<std::string, Row>;

  // Puts `rows` into the section, and numbers the change, unless nothing has changed.
  std::optional<Change> completed(Change change, Section& known, const std::string& owner,
                                  Rows rows);

  std::map<std::string, Section> sections_;
  std::uint64_t number_ = 0;
  std::uint64_t left_out_ = 0;
};

// {"number":8,"section":"links","set":{"KEY":ROW},"gone":["KEY"]}
std::string json_of(const Change& change);

// One event of text/event-stream; `data` is JSON in one line.
std::string event_text(const std::string& name, std::uint64_t number, const std::string& data);

}  // namespace xbind::console
