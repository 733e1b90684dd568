#include "console/remote_questions.hpp"

#include <omniORB4/omniORB.h>

#include <utility>

#include "client/corba/two_way.hpp"
#include "console/remote_failure.hpp"
#include "console/timers.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "xbindctl/alarms.hpp"
#include "xbindctl/call_views.hpp"
#include "xbindctl/documents.hpp"
#include "xbindctl/questions.hpp"
#include "xbindctl/trace.hpp"

namespace xbind::console {
namespace {

// `patience_ms` 0: the ORB's.
ctl::OrFailure<client::TwoWay> manager_named(orb::NameClient& names, const std::string& name,
                                             CORBA::ULong patience_ms) {
  const auto object = ctl::resolved(names, ctl::PeerKind::kManager,
                                    naming::path_of(naming::kConnectionManagers, name));
  if (!object) return tl::make_unexpected(object.error());
  const v2::ConnectionManager_var manager = v2::ConnectionManager::_unchecked_narrow(*object);
  omniORB::setClientCallTimeout(manager, patience_ms);
  return client::TwoWay(manager);
}

constexpr auto kChangePatience =
    static_cast<CORBA::ULong>(kConsoleTimers.ms("change-answer").count());

}  // namespace

RemoteQuestions::RemoteQuestions(orb::NameClient names, Names others,
                                 std::function<RequestId()> new_request)
    : names_(std::move(names)), others_(std::move(others)), new_request_(std::move(new_request)) {}

HttpAnswer RemoteQuestions::describe(const std::string& manager, ConnectionId connection) {
  const auto found = manager_named(names_, manager, 0);
  if (!found) return answer_of(problem_of(found.error()));
  const ctl::DocumentOrFailure call = ctl::describe_document(*found, connection);
  if (!call) return answer_of(call);
  const ctl::DocumentOrFailure line = ctl::explain_call_document(*found, connection, [&] {
    return ctl::recorded_at_manager(names_, {manager, connection, 0, {}});
  });
  if (!line) return answer_of(line);
  return json_answer(text_of({{"manager", manager}, {"call", call->body}, {"line", line->body}}));
}

HttpAnswer RemoteQuestions::ledgers(const std::string& manager, ConnectionId connection) {
  const auto found = manager_named(names_, manager, 0);
  if (!found) return answer_of(problem_of(found.error()));
  return answer_of(ctl::call_document(*found, connection));
}

HttpAnswer RemoteQuestions::trace(const std::string& manager, ConnectionId connection) {
  const ctl::DocumentOrFailure answer =
      ctl::trace_document(names_, {.manager = manager, .call = connection, .limit = 0, .otlp = {}});
  if (answer) return json_answer(text_of({{"trace", answer->body}, {"why", nullptr}}));
  // Of most calls nothing is recorded, which is no error of the browser.
  if (answer.error().name != to_string(ErrorCode::kNotFound)) return answer_of(answer);
  return json_answer(text_of({{"trace", nullptr}, {"why", error_of(answer.error())}}));
}

ctl::DocumentOrFailure RemoteQuestions::fit_document_of(const CallWish& wish) {
  return ctl::explain_request_document(
      names_,
      {wish.from, wish.to, wish.spec(), others_.route_object, others_.qos_mapper, wish.manager});
}

HttpAnswer RemoteQuestions::fit(const CallWish& wish) { return answer_of(fit_document_of(wish)); }

HttpAnswer RemoteQuestions::services() {
  {
    const std::lock_guard lock(mutex_);
    if (services_.body != nullptr &&
        steady_now() - services_at_ < kConsoleTimers["services-fresh"]) {
      return services_;
    }
  }
  const auto object = ctl::resolved(names_, ctl::PeerKind::kQosMapper,
                                    naming::path_of(naming::kQosMappers, others_.qos_mapper));
  if (!object) return answer_of(problem_of(object.error()));
  const v2::QOSMapper_var mapper = v2::QOSMapper::_unchecked_narrow(*object);
  const HttpAnswer answer = answer_of(ctl::services_document(mapper));
  if (answer.status == 200) {
    const std::lock_guard lock(mutex_);
    services_ = answer;
    services_at_ = steady_now();
  }
  return answer;
}

HttpAnswer RemoteQuestions::causes() const {
  return answer_of(ctl::explain_cause_document("causes"));
}

HttpAnswer RemoteQuestions::connect(const CallWish& wish) {
  const auto manager = manager_named(names_, wish.manager, kChangePatience);
  if (!manager) return answer_of(problem_of(manager.error()));
  const ConnectRequest request = wish.request(new_request_());
  const ctl::DocumentOrFailure answer =
      ctl::outcome_document(*manager, manager->connect(request), request.request);
  if (answer) return answer_of(answer, 201);
  Problem problem = problem_of(answer.error());
  if (answer.error().refusal) {
    if (const ctl::DocumentOrFailure fit = fit_document_of(wish)) {
      problem.members.emplace_back("fit", text_of(fit->body));
    }
  }
  return answer_of(problem);
}

HttpAnswer RemoteQuestions::acknowledge(const Acknowledgement& wish) {
  return answer_of(ctl::acknowledge_document(names_, wish.alarm, wish.by, wish.note, wish.undo));
}

HttpAnswer RemoteQuestions::release(const std::string& manager, ConnectionId connection) {
  const auto found = manager_named(names_, manager, kChangePatience);
  if (!found) return answer_of(problem_of(found.error()));
  return answer_of(ctl::outcome_document(*found, found->release(connection)));
}

}  // namespace xbind::console
