// References found earlier in the name service, for programs that must go on while it is away
// (decision 0089): names and stringified references. What the name service says replaces them; they
// are used only when it does not answer.
//
// Bounded. Pure: the caller passes the time. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace xbind::orb {

class KnownNames {
 public:
  // Further names are not kept.
  static constexpr std::size_t kNamesMax = 4'096;
  static constexpr std::size_t kReferenceOctetsMax = 4'096;
  static constexpr std::size_t kPathOctetsMax = 1'024;
  // Of text(); further names are not kept.
  static constexpr std::size_t kTextOctetsMax = std::size_t{8} << 20;

  // The name service has bound the path to that reference, "IOR:...". Without room for a new
  // reference the old one goes, because it is no longer true.
  void found(const std::string& path, const std::string& reference);
  // It has no such name.
  void gone(const std::string& path);
  // It has exactly these names below the context.
  void listed(const std::string& context, const std::vector<std::string>& paths);
  // It did not answer; until `again` it need not be asked.
  void away(const Error& why, TimePoint again);
  // It has answered.
  void answered();
  // Whether it answered when it was asked last; false also if it was not asked.
  bool answers() const;
  // Why it need not be asked now; nullopt: ask it.
  std::optional<Error> why_away(TimePoint now) const;
  // Why what is known here stood for its answer, since it answered last; nullopt: it did not.
  std::optional<Error> why_used() const;
  void use();

  std::optional<std::string> reference(const std::string& path) const;
  // The paths below the context, sorted; all that are known with "".
  std::vector<std::string> below(const std::string& context) const;

  // One line for each name: path, a tab, reference. read() takes what is right in such a text, and
  // overwrites nothing that was found.
  std::string text() const;
  void read(std::string_view text);
  // Whether anything was found or has gone.
  bool changed() const;
  // How often found() had no room for a name.
  std::size_t without_room() const;

 private:
  using References = std::map<std::string, std::string, std::less<>>;

  // Call these with mutex_ locked. put() returns false, and keeps nothing, without room.
  bool put(std::string_view path, std::string_view reference);
  References::iterator remove(References::iterator at);

  mutable std::mutex mutex_;
  References references_;
  std::size_t octets_ = 0;  // of text()
  std::size_t without_room_ = 0;
  std::optional<Error> away_;
  TimePoint again_{};
  bool used_ = false;  // since away_ is set
  bool answers_ = false;
  bool changed_ = false;
};

}  // namespace xbind::orb
