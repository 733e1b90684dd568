#include "console/daemon.hpp"

#include <fmt/format.h>

#include <utility>

#include "console/assets.hpp"
#include "console/remote_failure.hpp"
#include "console/timers.hpp"
#include "core/name.hpp"
#include "core/version.hpp"
#include "naming/names.hpp"
#include "orb/process.hpp"
#include "xbindctl/asking.hpp"
#include "xbindctl/events.hpp"

namespace xbind::console {
namespace {

constexpr std::size_t kQuestioners = 6;  // threads
constexpr std::size_t kQuestionsMax = 48;
constexpr std::size_t kChangers = 4;
constexpr std::size_t kChangesMax = 32;
constexpr std::uint32_t kPageDefault = 50;  // calls
constexpr std::uint64_t kEventsDefault = 100;

// Sections of the board that a route shows as they are.
constexpr const char* kSections[] = {"daemons", "alarms",   "switches",
                                     "links",   "managers", "caches"};

// The fault of the parameters that nobody took.
bool refused(const Parameters& parameters, const Reply& reply) {
  const auto problem = parameters.problem();
  if (problem) reply(answer_of(*problem));
  return problem.has_value();
}

tl::expected<ctl::CallPage::Plan, Problem> plan_of(Parameters& parameters) {
  ctl::CallPage::Plan plan;
  plan.filter.from = parameters.text("from");
  plan.filter.to = parameters.text("to");
  plan.filter.client = parameters.text("client");
  plan.filter.switch_name = parameters.text("switch");
  plan.filter.phase =
      ctl::phase_of(ctl::call_states()[parameters.choice("state", ctl::call_states())]);
  plan.filter.min_cells_per_s = parameters.number("min_cells_per_s", 0, UINT64_MAX);
  plan.order = static_cast<ctl::CallOrder>(parameters.choice("sort", ctl::call_orders()));
  plan.reverse = parameters.flag("reverse");
  plan.limit = static_cast<std::uint32_t>(parameters.number("limit", kPageDefault, kPageMax));
  plan.after = parameters.number("after", 0, UINT64_MAX);
  if (plan.limit == 0) plan.limit = kPageDefault;
  if (auto problem = parameters.problem()) return tl::make_unexpected(std::move(*problem));
  return plan;
}

tl::expected<ConnectionId, Problem> connection_of(const std::string& text) {
  const auto id = digits_of(text, UINT64_MAX);
  if (id && *id != 0) return ConnectionId{*id};
  return tl::make_unexpected(
      Problem{.status = 400,
              .name = "bad-id",
              .detail = fmt::format("'{}' is no call's id: a whole number from 1", printable(text)),
              .value = text});
}

HttpAnswer asset_answer(const Asset& asset, const HttpRequest& request) {
  const std::string etag = etag_of(asset.text);
  HttpAnswer answer{.type = std::string{asset.type},
                    .headers = {{"ETag", etag}, {"Cache-Control", "no-cache"}}};
  if (request.if_none_match == etag) {
    answer.status = 304;
  } else {
    answer.body = std::make_shared<const std::string>(asset.text);
  }
  return answer;
}

}  // namespace

Result<std::unique_ptr<ConsoleDaemon>> ConsoleDaemon::open(CORBA::ORB_ptr orb,
                                                           const std::string& name_service,
                                                           const ConsoleOptions& options,
                                                           std::function<RequestId()> new_request) {
  auto server = HttpServer::open(options.http, options.limits);
  if (!server) return fail(server.error().code, "--http: {}", server.error().text);
  // Shared by all copies: what one part of the console has found the others use, too.
  orb::NameClient names(orb, name_service);
  names.keep(std::make_shared<orb::KnownNames>());
  return std::unique_ptr<ConsoleDaemon>(
      new ConsoleDaemon(names, options, std::move(new_request), std::move(*server)));
}

ConsoleDaemon::ConsoleDaemon(const orb::NameClient& names, const ConsoleOptions& options,
                             std::function<RequestId()> new_request,
                             std::unique_ptr<HttpServer> server)
    : options_(options),
      server_(std::move(server)),
      calls_(board_, options.interval, [this] { watch_.hurry(); }),
      events_(board_),
      reader_(board_, calls_, events_),
      questions_(names, options.names, std::move(new_request)),
      guard_(server_->address(), options.hosts, options.writable),
      router_(routes()),
      watch_(names, reader_, board_, options.interval),
      alarms_(names, board_, options.interval),
      questioners_(kQuestioners, kQuestionsMax),
      changers_(kChangers, kChangesMax) {
  board_.set_sink([this](std::uint64_t number, std::shared_ptr<const std::string> text) {
    server_->publish(number, std::move(text));
  });
}

// The server's thread hands out work: it ends first. Its sessions are the last to go, because late
// answers still lead to them.
ConsoleDaemon::~ConsoleDaemon() { server_->stop(); }

std::string ConsoleDaemon::address() const { return to_string(server_->address()); }

void ConsoleDaemon::start() {
  server_->start(
      [this](const HttpRequest& request, Reply reply) {
        if (const auto problem = guard_.check(request)) return reply(answer_of(*problem));
        router_.handle(request, std::move(reply));
      },
      [this] {
        auto [number, text] = board_.snapshot_event();
        return StreamStart{number, std::move(text)};
      });
  watch_.start();
  alarms_.start();
}

exporter::Part ConsoleDaemon::exposed_part() const {
  return {.name = "the console",
          .labels = {},
          .ask =
              [this](const std::function<void(exporter::Reading)>& done) {
                const DaemonCounts daemons = watch_.counts();
                exporter::Reading reading;
                reading.metrics = metrics_of(server_->counts(), daemons, orb::own_resident_kib());
                if (!daemons.names_answer) {
                  reading.not_ready = {"the name service does not answer"};
                }
                done(std::move(reading));
              },
          .append = {}};
}

// ===== routes =====

std::vector<Route> ConsoleDaemon::routes() {
  std::vector<Route> routes;
  add_assets(routes);
  add_sections(routes);
  add_calls(routes);
  add_questions(routes);
  add_changes(routes);
  return routes;
}

void ConsoleDaemon::add_assets(std::vector<Route>& routes) {
  for (const Asset& asset : assets()) {
    routes.push_back({"GET", std::string{asset.path},
                      [&asset](const RoutedRequest& request, const Reply& reply) {
                        reply(asset_answer(asset, request.http));
                      }});
  }
}

void ConsoleDaemon::add_sections(std::vector<Route>& routes) {
  routes.push_back({"GET", "/api/v1", [this](RoutedRequest request, const Reply& reply) {
                      about(std::move(request), reply);
                    }});
  for (const char* const section : kSections) {
    routes.push_back(
        {"GET", fmt::format("/api/v1/{}", section),
         [this, section](const RoutedRequest& request, const Reply& reply) {
           if (refused(request.parameters, reply)) return;
           reply(json_answer(fmt::format(R"({{"{}":{}}})", section, board_.array_of(section))));
         }});
  }
  routes.push_back(
      {"GET", "/api/v1/network", [this](const RoutedRequest& request, const Reply& reply) {
         if (refused(request.parameters, reply)) return;
         reply(json_answer(fmt::format(R"({{"switches":{},"links":{}}})",
                                       board_.array_of("switches"), board_.array_of("links"))));
       }});
  routes.push_back({"GET", "/api/v1/history", [this](RoutedRequest request, const Reply& reply) {
                      history(std::move(request), reply);
                    }});
  routes.push_back({"GET", "/api/v1/event-log", [this](RoutedRequest request, const Reply& reply) {
                      list_events(std::move(request), reply);
                    }});
  routes.push_back({"GET", "/api/v1/events", [](const RoutedRequest& request, const Reply& reply) {
                      if (!refused(request.parameters, reply)) reply({.stream = true});
                    }});
}

void ConsoleDaemon::add_calls(std::vector<Route>& routes) {
  routes.push_back({"GET", "/api/v1/calls", [this](RoutedRequest request, Reply reply) {
                      list_calls(std::move(request), std::move(reply));
                    }});
  routes.push_back(
      {"GET", "/api/v1/calls/{manager}/{id}", [this](RoutedRequest request, Reply reply) {
         ask_about(std::move(request), std::move(reply), questioners_, &RemoteQuestions::describe);
       }});
  routes.push_back(
      {"GET", "/api/v1/calls/{manager}/{id}/trace", [this](RoutedRequest request, Reply reply) {
         ask_about(std::move(request), std::move(reply), questioners_, &RemoteQuestions::trace);
       }});
  routes.push_back(
      {"GET", "/api/v1/calls/{manager}/{id}/ledgers", [this](RoutedRequest request, Reply reply) {
         ask_about(std::move(request), std::move(reply), questioners_, &RemoteQuestions::ledgers);
       }});
}

void ConsoleDaemon::add_questions(std::vector<Route>& routes) {
  routes.push_back({"GET", "/api/v1/fit", [this](RoutedRequest request, Reply reply) {
                      auto wish = call_wish_of(request.parameters);
                      if (!wish) return reply(answer_of(wish.error()));
                      ask(wish->manager, questioners_, std::move(reply),
                          [this, wish = *wish] { return questions_.fit(wish); });
                    }});
  routes.push_back({"GET", "/api/v1/services", [this](const RoutedRequest& request, Reply reply) {
                      if (refused(request.parameters, reply)) return;
                      ask("", questioners_, std::move(reply),
                          [this] { return questions_.services(); });
                    }});
  routes.push_back(
      {"GET", "/api/v1/causes", [this](const RoutedRequest& request, const Reply& reply) {
         if (!refused(request.parameters, reply)) reply(questions_.causes());
       }});
}

void ConsoleDaemon::add_changes(std::vector<Route>& routes) {
  routes.push_back({"POST", "/api/v1/calls", [this](const RoutedRequest& request, Reply reply) {
                      if (refused(request.parameters, reply)) return;
                      auto wish = call_wish_of(request.http.body);
                      if (!wish) return reply(answer_of(wish.error()));
                      ask(wish->manager, changers_, std::move(reply),
                          [this, wish = *wish] { return questions_.connect(wish); });
                    }});
  routes.push_back(
      {"POST", "/api/v1/alarms/acknowledge", [this](const RoutedRequest& request, Reply reply) {
         if (refused(request.parameters, reply)) return;
         auto wish = acknowledgement_of(request.http.body);
         if (!wish) return reply(answer_of(wish.error()));
         ask("", changers_, std::move(reply), [this, wish = *wish] {
           HttpAnswer answer = questions_.acknowledge(wish);
           alarms_.hurry();
           return answer;
         });
       }});
  routes.push_back(
      {"DELETE", "/api/v1/calls/{manager}/{id}", [this](RoutedRequest request, Reply reply) {
         ask_about(std::move(request), std::move(reply), changers_, &RemoteQuestions::release);
       }});
}

// ===== answers =====

void ConsoleDaemon::about(RoutedRequest request, const Reply& reply) const {
  if (refused(request.parameters, reply)) return;
  const HttpCounts counts = server_->counts();
  ctl::Json routes = ctl::Json::array();
  for (const std::string& route : router_.table()) {
    if (route.find(" /api/") != std::string::npos) routes.push_back(route);
  }
  reply(json_answer(text_of({{"program", "xbind-console"},
                             {"version", version()},
                             {"revision", revision()},
                             {"writable", options_.writable},
                             {"interval_ms", options_.interval.count()},
                             {"routes", std::move(routes)},
                             {"connections", counts.connections},
                             {"streams", counts.streams},
                             {"requests", counts.requests},
                             {"requests_refused", counts.refused},
                             {"peers_cut_off", counts.cut_off}})));
}

void ConsoleDaemon::history(RoutedRequest request, const Reply& reply) const {
  const std::string manager = request.parameters.text("manager", "default");
  if (refused(request.parameters, reply)) return;
  const auto samples = board_.samples_of(manager);
  if (!samples) {
    return reply(answer_of(
        Problem{.status = 404,
                .name = "unknown-manager",
                .detail = fmt::format("there are no samples of a manager '{}'", printable(manager)),
                .value = manager,
                .advice = "/api/v1/managers lists the managers"}));
  }
  reply(
      json_answer(fmt::format(R"({{"manager":{},"samples":{}}})", json_string(manager), *samples)));
}

void ConsoleDaemon::list_calls(RoutedRequest request, Reply reply) {
  const std::string manager = request.parameters.text("manager", "default");
  const auto plan = plan_of(request.parameters);
  if (!plan) return reply(answer_of(plan.error()));
  if (const auto problem = watch_.why_not(naming::kConnectionManagers, manager)) {
    return reply(answer_of(*problem));
  }
  calls_.answer(manager, *plan, std::move(reply));
}

void ConsoleDaemon::list_events(RoutedRequest request, const Reply& reply) const {
  Parameters& parameters = request.parameters;
  EventFilter filter;
  std::vector<std::string> subjects = ctl::event_subjects();
  subjects.insert(subjects.begin(), "any");
  const std::size_t subject = parameters.choice("subject", subjects);
  if (subject != 0) filter.subject = subjects[subject];
  filter.daemon = parameters.text("daemon");
  filter.connection = parameters.text("connection");
  filter.after = parameters.number("after", 0, UINT64_MAX);
  filter.limit = parameters.number("limit", kEventsDefault, kEventsKept);
  if (refused(parameters, reply)) return;
  reply(json_answer(events_.document(filter)));
}

void ConsoleDaemon::ask(const std::string& manager, Workers& workers, Reply reply,
                        std::function<HttpAnswer()> question) {
  if (!manager.empty()) {
    if (const auto problem = watch_.why_not(naming::kConnectionManagers, manager)) {
      return reply(answer_of(*problem));
    }
  }
  const bool taken = workers.run([reply, question = std::move(question)] { reply(question()); });
  if (taken) return;
  reply(answer_of(
      Problem{.status = 503,
              .name = "too-many-questions",
              .detail = fmt::format("{} questions are under way already", workers.jobs_max()),
              .value = fmt::format("{}", workers.jobs_max())}));
}

void ConsoleDaemon::ask_about(RoutedRequest request, Reply reply, Workers& workers,
                              HttpAnswer (RemoteQuestions::*question)(const std::string&,
                                                                      ConnectionId)) {
  if (refused(request.parameters, reply)) return;
  const auto connection = connection_of(request.path["id"]);
  if (!connection) return reply(answer_of(connection.error()));
  const std::string manager = request.path["manager"];
  ask(manager, workers, std::move(reply),
      [this, manager, id = *connection, question] { return (questions_.*question)(manager, id); });
}

}  // namespace xbind::console
