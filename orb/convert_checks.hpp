// Parts of the conversions from IDL (convert.hpp) that several of their files use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "core/hop.hpp"
#include "core/name.hpp"
#include "core/result.hpp"
#include "orb/convert.hpp"
#include "switch_server.hh"

namespace xbind::orb {

v2::HopName to_idl(const HopKey& key);
HopKey to_core(const v2::HopName& name);
void to_idl(const HopOwner& owner, v2::HopOwner& out);

// The length of a hold that a daemon states: at most kHoldMsMax, whatever the message says. It is
// limited and not refused, because the whole message would be refused with it: the pages from which
// a manager recovers, or the commands of other calls. A client's longer hold is refused by name.
inline std::uint32_t hold_ms_of(CORBA::ULong stated) {
  return std::min<std::uint32_t>(stated, kHoldMsMax);
}

// Stores the error of the first field that could not be converted, so that the code below remains a
// list of fields.
class Checker {
 public:
  Label label(const v2::LabelValue& value) {
    auto converted = orb::to_core(value);
    if (converted) return *converted;
    note(converted.error());
    return {};
  }
  Cause cause(CORBA::Octet code) {
    if (const auto known = cause_from(code)) return *known;
    note(Error{ErrorCode::kProtocol, fmt::format("cause code {} is unknown", code)});
    return Cause::kNone;
  }
  // The service of the setup or change, at that index.
  NetworkService service(const v2::NetworkServiceSeq& services, CORBA::ULong place) {
    if (place < services.length()) return orb::to_core(services[place]);
    note(Error{ErrorCode::kProtocol,
               fmt::format("service {} is meant, of {} services", place, services.length())});
    return {};
  }
  // Checks that a setup or hop has a valid index into the `owners` of its message.
  std::uint32_t owner(CORBA::ULong place, std::size_t owners) {
    if (place >= owners) {
      note(Error{ErrorCode::kProtocol,
                 fmt::format("owner {} is meant, of {} owners", place, owners)});
    }
    return place;
  }
  HopAction action(CORBA::Octet code) {
    if (code <= static_cast<CORBA::Octet>(HopAction::kModify)) return static_cast<HopAction>(code);
    note(Error{ErrorCode::kProtocol, fmt::format("hop action {} is unknown", code)});
    return HopAction::kCommit;
  }
  // The connections to be recorded in a batch of so many commands.
  std::vector<ConnectionId> traced(const v2::ConnectionIdSeq& ids, std::size_t commands) {
    std::vector<ConnectionId> out;
    if (ids.length() > commands) {
      note(Error{ErrorCode::kProtocol, fmt::format("{} connections are to be recorded, of {} "
                                                   "commands",
                                                   ids.length(), commands)});
      return out;
    }
    for (CORBA::ULong i = 0; i < ids.length(); ++i) out.push_back(ConnectionId{ids[i]});
    return out;
  }
  HopStage stage(CORBA::Octet code) {
    if (code <= static_cast<CORBA::Octet>(kHopStageLast)) return static_cast<HopStage>(code);
    note(Error{ErrorCode::kProtocol, fmt::format("hop stage {} is unknown", code)});
    return HopStage::kCommitted;
  }
  std::vector<HopOwner> owners(const v2::HopOwnerSeq& owners) {
    std::vector<HopOwner> out;
    out.reserve(owners.length());
    for (CORBA::ULong i = 0; i < owners.length(); ++i) {
      const v2::HopOwner& owner = owners[i];
      out.push_back(
          {owner.client.in(), Epoch{owner.client_epoch}, owner.from_end.in(), owner.to_end.in()});
      check(out.back());
    }
    return out;
  }
  void check(const HopOwner& owner) {
    if (is_name(owner.from) && is_name(owner.to) &&
        (owner.client == kTwoWayClient || is_name(owner.client))) {
      return;
    }
    for (const auto& [what, name] :
         {std::pair{"endpoint", &owner.from}, {"endpoint", &owner.to}, {"client", &owner.client}}) {
      const auto named = check_name(what, *name);
      if (!named) note(Error{ErrorCode::kProtocol, named.error().text});
    }
  }
  template <class T>
  Result<T> done(T value) const {
    if (error_) return tl::make_unexpected(*error_);
    return value;
  }
  Result<void> done() const {
    if (error_) return tl::make_unexpected(*error_);
    return {};
  }
  void note(Error error) {
    if (!error_) error_ = std::move(error);
  }

 private:
  std::optional<Error> error_;
};

HopResult to_core(const v2::HopResult& result, Checker& checker);

}  // namespace xbind::orb
