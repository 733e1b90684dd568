#include "cmgr/remote_peers.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/pace_clock.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/convert.hpp"
#include "orb/remote_error.hpp"

namespace xbind::cmgr {
namespace {

constexpr Duration kAttachBackOffMin = std::chrono::milliseconds{100};
constexpr Duration kAttachBackOffMax = std::chrono::seconds{2};
// Longer than a SwitchServer gives its switch to tell its table.
constexpr CORBA::ULong kAuditTimeoutMs = 25'000;
// Of a SwitchServer that we are not attached to: it is probably not there.
constexpr CORBA::ULong kAuditAbsentTimeoutMs = 2'000;

template <class T>
std::vector<std::string> names_of(const T& names) {
  std::vector<std::string> out;
  for (CORBA::ULong i = 0; i < names.length(); ++i) out.emplace_back(names[i]);
  return out;
}

RouteReply reply_from(RouteQuery query, const v1::RouteAnswer& answer) {
  RouteReply reply;
  reply.query = std::move(query);
  reply.cause = cause_from(answer.cause).value_or(Cause::kNoRouteObject);
  reply.element = answer.element.in();
  if (reply.cause != Cause::kNone) {
    reply.free = answer.free_cells_per_s;
    return reply;
  }
  reply.path.free_cells_per_s = answer.free_cells_per_s;
  for (CORBA::ULong i = 0; i < answer.hops.length(); ++i) {
    reply.path.hops.push_back({answer.hops[i].switch_name.in(), PortId{answer.hops[i].input_port},
                               PortId{answer.hops[i].output_port}});
  }
  if (reply.path.hops.empty()) reply.cause = Cause::kNoRoute;
  return reply;
}

}  // namespace

RemotePeers::RemotePeers(CORBA::ORB_ptr orb, Options options, Post post, LocalOutcome local_outcome)
    : options_(std::move(options)),
      names_(orb, options_.name_service),
      post_(std::move(post)),
      local_outcome_(std::move(local_outcome)),
      pace_(options_.pace, "xbind-cmgr " + options_.manager, steady_pace_clock()),
      switch_faults_(options_.faults, "manager-to-switch/" + options_.manager),
      client_faults_(options_.faults, "manager-to-client/" + options_.manager) {}

RemotePeers::~RemotePeers() { stop(); }

void RemotePeers::start(v1::HopObserver_ptr observer, v1::TopologyObserver_ptr topology_observer) {
  observer_ = v1::HopObserver::_duplicate(observer);
  topology_observer_ = v1::TopologyObserver::_duplicate(topology_observer);
  attaching_ = std::thread([this] { run_attaching(); });
  watching_ = std::thread([this] { run_watching(); });
  for (std::size_t i = 0; i < options_.workers; ++i) {
    workers_.emplace_back([this] { run_jobs(); });
  }
}

void RemotePeers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  {
    const std::lock_guard lock(jobs_mutex_);
    jobs_stop_ = true;
  }
  wake_.notify_all();
  jobs_wake_.notify_all();
  if (attaching_.joinable()) attaching_.join();
  if (watching_.joinable()) watching_.join();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

// --- collected during a step ------------------------------------------------------------------------

void RemotePeers::to_switch(SessionId session, const std::string& switch_name,
                            session::Frame<HopBatch> frame) {
  to_switches_.push_back({session, switch_name, std::move(frame)});
}

void RemotePeers::to_client(SessionId session, session::Frame<OutcomeBatch> frame) {
  to_clients_.push_back({session, std::move(frame)});
}

void RemotePeers::local_outcome(RequestId token, Outcome outcome) {
  local_outcome_(token, std::move(outcome));
}

void RemotePeers::know_client(SessionId session, v1::OutcomeObserver_ptr observer) {
  clients_[session] = v1::OutcomeObserver::_duplicate(observer);
}

void RemotePeers::send_collected(TimePoint now) {
  const auto peer_of = [](const auto& outgoing) { return outgoing.session.value(); };
  std::vector<ToSwitch> to_switches = std::exchange(to_switches_, {});
  switch_faults_.pass(to_switches, peer_of, now);
  for (const ToSwitch& outgoing : to_switches) send(outgoing);
  std::vector<ToClient> to_clients = std::exchange(to_clients_, {});
  client_faults_.pass(to_clients, peer_of, now);
  for (const ToClient& outgoing : to_clients) send(outgoing);
}

TimePoint RemotePeers::next_deadline() const {
  return std::min(switch_faults_.next_deadline(), client_faults_.next_deadline());
}

std::vector<faults::LegCounters> RemotePeers::fault_counters() const {
  return {{"to_switches", switch_faults_.counters()}, {"to_clients", client_faults_.counters()}};
}

void RemotePeers::send(const ToSwitch& outgoing) {
  static const HopBatch kNoCommands;
  const auto inbox = inboxes_.find(outgoing.session);
  if (inbox == inboxes_.end()) return;
  const HopBatch& commands = outgoing.frame.batch ? *outgoing.frame.batch : kNoCommands;
  orb::to_idl(commands, commands_);
  if (outgoing.frame.batch) pace_.send(commands.commands());
  const auto sent = orb::remote("switchserver " + outgoing.name, [&] {
    inbox->second->submit(outgoing.session.value(), outgoing.frame.seq.value(),
                          outgoing.frame.confirmed.value(), commands_);
  });
  ++requests_sent_;
  if (sent) return;
  inboxes_.erase(inbox);
  post_([session = outgoing.session, reason = sent.error().text](ConnectionManager& manager) {
    manager.switch_lost(session, reason, steady_now());
  });
}

void RemotePeers::send(const ToClient& outgoing) {
  static const OutcomeBatch kNoOutcomes;
  const auto client = clients_.find(outgoing.session);
  if (client == clients_.end()) return;
  orb::to_idl(outgoing.frame.batch ? *outgoing.frame.batch : kNoOutcomes, outcomes_, notices_);
  // Each outcome costs a message: a slow network has many callers where a lab has one.
  for (CORBA::ULong i = 0; i < outcomes_.length(); ++i) pace_.send(1);
  const auto sent = orb::remote("the client", [&] {
    client->second->completed(outgoing.session.value(), outgoing.frame.seq.value(),
                              outgoing.frame.confirmed.value(), outcomes_, notices_);
  });
  ++requests_sent_;
  if (sent) return;
  log::warn("client session {}: {}; its connections stay", outgoing.session, sent.error().text);
  clients_.erase(client);
  post_(
      [session = outgoing.session](ConnectionManager& manager) { manager.detach_client(session); });
}

// --- the two-way threads ----------------------------------------------------------------------------

void RemotePeers::hand_over(std::function<void()> job) {
  {
    const std::lock_guard lock(jobs_mutex_);
    jobs_.push_back(std::move(job));
  }
  jobs_wake_.notify_one();
}

void RemotePeers::run_jobs() {
  std::unique_lock lock(jobs_mutex_);
  for (;;) {
    jobs_wake_.wait(lock, [this] { return jobs_stop_ || !jobs_.empty(); });
    if (jobs_stop_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

void RemotePeers::ask_routes(std::vector<RouteQuery> queries) {
  hand_over([this, queries = std::move(queries)] { ask_now(queries); });
}

void RemotePeers::ask_services(std::vector<ServiceSpec> services) {
  hand_over([this, services = std::move(services)] { map_now(services); });
}

void RemotePeers::invoke(SessionId session, const std::string& switch_name, HopBatch batch) {
  hand_over([this, session, switch_name, batch = std::move(batch)] {
    invoke_now(session, switch_name, batch);
  });
}

void RemotePeers::attach_switch(const std::string& switch_name) {
  {
    const std::lock_guard lock(mutex_);
    attach_at_[switch_name] = steady_now();
    back_off_[switch_name] = kAttachBackOffMin;
  }
  wake_.notify_all();
}

void RemotePeers::run_attaching() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const TimePoint now = steady_now();
    const auto due =
        std::min_element(attach_at_.begin(), attach_at_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (due == attach_at_.end()) {
      wake_.wait(lock);
      continue;
    }
    if (due->second > now) {
      wake_.wait_for(lock, due->second - now);
      continue;
    }
    const std::string name = due->first;
    attach_at_.erase(due);
    lock.unlock();
    attach_now(name);
    lock.lock();
  }
}

void RemotePeers::attach_now(const std::string& switch_name) {
  std::string problem;
  const auto server = switch_server(switch_name);
  if (server) {
    try {
      const v1::HopAttachment_var attachment = (*server)->attach(
          options_.manager.c_str(), options_.epoch.value(), v1::protocol_version, observer_);
      // Opens the connection that batches will use, here where waiting is allowed.
      attachment->inbox->submit(attachment->session, 0, 0, v1::HopBatch{});
      auto quarantined = orb::to_core(attachment->quarantined);
      if (!quarantined) quarantined = std::vector<PortLabels>{};
      post_([this, switch_name, session = SessionId{attachment->session},
             inbox = v1::HopInbox_var(attachment->inbox), window = attachment->batches_in_flight,
             quarantined = std::move(*quarantined)](ConnectionManager& manager) {
        inboxes_[session] = inbox;
        manager.switch_attached(switch_name, session, window, quarantined, steady_now());
      });
      return;
    } catch (const v1::Fenced& fenced) {
      log::error("switchserver {}: {}; another manager of our name is alive", switch_name,
                 fenced.reason.in());
      problem = fenced.reason.in();
    } catch (const v1::VersionMismatch& mismatch) {
      problem =
          fmt::format("it speaks protocol version {}, we {}", mismatch.supported, mismatch.offered);
    } catch (const v1::BadRequest& refused) {
      problem = refused.reason.in();
    } catch (const v1::Unavailable& refused) {
      problem = refused.reason.in();
    } catch (const CORBA::SystemException& exception) {
      problem = orb::to_error(exception, "switchserver " + switch_name).text;
    }
  } else {
    problem = server.error().text;
  }
  const std::lock_guard lock(mutex_);
  Duration& back_off = back_off_[switch_name];
  if (back_off <= kAttachBackOffMin) {
    log::warn("switchserver {} cannot be attached to yet: {}; trying on", switch_name, problem);
  }
  attach_at_[switch_name] = steady_now() + back_off;
  back_off = std::min(back_off * 2, kAttachBackOffMax);
}

void RemotePeers::ask_now(std::vector<RouteQuery> queries) {
  constexpr std::size_t kQueriesPerCall = 1'000;
  for (std::size_t done = 0; done < queries.size(); done += kQueriesPerCall) {
    const std::size_t count = std::min(kQueriesPerCall, queries.size() - done);
    v1::RouteQuerySeq asked;
    asked.length(static_cast<CORBA::ULong>(count));
    for (CORBA::ULong i = 0; i < count; ++i) {
      asked[i].from_end = queries[done + i].from.c_str();
      asked[i].to_end = queries[done + i].to.c_str();
      asked[i].cells_per_s = queries[done + i].cells_per_s;
      asked[i].metric = static_cast<CORBA::Octet>(options_.route_metric);
      asked[i].delay_us_max = 0;
      asked[i].links_max = 0;
      asked[i].disjoint = v1::disjoint_no;
      const auto& avoid = queries[done + i].avoid;
      asked[i].avoid.length(static_cast<CORBA::ULong>(avoid.size()));
      for (CORBA::ULong j = 0; j < asked[i].avoid.length(); ++j) {
        asked[i].avoid[j].switch_name = avoid[j].switch_name.c_str();
        asked[i].avoid[j].output_port = avoid[j].output_port.value();
      }
    }
    std::vector<RouteReply> replies;
    Duration validity{};
    try {
      auto object = route_object();
      if (object) {
        pace_.send(count);
        const v1::RouteAnswers_var answers = (*object)->find_paths(asked);
        pace_.take(count);
        validity = std::chrono::milliseconds{answers->validity_ms};
        for (CORBA::ULong i = 0; i < answers->answers.length() && i < count; ++i) {
          replies.push_back(reply_from(queries[done + i], answers->answers[i]));
        }
      } else {
        log::warn("routeobject {}: {}", options_.route_object, object.error().text);
      }
    } catch (const v1::BadRequest& refused) {
      log::warn("routeobject {}: {}", options_.route_object, refused.reason.in());
    } catch (const CORBA::SystemException& exception) {
      log::warn("{}", orb::to_error(exception, "routeobject " + options_.route_object).text);
      const std::lock_guard lock(references_mutex_);
      route_object_ = v1::RouteObject::_nil();  // it may have been restarted: look it up again
    }
    while (replies.size() < count) {
      RouteReply nobody;
      nobody.query = queries[done + replies.size()];
      nobody.cause = Cause::kNoRouteObject;
      nobody.element = "routeobject " + options_.route_object;
      replies.push_back(std::move(nobody));
    }
    post_([replies = std::move(replies), validity](ConnectionManager& manager) {
      manager.on_routes(replies, validity, steady_now());
    });
  }
}

void RemotePeers::map_now(const std::vector<ServiceSpec>& services) {
  std::vector<ServiceReply> replies;
  for (const ServiceSpec& service : services) {
    ServiceReply reply{service, tl::make_unexpected(Refusal{Cause::kNoQosMapper,
                                                            "qosmapper " + options_.qos_mapper})};
    try {
      auto mapper = qos_mapper();
      if (mapper) {
        pace_.send(1);
        const v1::NetworkService mapped = (*mapper)->service_to_network(orb::to_idl(service));
        pace_.take(1);
        reply.mapped = orb::to_core(mapped);
      } else {
        log::warn("qosmapper {}: {}", options_.qos_mapper, mapper.error().text);
      }
    } catch (const v1::BadRequest& refused) {
      reply.mapped = tl::make_unexpected(Refusal{Cause::kInvalidRequest, refused.reason.in()});
    } catch (const v1::UnknownService& unknown) {
      reply.mapped = tl::make_unexpected(Refusal{Cause::kUnknownService, unknown.reason.in()});
    } catch (const CORBA::SystemException& exception) {
      log::warn("{}", orb::to_error(exception, "qosmapper " + options_.qos_mapper).text);
      const std::lock_guard lock(references_mutex_);
      qos_mapper_ = v1::QOSMapper::_nil();
    }
    replies.push_back(std::move(reply));
  }
  post_([replies = std::move(replies)](ConnectionManager& manager) {
    manager.on_services(replies, steady_now());
  });
}

Result<v1::QOSMapper_var> RemotePeers::qos_mapper() {
  const std::lock_guard lock(references_mutex_);
  if (CORBA::is_nil(qos_mapper_)) {
    auto object = names_.resolve(naming::path_of(naming::kQosMappers, options_.qos_mapper));
    if (!object) return tl::make_unexpected(object.error());
    qos_mapper_ = v1::QOSMapper::_unchecked_narrow(*object);
  }
  return v1::QOSMapper_var(v1::QOSMapper::_duplicate(qos_mapper_));
}

void RemotePeers::invoke_now(SessionId session, const std::string& switch_name,
                             const HopBatch& batch) {
  Result<HopResultBatch> answer = fail(ErrorCode::kUnreachable, "not asked");
  bool over = false;  // the session
  try {
    v1::SwitchServer_var server;
    {
      const std::lock_guard lock(references_mutex_);
      if (const auto known = invoked_.find(switch_name); known != invoked_.end()) {
        server = known->second;
      }
    }
    if (CORBA::is_nil(server)) {
      auto resolved = switch_server(switch_name);
      if (!resolved) {
        answer = tl::make_unexpected(resolved.error());
      } else {
        server = *resolved;
        const std::lock_guard lock(references_mutex_);
        invoked_[switch_name] = server;
      }
    }
    if (!CORBA::is_nil(server)) {
      v1::HopBatch out;
      orb::to_idl(batch, out);
      pace_.send(batch.commands());
      const v1::HopResultBatch_var results = server->execute(session.value(), out);
      pace_.take(results->results.length());
      answer = orb::to_core(results.in());
    }
  } catch (const v1::BadRequest& refused) {
    answer = fail(ErrorCode::kNotFound, "{}", refused.reason.in());
    over = true;
  } catch (const v1::Unavailable& refused) {
    answer = fail(ErrorCode::kTimeout, "{}", refused.reason.in());
  } catch (const CORBA::SystemException& exception) {
    answer = tl::make_unexpected(orb::to_error(exception, "switchserver " + switch_name));
    over = true;
    const std::lock_guard lock(references_mutex_);
    invoked_.erase(switch_name);
  }
  post_([this, session, batch, answer = std::move(answer), over](ConnectionManager& manager) {
    ++requests_sent_;
    const TimePoint now = steady_now();
    manager.on_invoked(session, batch, answer, now);
    if (over) manager.switch_lost(session, answer.error().text, now);
  });
}

Result<v1::SwitchServer_var> RemotePeers::switch_server(const std::string& name) {
  auto object = names_.resolve(naming::path_of(naming::kSwitchServers, name));
  if (!object) return tl::make_unexpected(object.error());
  return v1::SwitchServer_var(v1::SwitchServer::_unchecked_narrow(*object));
}

Result<v1::RouteObject_var> RemotePeers::route_object() {
  const std::lock_guard lock(references_mutex_);
  if (CORBA::is_nil(route_object_)) {
    auto object = names_.resolve(naming::path_of(naming::kRouteObjects, options_.route_object));
    if (!object) return tl::make_unexpected(object.error());
    route_object_ = v1::RouteObject::_unchecked_narrow(*object);
  }
  return v1::RouteObject_var(v1::RouteObject::_duplicate(route_object_));
}

Result<std::vector<std::string>> RemotePeers::switches_of_topology() {
  auto object = route_object();
  if (!object) return tl::make_unexpected(object.error());
  auto names = orb::remote("routeobject " + options_.route_object, [&] {
    const v1::NameSeq_var switches = (*object)->switches();
    return names_of(switches.in());
  });
  if (!names) {
    const std::lock_guard lock(references_mutex_);
    route_object_ = v1::RouteObject::_nil();
  }
  return names;
}

Result<LedgerReport> RemotePeers::audit_switch(const std::string& switch_name, bool attached) {
  auto server = switch_server(switch_name);
  if (!server) return tl::make_unexpected(server.error());
  omniORB::setClientCallTimeout(*server, attached ? kAuditTimeoutMs : kAuditAbsentTimeoutMs);
  LedgerReport report;
  try {
    v1::LedgerPage_var page = (*server)->audit(options_.manager.c_str());
    auto findings = orb::to_core(page->findings);
    auto cached = orb::to_core(page->cached);
    auto quarantined = orb::to_core(page->quarantined);
    if (!findings) return tl::make_unexpected(findings.error());
    if (!cached) return tl::make_unexpected(cached.error());
    if (!quarantined) return tl::make_unexpected(quarantined.error());
    report.findings = std::move(*findings);
    report.cached = std::move(*cached);
    report.quarantined = std::move(*quarantined);
    report.cross_connects = page->cross_connects;
    for (;;) {
      for (CORBA::ULong i = 0; i < page->hops.length(); ++i) {
        auto hop = orb::to_core(page->hops[i]);
        if (!hop) return tl::make_unexpected(hop.error());
        report.hops.push_back(*hop);
      }
      if (!page->more) return report;
      page = (*server)->audit_more(page->audit);
    }
  } catch (const v1::Unavailable& refused) {
    return fail(ErrorCode::kUnreachable, "{}", refused.reason.in());
  } catch (const v1::BadRequest& refused) {
    return fail(ErrorCode::kNotFound, "{}", refused.reason.in());
  } catch (const CORBA::SystemException& exception) {
    return tl::make_unexpected(orb::to_error(exception, "switchserver " + switch_name));
  }
}

}  // namespace xbind::cmgr
