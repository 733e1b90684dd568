// What a browser asks that is not read anyway: one call, whether a call would fit, the catalogue;
// and what it changes. Each function waits for its peers and returns the answer for the browser.
// Thread-safe.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "console/call_wish.hpp"
#include "console/http_message.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "orb/name_client.hpp"
#include "xbindctl/document.hpp"

namespace xbind::console {

class RemoteQuestions {
 public:
  struct Names {
    std::string route_object;
    std::string qos_mapper;
  };
  // `new_request`: a random number, under which an outcome can be looked up later.
  RemoteQuestions(orb::NameClient names, Names others, std::function<RequestId()> new_request);

  // {"manager", "call": `xbindctl describe`, "line": `xbindctl explain ID`}
  HttpAnswer describe(const std::string& manager, ConnectionId connection);
  // `xbindctl call`: asks each switch of the path.
  HttpAnswer ledgers(const std::string& manager, ConnectionId connection);
  // {"trace": `xbindctl trace ID`, or null; "why": what it says when nothing is recorded}
  HttpAnswer trace(const std::string& manager, ConnectionId connection);
  // `xbindctl explain FROM TO`
  HttpAnswer fit(const CallWish& wish);
  // `xbindctl services`
  HttpAnswer services();
  // `xbindctl explain causes`; asks nobody.
  HttpAnswer causes() const;

  // `xbindctl connect`. A refusal also says what would fit: member "fit".
  HttpAnswer connect(const CallWish& wish);
  HttpAnswer acknowledge(const Acknowledgement& wish);
  HttpAnswer release(const std::string& manager, ConnectionId connection);

 private:
  ctl::DocumentOrFailure fit_document_of(const CallWish& wish);

  orb::NameClient names_;
  const Names others_;
  const std::function<RequestId()> new_request_;
  std::mutex mutex_;
  HttpAnswer services_;  // the last good one
  TimePoint services_at_{};
};

}  // namespace xbind::console
