// The call that the log lines of a thread are about, for as long as the object exists. The JSON
// form has it as a member; in the other form, a line that does not name it begins with "call ID: ".
// If nested, the innermost one counts. It costs a thread-local pointer.
#pragma once

#include <cstdint>
#include <optional>

namespace xbind::log {

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
