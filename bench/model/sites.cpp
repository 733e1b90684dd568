#include "bench/model/sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "core/overloaded.hpp"

namespace xbind::model {
namespace {

// Lines and label ranges so large that no call of a performance run is refused.
constexpr std::uint64_t kLineRate = 1'000'000'000'000;
constexpr LabelRange kLabels = atm_range(0, 0, 32, 65'535);
constexpr std::uint64_t kCellsPerS = 1;
constexpr Duration kAttaching = std::chrono::milliseconds{1};
constexpr std::uint64_t kAttach = 1;  // the manager's reminder to attach
constexpr SessionId kRoutes{1};       // the subject of queries and answers, in place of a session
constexpr SessionId kServices{2};

std::size_t items(const RequestBatch& batch) {
  return batch.connects.size() + batch.releases.size();
}
std::size_t items(const HopBatch& batch) { return batch.commands(); }
std::size_t items(const HopResultBatch& batch) { return batch.results.size(); }
std::size_t items(const OutcomeBatch& batch) { return batch.outcomes.size(); }

template <class Batch>
std::size_t items(const session::Frame<Batch>& frame) {
  return frame.batch ? items(*frame.batch) : 0;
}
std::size_t items(const SwitchRequests& requests) { return requests.cookies.size(); }
std::size_t items(const SwitchAnswers& answers) { return answers.cookies.size(); }
std::size_t items(const Invocation& invocation) { return items(invocation.batch); }
std::size_t items(const Reply& reply) { return reply.results ? items(*reply.results) : 0; }
std::size_t items(const Questions& questions) { return questions.count; }
std::size_t items(const Answers& answers) { return answers.count; }

template <class Body>
constexpr bool kIsReply = std::is_same_v<Body, Reply> || std::is_same_v<Body, Answers> ||
                          std::is_same_v<Body, SwitchAnswers>;

Duration taking(const ProcessCosts& costs, const Message& message) {
  return std::visit(Overloaded{[](const Reminder&) { return Duration::zero(); },
                               [&]<class Body>(const Body& body) {
                                 const Duration each = kIsReply<Body> ? costs.reply : costs.receive;
                                 return each +
                                        costs.item_in * static_cast<Duration::rep>(items(body));
                               }},
                    message.body);
}

template <class Body>
Duration sending(const ProcessCosts& costs, const Body& body) {
  return costs.send + costs.item_out * static_cast<Duration::rep>(items(body));
}

}  // namespace

// ===== the switch =====

LabelSwitchSite::LabelSwitchSite(std::string name, const Machine& machine, const Costs& costs)
    : Process(std::move(name)),
      costs_(costs.label_switch),
      outbox_(*this, machine, costs.network) {}

Duration LabelSwitchSite::cost_of(const Message& message) const { return taking(costs_, message); }

void LabelSwitchSite::step(std::vector<Message>& messages, TimePoint, std::vector<Outgoing>& out) {
  SwitchAnswers answers;
  for (Message& message : messages) {
    const auto& asked = std::get<SwitchRequests>(message.body).cookies;
    answers.cookies.insert(answers.cookies.end(), asked.begin(), asked.end());
  }
  if (answers.cookies.empty()) return;
  const Duration cost = sending(costs_, answers);
  outbox_.put(*server_, {{}, std::move(answers)}, cost);
  outbox_.take(out);
}

// ===== RouteObject and QOSMapper =====

MapperSite::MapperSite(std::string name, const Machine& machine, const Costs& costs)
    : Process(std::move(name)), costs_(costs.mapper), outbox_(*this, machine, costs.network) {}

Duration MapperSite::cost_of(const Message& message) const { return taking(costs_, message); }

void MapperSite::step(std::vector<Message>& messages, TimePoint, std::vector<Outgoing>& out) {
  for (const Message& message : messages) {
    Answers answers{std::get<Questions>(message.body).count};
    const Duration cost = sending(costs_, answers);
    outbox_.put(*manager_, {message.session, answers}, cost);
  }
  outbox_.take(out);
}

// ===== the SwitchServer =====

SwitchServerSite::SwitchServerSite(std::string name, std::uint64_t session_base,
                                   const session::Limits& session_limits, const Machine& machine,
                                   const Costs& costs)
    : Process(std::move(name)),
      costs_(costs.switch_server),
      hand_over_(costs.hand_over),
      outbox_(*this, machine, costs.network),
      to_manager_(*this, machine, costs.network),
      server_(
          [&] {
            SwitchServerOptions options;
            options.controller.name = Process::name();
            options.session_base = session_base;
            options.session = session_limits;
            return options;
          }(),
          *this, *this) {}

void SwitchServerSite::connect(Process& manager, Process& label_switch, TimePoint now) {
  manager_ = &manager;
  label_switch_ = &label_switch;
  server_.on_driver(
      driver::Up{{{kIn, {kLabels}, kLineRate, true}, {kOut, {kLabels}, kLineRate, true}}, false},
      now);
}

Duration SwitchServerSite::cost_of(const Message& message) const {
  const bool two_way = std::holds_alternative<Invocation>(message.body);
  return taking(costs_, message) + (two_way ? hand_over_ : Duration::zero());
}

void SwitchServerSite::step(std::vector<Message>& messages, TimePoint now,
                            std::vector<Outgoing>& out) {
  for (Message& message : messages) {
    if (auto* frame = std::get_if<session::Frame<HopBatch>>(&message.body)) {
      server_.on_commands(message.session, std::move(*frame), now);
    } else if (auto* invocation = std::get_if<Invocation>(&message.body)) {
      const auto taken =
          server_.execute(message.session, invocation->batch, invocation->number, now);
      XB_CHECK(taken.has_value());
    } else {
      for (const driver::Cookie cookie : std::get<SwitchAnswers>(message.body).cookies) {
        server_.on_driver(driver::Done{cookie, Cause::kNone, 0}, now);
      }
    }
  }
  if (server_.next_deadline() <= now) server_.tick(now);
  server_.finish_step(now);
  if (!requests_.cookies.empty()) {
    const Duration cost = sending(costs_, requests_);
    outbox_.put(*label_switch_, {{}, std::exchange(requests_, {})}, cost);
  }
  outbox_.take(out);
  to_manager_.take(out);
}

void SwitchServerSite::add(const CrossConnect&, const TrafficContract&, driver::Cookie cookie) {
  requests_.cookies.push_back(cookie);
}
void SwitchServerSite::remove(const CrossConnect&, driver::Cookie cookie) {
  requests_.cookies.push_back(cookie);
}
void SwitchServerSite::move(const CrossConnect&, PortId, Label, const TrafficContract&,
                            driver::Cookie) {
  XB_CHECK(false);  // calls never change their path here
}
void SwitchServerSite::read_table(driver::Cookie) {
  XB_CHECK(false);  // the switch comes up empty, once, and no audit is made
}
void SwitchServerSite::read_statistics(PortId, Label, driver::Cookie) {
  XB_CHECK(false);  // no operator exists here
}

void SwitchServerSite::to_manager(SessionId session, session::Frame<HopResultBatch> frame) {
  const Duration cost = sending(costs_, frame);
  to_manager_.put(*manager_, {session, std::move(frame)}, cost);
}

void SwitchServerSite::executed(std::uint64_t token, Result<HopResultBatch> results) {
  Reply reply{token, std::move(results)};
  const Duration cost = sending(costs_, reply);
  to_manager_.put(*manager_, {{}, std::move(reply)}, cost);
}

// ===== the manager =====

ManagerSite::ManagerSite(std::string name, cmgr::Config config, Duration route_validity,
                         const Machine& machine, const Costs& costs)
    : Process(std::move(name)),
      costs_(costs.manager),
      hand_over_(costs.hand_over),
      route_validity_(route_validity),
      outbox_(*this, machine, costs.network),
      to_client_(*this, machine, costs.network + costs.caller_takes),
      manager_(std::move(config), *this) {}

void ManagerSite::connect(Others others, TimePoint now) {
  client_ = &others.client;
  route_object_ = &others.route_object;
  qos_mapper_ = &others.qos_mapper;
  path_ = std::move(others.path);
  manager_.set_network({}, {}, now);  // nothing of an earlier epoch is to be read
  for (SwitchServerSite* at : path_) manager_.register_switch(at->name());
  for (const std::string& name : std::exchange(to_attach_, {})) attach(name, now);
}

Duration ManagerSite::cost_of(const Message& message) const {
  const bool two_way =
      std::holds_alternative<Reply>(message.body) || std::holds_alternative<Answers>(message.body);
  return taking(costs_, message) + (two_way ? hand_over_ : Duration::zero());
}

void ManagerSite::step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) {
  for (Message& message : messages) {
    std::visit(Overloaded{[&](session::Frame<RequestBatch>& frame) {
                            ++exchanged_.requests;
                            manager_.on_requests(message.session, std::move(frame), now);
                          },
                          [&](session::Frame<HopResultBatch>& frame) {
                            ++exchanged_.requests;
                            manager_.on_results(message.session, std::move(frame), now);
                          },
                          [&](const Reply& reply) {
                            const auto asked = invoked_.extract(reply.number);
                            XB_CHECK(!asked.empty(), reply.number);
                            manager_.on_invoked(asked.mapped().session, asked.mapped().batch,
                                                reply.results, now);
                          },
                          [&](const Answers& answers) {
                            if (message.session == kRoutes) answer_routes(answers.count, now);
                            if (message.session == kServices) answer_services(answers.count, now);
                          },
                          [&](const Reminder& reminder) {
                            XB_CHECK(reminder.number == kAttach, reminder.number);
                            for (const std::string& name : std::exchange(to_attach_, {})) {
                              attach(name, now);
                            }
                          },
                          [](const auto&) { XB_CHECK(false); }},
               message.body);
  }
  if (manager_.next_deadline() <= now) manager_.tick(now);
  manager_.finish_step(now);
  outbox_.take(out);
  to_client_.take(out);
}

SwitchServerSite& ManagerSite::site_of(const std::string& switch_name) {
  const auto at = std::find_if(path_.begin(), path_.end(), [&](const SwitchServerSite* site) {
    return site->name() == switch_name;
  });
  XB_CHECK(at != path_.end(), switch_name);
  return **at;
}

void ManagerSite::to_switch(SessionId session, const std::string& switch_name,
                            session::Frame<HopBatch> frame) {
  const Duration cost = sending(costs_, frame);
  ++exchanged_.requests;
  exchanged_.batches += frame.batch != nullptr;
  exchanged_.commands += items(frame);
  outbox_.put(site_of(switch_name), {session, std::move(frame)}, cost);
}

void ManagerSite::invoke(SessionId session, const std::string& switch_name, HopBatch batch) {
  const std::uint64_t number = next_invocation_++;
  invoked_[number] = {session, batch};
  Invocation invocation{number, std::move(batch)};
  const Duration cost = sending(costs_, invocation) + hand_over_;
  ++exchanged_.requests;
  ++exchanged_.batches;
  exchanged_.commands += items(invocation);
  outbox_.put(site_of(switch_name), {session, std::move(invocation)}, cost);
}

void ManagerSite::to_client(SessionId session, session::Frame<OutcomeBatch> frame) {
  ++exchanged_.requests;
  const Duration cost = sending(costs_, frame);
  to_client_.put(*client_, {session, std::move(frame)}, cost);
}

void ManagerSite::ask_routes(std::vector<cmgr::RouteQuery> queries) {
  const Questions questions{queries.size()};
  std::move(queries.begin(), queries.end(), std::back_inserter(queries_));
  ++exchanged_.requests;
  ++exchanged_.questions;
  outbox_.put(*route_object_, {kRoutes, questions}, sending(costs_, questions) + hand_over_);
}

void ManagerSite::ask_services(std::vector<ServiceSpec> services) {
  const Questions questions{services.size()};
  services_.insert(services_.end(), services.begin(), services.end());
  ++exchanged_.requests;
  ++exchanged_.questions;
  outbox_.put(*qos_mapper_, {kServices, questions}, sending(costs_, questions) + hand_over_);
}

void ManagerSite::answer_routes(std::size_t count, TimePoint now) {
  std::vector<cmgr::RouteReply> replies;
  for (; count > 0; --count) {
    cmgr::RouteReply reply;
    reply.query = std::move(queries_.front());
    queries_.pop_front();
    reply.path.free_cells_per_s = kLineRate;
    for (const SwitchServerSite* at : path_) {
      reply.path.hops.push_back({at->name(), SwitchServerSite::kIn, SwitchServerSite::kOut});
    }
    replies.push_back(std::move(reply));
  }
  manager_.on_routes(std::move(replies), route_validity_, now);
}

void ManagerSite::answer_services(std::size_t count, TimePoint now) {
  std::vector<cmgr::ServiceReply> replies;
  for (; count > 0; --count) {
    const ServiceSpec service = services_.front();
    services_.pop_front();
    replies.push_back({service, NetworkService{{service.cells_per_s, service.buffer_cells}}});
  }
  manager_.on_services(replies, now);
}

void ManagerSite::attach_switch(const std::string& switch_name, AttachTable::Lost /*lost*/) {
  to_attach_.push_back(switch_name);
  if (!path_.empty()) outbox_.remind(*this, kAttach, kAttaching);
}

void ManagerSite::attach(const std::string& switch_name, TimePoint now) {
  for (SwitchServerSite* at : path_) {
    if (at->name() != switch_name) continue;
    auto attached = at->server().attach(name(), Epoch{1}, now);
    XB_CHECK(attached.has_value());
    manager_.switch_attached(switch_name, attached->session, attached->batches_in_flight,
                             attached->holdings.quarantined, now);
  }
}

// ===== the client =====

namespace {

client::Limits limits_of(const ClientPlan& plan) {
  client::Limits limits;
  limits.open_max = 200'000;
  limits.requests_per_batch = plan.batch;
  limits.reach_within = limits.first_answer = client::kForever;
  limits.reattach = false;
  limits.session = plan.session;
  return limits;
}

}  // namespace

ClientSite::ClientSite(std::string name, const ClientPlan& plan, const Machine& machine,
                       const Costs& costs)
    : Process(std::move(name)),
      costs_(costs.client),
      plan_(plan),
      outbox_(*this, machine, costs.network + costs.caller_sends),
      pacer_(callgen::Arrivals::kPoisson, plan.rate, plan.seed),
      holding_(plan.hold_distribution, plan.hold_mean, plan.seed) {
  XB_CHECK(plan_.calls > 0 && plan_.batch > 0 && plan_.callers > 0, plan_.calls, plan_.batch,
           plan_.callers);
  calls_.resize(plan_.calls);
}

void ClientSite::connect(ManagerSite& manager, std::function<void()> on_arrival, TimePoint now) {
  manager_ = &manager;
  on_arrival_ = std::move(on_arrival);
  for (std::size_t caller = 0; caller < plan_.callers; ++caller) {
    const client::Identity identity{fmt::format("{}-{}", name(), caller), manager.name(), Epoch{1}};
    client::Requester& requester =
        callers_.emplace_back(Caller{client::Requester{identity, limits_of(plan_)}}).requester;
    requester.start(now);
    requester.flush(now, actions_);
    const auto attached =
        manager.manager().attach_client(actions_.attach->client, actions_.attach->epoch, now);
    XB_CHECK(attached.has_value());
    requester.attached(actions_.attach->attempt, attached->session, attached->batches_in_flight,
                       actions_.attach->epoch, now);
  }
  began_ = now;
  plan_next_call(now);
}

Duration ClientSite::cost_of(const Message& message) const { return taking(costs_, message); }

ClientSite::Caller& ClientSite::caller_of(SessionId session) {
  const auto caller = std::find_if(callers_.begin(), callers_.end(), [&](const Caller& each) {
    return each.requester.session() == session;
  });
  XB_CHECK(caller != callers_.end(), session);
  return *caller;
}

void ClientSite::step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) {
  for (Message& message : messages) {
    auto& frame = std::get<session::Frame<OutcomeBatch>>(message.body);
    Caller& caller = caller_of(message.session);
    caller.requester.receive(message.session, std::move(frame), now);
    caller.stepped = true;
  }
  for (Caller& caller : callers_) {
    if (caller.requester.next_deadline() > now) continue;
    caller.requester.tick(now);
    caller.stepped = true;
  }
  // A caller may send a request right after an answer.
  do {
    offer(now);
  } while (flush(now));
  outbox_.take(out);
}

bool ClientSite::flush(TimePoint now) {
  bool answered = false;
  for (Caller& caller : callers_) {
    if (!std::exchange(caller.stepped, false)) continue;
    caller.requester.flush(now, actions_);
    XB_CHECK(!actions_.ended, actions_.ended->text);
    for (auto& frame : actions_.transmit) {
      const Duration cost = sending(costs_, frame);
      outbox_.put(*manager_, {actions_.session, std::move(frame)}, cost);
    }
    for (const auto& batch : actions_.deliveries) {
      for (const Outcome& outcome : batch->outcomes) judge(outcome, now);
      answered = true;
    }
  }
  return answered;
}

TimePoint ClientSite::next_deadline() const {
  TimePoint next = std::min(next_arrival_, ends_.empty() ? kNever : ends_.top().due);
  for (const Caller& caller : callers_) next = std::min(next, caller.requester.next_deadline());
  return next;
}

void ClientSite::plan_next_call(TimePoint now) {
  if (next_call_ == plan_.calls) {
    next_arrival_ = kNever;
  } else if (plan_.one_at_a_time) {
    next_arrival_ = open_ == 0 ? now : kNever;
  } else {
    next_arrival_ = began_ + pacer_.next_start();
  }
}

void ClientSite::ask(std::uint64_t call, client::Request request) {
  Caller& caller = callers_[call % callers_.size()];
  const auto taken = caller.requester.submit(std::move(request));
  XB_CHECK(taken.has_value(), taken.error().text);
  caller.stepped = true;
}

void ClientSite::offer(TimePoint now) {
  static const ServiceSpec kService{ServiceKind::kCells, kCellsPerS, 0, 0, 0};
  for (; !ends_.empty() && ends_.top().due <= now; ends_.pop()) {
    const std::uint64_t call = ends_.top().call;
    ask(call, ReleaseRequest{RequestId{2 * call + 2}, calls_[call].connection});
  }
  while (next_arrival_ <= now) {
    if (next_call_ >= plan_.warm_calls) on_arrival_();
    const Duration hold = plan_.one_at_a_time ? Duration::zero() : holding_.next();
    calls_[next_call_] = {next_arrival_, hold, {}};
    ask(next_call_, ConnectRequest{RequestId{2 * next_call_ + 1}, "host-a", "host-b", kService});
    ++figures_.offered;
    ++open_;
    ++next_call_;
    plan_next_call(now);
  }
}

void ClientSite::judge(const Outcome& outcome, TimePoint now) {
  const std::uint64_t call = (outcome.request.value() - 1) / 2;
  const auto over = [&] {
    --open_;
    if (plan_.one_at_a_time) plan_next_call(now);
  };
  if (outcome.request.value() % 2 == 0) {
    XB_CHECK(outcome.kind == OutcomeKind::kReleased, call);
    ++figures_.released;
    over();
    return;
  }
  Call& made = calls_[call];
  if (outcome.kind != OutcomeKind::kConnected) {
    ++figures_.refused;
    over();
    return;
  }
  ++figures_.connected;
  made.connection = outcome.connection;
  if (call >= plan_.warm_calls) figures_.setup.record(now - made.intended);
  ends_.push({now + made.hold, call});
}

}  // namespace xbind::model
