#include "xbindctl/address_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "core/log.hpp"
#include "core/read_file.hpp"
#include "naming/names.hpp"

namespace xbind::ctl {
namespace {

namespace fs = std::filesystem;

// "127.0.0.1:2809", also of "127.0.0.1:2809 (from omniORB's configuration)".
std::string file_name_of(const std::string& service) {
  std::string name = service.substr(0, service.find(' '));
  const auto usual = [](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '.' || one == ':' ||
           one == '-' || one == '[' || one == ']';
  };
  std::ranges::replace_if(
      name, [&](char one) { return !usual(one); }, '_');
  return name.substr(0, 200);
}

}  // namespace

fs::path cache_directory() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return cache;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache";
  return {};
}

AddressFile::AddressFile(const fs::path& cache, const std::string& service) {
  const std::string name = file_name_of(service);
  if (!cache.empty() && !name.empty()) path_ = cache / "openxbind" / "names" / name;
}

void AddressFile::load(orb::NameClient& names) const {
  if (path_.empty()) return;
  const auto text = read_file(path_.string(), kOctetsMax);
  if (text) return names.known()->read(*text);
  std::error_code ignored;
  if (fs::exists(path_, ignored)) log::info("addresses are not read: {}", text.error().text);
}

void AddressFile::store(orb::NameClient& names, std::chrono::seconds fresh) const {
  orb::KnownNames& known = *names.known();
  if (path_.empty() || !known.answers()) return;
  std::error_code error;
  const auto written = fs::last_write_time(path_, error);
  const bool old = error || fs::file_time_type::clock::now() - written > fresh;
  if (!old && !known.changed()) return;
  if (const std::string why = why_not_writable(); !why.empty()) {
    log::info("addresses are not kept: {}: {}", path_.string(), why);
    return;
  }
  if (old) {
    for (const std::string& path :
         names.list_or_known(naming::kRoot).value_or(std::vector<std::string>{})) {
      (void)names.resolve_or_known(path);  // it is kept; one that is gone meanwhile is not
    }
  }
  write(known.text());
  if (const std::size_t left = known.without_room(); left != 0) {
    log::info(
        "addresses are not kept: {} has no room for {} more; it has at most {} names, {} octets",
        path_.string(), left, orb::KnownNames::kNamesMax, kOctetsMax);
  }
}

std::string AddressFile::why_not_writable() const {
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  if (error) return error.message();
  if (::access(path_.parent_path().c_str(), W_OK | X_OK) == 0) return "";
  return std::generic_category().message(errno);
}

void AddressFile::write(const std::string& text) const {
  std::error_code error;
  // Several programs of the user may write at a time: each replaces the whole.
  std::string temporary = path_.string() + ".XXXXXX";
  const int made = ::mkstemp(temporary.data());
  if (made < 0) {
    log::info("addresses are not kept: {}: {}", path_.string(),
              std::generic_category().message(errno));
    return;
  }
  ::close(made);
  std::ofstream(temporary, std::ios::binary | std::ios::trunc) << text;
  if (fs::file_size(temporary, error) == text.size() && !error) {
    fs::rename(temporary, path_, error);
    if (!error) return remove_oldest();
  }
  log::info("addresses are not kept: {} cannot be written", path_.string());
  fs::remove(temporary, error);
}

void AddressFile::remove_oldest() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code ignored;  // of a file that another program has removed meanwhile
  for (fs::directory_iterator at(path_.parent_path(), error); !error && at != fs::end(at);
       at.increment(error)) {
    files.emplace_back(at->last_write_time(ignored), at->path());
  }
  if (files.size() <= kFilesMax) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i < files.size() - kFilesMax; ++i) fs::remove(files[i].second, error);
}

}  // namespace xbind::ctl
