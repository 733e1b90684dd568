// What the log lines of a thread are about, besides the object of log::About: the subsystem and the
// call, for as long as the object exists. Only the JSON form shows them: the text of such a line
// names them already. If nested, the innermost one counts. They cost a thread-local pointer.
#pragma once

#include <cstdint>
#include <optional>

namespace xbind::log {

class AboutSubsystem {
 public:
  // `name`: a constant, "orb".
  explicit AboutSubsystem(const char* name);
  ~AboutSubsystem();
  AboutSubsystem(const AboutSubsystem&) = delete;
  AboutSubsystem& operator=(const AboutSubsystem&) = delete;

 private:
  const char* outer_;
};

class AboutCall {
 public:
  // `connection`: the id that the client of the call knows.
  explicit AboutCall(std::uint64_t connection);
  ~AboutCall();
  AboutCall(const AboutCall&) = delete;
  AboutCall& operator=(const AboutCall&) = delete;

 private:
  std::optional<std::uint64_t> outer_;
};

}  // namespace xbind::log
