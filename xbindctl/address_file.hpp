// The addresses that xbindctl has found in a name service, kept in a file of the user's, so that it
// reaches the daemons while that name service is away (decision 0089).
//
//   $XDG_CACHE_HOME/openxbind/names/HOST:PORT, else $HOME/.cache/...
//
// It is a cache: without a directory, or when it cannot be written, xbindctl works as without it.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "orb/name_client.hpp"

namespace xbind::ctl {

class AddressFile {
 public:
  // What store() writes, load() reads.
  static constexpr std::size_t kOctetsMax = orb::KnownNames::kTextOctetsMax;
  // Files of other name services; the oldest are removed beyond this number.
  static constexpr std::size_t kFilesMax = 64;

  // `cache`: the user's cache directory; empty: there is none. `service`: NameClient::service().
  AddressFile(const std::filesystem::path& cache, const std::string& service);

  // Fills names.known(), which must be there.
  void load(orb::NameClient& names) const;
  // Writes what names.known() has, if it has changed. If the file is older than `fresh` or missing
  // and the name service has answered, looks all daemons up first, so that each is known although
  // only one was asked for.
  void store(orb::NameClient& names, std::chrono::seconds fresh) const;

 private:
  // Creates the directory. Empty: files can be made in it; otherwise no daemon is looked up for
  // nothing.
  std::string why_not_writable() const;
  void write(const std::string& text) const;
  void remove_oldest() const;

  std::filesystem::path path_;  // empty: nothing is kept
};

// From $XDG_CACHE_HOME or $HOME; empty: neither is an absolute path.
std::filesystem::path cache_directory();

}  // namespace xbind::ctl
