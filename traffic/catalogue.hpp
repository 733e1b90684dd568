// The service catalogue: names for services, so that a client requests "voice-g711" instead of
// numbers. A TOML file; the project's own is traffic/catalogue.toml.
//
//   [[service]]                 # at least one, at most kCatalogueServicesMax
//   name = "video-25"           # 1 to 64 letters, digits, '-', '_', '.'; unique, not a class
//   class = "video"             # or "voice", "data", "constant"
//
//   key            classes          what
//   frames-per-s   video, voice     0.001 to 1000000, thousandths
//   frame-octets   all              video: the mean; voice, constant: each; data: the largest
//   peak-to-mean   video            largest frame over the mean: 1 (default) to 1000, thousandths
//   burst-frames   video, data      largest frames that may follow each other: at least 1 (default)
//   bits-per-s     constant, data   integer, of the frames' octets; data: guaranteed, default none
//   peak-bits-per-s  data           integer; default: a line of 353207 cells/s
//   frame-loss     all              ratio, 1e-12 to below 1; not for data without bits-per-s
//   delay-ms       all but data     0.002 to 3600000; optional for video
//
// Numbers with too many digits are rounded to the safe side: rates and sizes up, loss and delay
// down. Every service of a catalogue has a mapping (to_atm()); one without is refused here.
//
// Refusals (kBadInput; kSystem when the file cannot be read) begin with "FILE line N: ". The line
// is that of the value, or of the table if a key is missing or the mapping refuses. An empty file
// has no line.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "core/result.hpp"
#include "core/service_terms.hpp"
#include "traffic/atm_mapping.hpp"

namespace xbind {

inline constexpr std::size_t kCatalogueOctetsMax = 1u << 20;
inline constexpr std::size_t kCatalogueServicesMax = 1000;

// A value; const functions from any thread.
class Catalogue {
 public:
  struct Entry {
    UserService service;
    AtmService mapped;  // to_atm(service)

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  // Returns null if there is no service of that name. Valid as long as the catalogue.
  const Entry* find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }  // in the order of the file

  // The same services of the same meaning, in any order.
  bool same_services(const Catalogue& other) const { return entries_ == other.entries_; }

  // kBadInput: an invalid or repeated name or a class's word, too many services, or no mapping.
  Result<void> add(std::string name, const UserService& service);

 private:
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> names_;
};

// The class of a word such as "video"; nullopt if it is not a class.
std::optional<ServiceClass> class_of_word(std::string_view word);

// The contents of traffic/catalogue.toml at compile time.
const Catalogue& shipped_catalogue();

Result<Catalogue> read_catalogue_file(const std::string& path);

// Reads the file of an option `--catalogue`; an empty path gives the shipped catalogue.
Result<std::shared_ptr<const Catalogue>> catalogue_of_option(const std::string& path);

// What differs between the contents of two catalogues, as a change of the live option
// `--catalogue`; nullopt: nothing. Say it beside a change of the path.
std::optional<config::OptionChange> catalogue_change(const Catalogue& before,
                                                     const Catalogue& after);

// The same for a text; `path` is used only in refusals.
Result<Catalogue> parse_catalogue(std::string_view text, const std::string& path);

}  // namespace xbind
