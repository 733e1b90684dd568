// The service catalogue: names for services, so that a client asks for "voice-g711" and not for numbers.
// A file in TOML; qosmapper/catalogue.toml is the one that comes with the project.
//
//   [[service]]                 # at least one, at most kCatalogueServicesMax
//   name = "video-25"           # 1 to 64 of letters, digits, '-', '_', '.'; each once, no class
//   class = "video"             # or "voice", "data", "constant"
//
//   key            classes          what
//   frames-per-s   video, voice     0.001 to 1000000, thousandths
//   frame-octets   all              video: mean; voice, constant: of each frame; data: of the largest
//   peak-to-mean   video            largest frame over the mean: 1 (default) to 1000, thousandths
//   burst-frames   video, data      largest frames that may follow each other: from 1 (default)
//   bits-per-s     constant, data   of the frames' octets, whole; data: guaranteed, default none
//   peak-bits-per-s  data           whole; default: a line of 353207 cells/s
//   frame-loss     all              ratio, 1e-12 to below 1; not for data without bits-per-s
//   delay-ms       all but data     0.002 to 3600000; may be left out for video
//
// Numbers with more digits than we keep are taken to the safe side: rates and sizes up, loss and delay down.
// Every service of a catalogue has a mapping (to_atm()), and is refused here if it has none.
//
// Refusals (kBadInput; kSystem when the file cannot be read) begin with "FILE line N: ", the line of the
// value or, where a key is missing or the mapping refuses, of the table; an empty file has no line.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/service_terms.hpp"
#include "qosmapper/atm_mapping.hpp"

namespace xbind {

inline constexpr std::size_t kCatalogueOctetsMax = 1u << 20;
inline constexpr std::size_t kCatalogueServicesMax = 1000;

// A value; const functions from any thread.
class Catalogue {
 public:
  struct Entry {
    UserService service;
    AtmService mapped;  // to_atm(service)
  };

  // Nothing when there is none of the name. Valid as long as the catalogue.
  const Entry* find(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }  // in the order of the file

  // kBadInput: a name that cannot be, is a class's word or is there, one service too many, no mapping.
  Result<void> add(std::string name, const UserService& service);

 private:
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> names_;
};

// The class of that word, "video"; nothing when it is none.
std::optional<ServiceClass> class_of_word(std::string_view word);

// qosmapper/catalogue.toml as it was when this was compiled.
const Catalogue& shipped_catalogue();

Result<Catalogue> read_catalogue_file(const std::string& path);

// The file of an option `--catalogue`; empty: the shipped one.
Result<std::shared_ptr<const Catalogue>> catalogue_of_option(const std::string& path);

// The same of a text; `path` is only for the refusals.
Result<Catalogue> parse_catalogue(std::string_view text, const std::string& path);

}  // namespace xbind
