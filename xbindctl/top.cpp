#include "xbindctl/top.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "core/steady_now.hpp"
#include "xbindctl/answers.hpp"
#include "xbindctl/network.hpp"

namespace xbind::ctl {
namespace {

constexpr std::uint32_t kClientsAtATime = 1'000;
constexpr std::string_view kRefusedFor = "refusals/";  // + the cause
constexpr std::string_view kRates[] = {"setups", "connected", "refused", "releases", "released"};

using ByName = std::map<std::string, std::uint64_t, std::less<>>;

std::uint64_t value_of(const ByName& metrics, std::string_view name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0 : found->second;
}

std::uint64_t growth(std::uint64_t before, std::uint64_t now) {
  return now >= before ? now - before : now;
}

double part(std::uint64_t of, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(of) / static_cast<double>(whole);
}

TopLink top_link_of(const v2::LinkState& link) {
  const std::uint64_t forth = link.cells_per_s - std::min(link.cells_per_s, link.first_free);
  const std::uint64_t back = link.cells_per_s - std::min(link.cells_per_s, link.second_free);
  const v2::RouteElement& from = forth >= back ? link.first_end : link.second_end;
  const v2::RouteElement& to = forth >= back ? link.second_end : link.first_end;
  return {fmt::format("{}:{} -> {}:{}", from.switch_name.in(), from.output_port,
                      to.switch_name.in(), to.output_port),
          state_text(link), part(std::max(forth, back), link.cells_per_s)};
}

// Keeps the first rows of the order.
template <class Rows, class Before>
void keep_first(Rows& rows, const Before& before) {
  const std::size_t kept = std::min(rows.size(), kTopRows);
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(kept), before);
  rows.resize(kept);
}

std::optional<Failure> read_clients(const client::TwoWay& manager, TopReading& reading) {
  std::string last;
  for (;;) {
    const auto page = manager.clients(last, kClientsAtATime);
    if (!page) return failure_of(page.error(), peer_of(manager));
    const v2::ClientStateSeq& states = page->in();
    if (states.length() == 0) return std::nullopt;
    for (CORBA::ULong i = 0; i < states.length(); ++i) {
      const v2::ClientState& one = states[i];
      reading.clients.push_back(
          {one.name.in(), one.session != 0, one.connections, one.cells_per_s, one.requests});
    }
    reading.clients_all += states.length();
    last = states[states.length() - 1].name.in();
    keep_first(reading.clients, [](const TopClient& a, const TopClient& b) {
      return std::tie(b.cells_per_s, b.calls, a.name) < std::tie(a.cells_per_s, a.calls, b.name);
    });
  }
}

void read_network(v2::RouteObject_ptr route_object, TopReading& reading) {
  const auto done = call_peer(peer_of(route_object), route_object, [&]() -> OrFailure<bool> {
    for_each_switch(route_object, [&](const std::string&) { ++reading.switches; });
    for_each_link(route_object, [&](const v2::LinkState& link) {
      ++reading.links_all;
      if (!link.up || link.drained || link.unknown) ++reading.links_not_up;
      reading.links.push_back(top_link_of(link));
    });
    for (const auto& [name, ms] : ask_of_switches(route_object).unknown_ms) {
      ++reading.unknown_all;
      if (reading.unknown.size() < kTopRows) reading.unknown.push_back(printable(name));
    }
    return true;
  });
  if (!done) reading.network_error = done.error().text;
  keep_first(reading.links, [](const TopLink& a, const TopLink& b) {
    return std::tie(b.use, a.name) < std::tie(a.use, b.name);
  });
}

void say_rates(const char* title, const std::vector<TopFigures::Rate>& rates) {
  std::vector<std::string> words;
  words.reserve(rates.size());
  for (const TopFigures::Rate& rate : rates) {
    words.push_back(fmt::format("{} {:.1f}/s", rate.name, rate.per_s));
  }
  say(fmt::format("{:<11} {}", title,
                  words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "))));
}

void say_stages(const std::vector<TopFigures::Stage>& stages) {
  std::string operation;
  std::string words;
  const auto flush = [&] {
    if (!operation.empty()) say(fmt::format("{:<11} {}", operation + " us", words));
    words.clear();
  };
  for (const TopFigures::Stage& stage : stages) {
    if (stage.operation != operation) {
      flush();
      operation = stage.operation;
    }
    words += fmt::format("{}{} {:.0f}", words.empty() ? "" : ", ", stage.stage, stage.mean_us);
  }
  flush();
}

void say_network(const TopReading& now) {
  if (!now.network_error.empty()) {
    say("network     " + now.network_error);
    return;
  }
  say(fmt::format("switches    {}, of them {} unknown{}", now.switches, now.unknown_all,
                  now.unknown.empty() ? "" : fmt::format(": {}", fmt::join(now.unknown, ", "))));
  say(fmt::format("links       {}, of them {} not up", now.links_all, now.links_not_up));
  if (now.links.empty()) return;
  std::vector<Row> rows{{"busiest link", "state", "taken"}};
  for (const TopLink& link : now.links) {
    rows.push_back({link.name, link.state, fmt::format("{:.1f} %", 100 * link.use)});
  }
  print_table(2, std::move(rows));
}

void say_clients(const TopReading& now) {
  if (now.clients.empty()) return;
  std::vector<Row> rows{
      {fmt::format("client (of {})", now.clients_all), "state", "calls", "cells/s", "requests"}};
  for (const TopClient& client : now.clients) {
    rows.push_back({client.name, client.attached ? "attached" : "-",
                    fmt::format("{}", client.calls), fmt::format("{}", client.cells_per_s),
                    fmt::format("{}", client.requests)});
  }
  print_table(2, std::move(rows));
}

Json json_of(const std::vector<TopFigures::Rate>& rates, const char* key) {
  Json all = Json::array();
  for (const TopFigures::Rate& rate : rates) {
    all.push_back({{key, rate.name}, {"per_s", rate.per_s}});
  }
  return all;
}

Json json_of_network(const TopReading& now) {
  Json links = Json::array();
  for (const TopLink& link : now.links) {
    links.push_back({{"link", text(link.name)}, {"state", link.state}, {"use", link.use}});
  }
  return {{"error", now.network_error.empty() ? Json(nullptr) : text(now.network_error)},
          {"switches", now.switches},
          {"unknown_switches", now.unknown},
          {"links", now.links_all},
          {"links_not_up", now.links_not_up},
          {"busiest", std::move(links)}};
}

Json json_of_clients(const TopReading& now) {
  Json clients = Json::array();
  for (const TopClient& client : now.clients) {
    clients.push_back({{"client", text(client.name)},
                       {"attached", client.attached},
                       {"calls", client.calls},
                       {"cells_per_s", client.cells_per_s},
                       {"requests", client.requests}});
  }
  return clients;
}

}  // namespace

TopFigures top_figures(const TopReading& before, const TopReading& now) {
  TopFigures figures;
  figures.seconds = std::chrono::duration<double>(now.at - before.at).count();
  const double seconds = std::max(figures.seconds, 1e-3);
  Metrics old_rest = before.metrics;
  Metrics new_rest = now.metrics;
  const std::vector<OperationStages> old_stages = take_stages(old_rest);
  const std::vector<OperationStages> new_stages = take_stages(new_rest);
  const ByName old(old_rest.begin(), old_rest.end());
  const ByName present(new_rest.begin(), new_rest.end());
  const auto grown = [&](std::string_view name) {
    return growth(value_of(old, name), value_of(present, name));
  };
  figures.connections = value_of(present, "connections");
  figures.incomplete = value_of(present, "incomplete_calls");
  for (const std::string_view name : kRates) {
    figures.rates.push_back({std::string{name}, static_cast<double>(grown(name)) / seconds});
  }
  for (const auto& [name, value] : present) {
    const std::uint64_t more = name.starts_with(kRefusedFor) ? grown(name) : 0;
    if (more == 0) continue;
    figures.refusals.push_back(
        {name.substr(kRefusedFor.size()), static_cast<double>(more) / seconds});
  }
  std::ranges::stable_sort(figures.refusals, std::ranges::greater{}, &TopFigures::Rate::per_s);
  const std::uint64_t hits = grown("label_cache_hits");
  const std::uint64_t needed = hits + grown("label_cache_misses");
  if (needed != 0) figures.label_hits = part(hits, needed);
  for (std::size_t i = 0; i < new_stages.size(); ++i) {
    const OperationStages& operation = new_stages[i];
    for (std::size_t j = 0; j < operation.stages.size(); ++j) {
      const auto& [name, sum] = operation.stages[j];
      const bool known = i < old_stages.size() && j < old_stages[i].stages.size();
      const StageSum zero;
      const StageSum& earlier = known ? old_stages[i].stages[j].sum : zero;
      const std::uint64_t count = growth(earlier.count, sum.count);
      if (count == 0) continue;
      figures.stages.push_back(
          {operation.operation, name, count, part(growth(earlier.ns, sum.ns), count) / 1e3});
    }
  }
  return figures;
}

Top::Top(const client::TwoWay& manager, v2::RouteObject_ptr route_object, std::string why,
         std::function<void()> pause)
    : manager_(manager),
      route_object_(v2::RouteObject::_duplicate(route_object)),
      why_no_route_object_(std::move(why)),
      pause_(std::move(pause)) {}

OrFailure<TopReading> Top::read() const {
  TopReading reading;
  auto metrics = manager_.status();
  if (!metrics) return failed(metrics.error(), peer_of(manager_));
  reading.at = steady_now();
  reading.metrics = std::move(*metrics);
  if (auto failure = read_clients(manager_, reading)) return tl::make_unexpected(*failure);
  if (CORBA::is_nil(route_object_)) {
    reading.network_error = why_no_route_object_;
  } else {
    read_network(route_object_, reading);
  }
  return reading;
}

OrFailure<TopFigures> Top::next() {
  if (!before_) {
    auto first = read();
    if (!first) return tl::make_unexpected(first.error());
    before_ = std::move(*first);
    pause_();
  }
  auto now = read();
  if (!now) return tl::make_unexpected(now.error());
  now_ = std::move(*now);
  const TopFigures figures = top_figures(*before_, now_);
  before_ = now_;
  return figures;
}

int Top::frame() {
  const auto figures = next();
  if (!figures) return explain(figures.error());
  say(fmt::format("connections {}{}, in the last {:.1f} s:", figures->connections,
                  figures->incomplete == 0
                      ? ""
                      : fmt::format(", {} incomplete", counted(figures->incomplete, "call")),
                  figures->seconds));
  say_rates("rates", figures->rates);
  say_rates("refused for", figures->refusals);
  say_stages(figures->stages);
  if (figures->label_hits) {
    say(fmt::format("labels      {:.1f} % from the cache", 100 * *figures->label_hits));
  }
  say_network(now_);
  say_clients(now_);
  return 0;
}

Json json_of(const TopFigures& figures) {
  Json stages = Json::array();
  for (const TopFigures::Stage& stage : figures.stages) {
    stages.push_back({{"operation", stage.operation},
                      {"stage", stage.stage},
                      {"count", stage.count},
                      {"mean_us", stage.mean_us}});
  }
  return {{"seconds", figures.seconds},
          {"connections", figures.connections},
          {"incomplete_calls", figures.incomplete},
          {"rates", json_of(figures.rates, "counter")},
          {"refusals", json_of(figures.refusals, "cause")},
          {"stages", std::move(stages)},
          {"label_hits", figures.label_hits ? Json(*figures.label_hits) : Json(nullptr)}};
}

DocumentOrFailure Top::document() {
  const auto figures = next();
  if (!figures) return tl::make_unexpected(figures.error());
  Json document = json_of(*figures);
  document["network"] = json_of_network(now_);
  document["clients_all"] = now_.clients_all;
  document["clients"] = json_of_clients(now_);
  return Document{std::move(document)};
}

}  // namespace xbind::ctl
