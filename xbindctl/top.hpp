// `top`: what manager and network do between two readings. top_figures() is pure; Top reads and
// prints. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/corba/two_way.hpp"
#include "core/clock.hpp"
#include "core/metrics/stage_times.hpp"
#include "route_object.hh"
#include "xbindctl/documents.hpp"

namespace xbind::ctl {

struct TopLink {
  std::string name;   // "switch-1:2 -> switch-3:1", the direction with the greater use
  std::string state;  // as in `links`
  double use = 0;     // part of its rate that is taken, 0..1
};

struct TopClient {
  std::string name;
  bool attached = false;
  std::uint64_t calls = 0;
  std::uint64_t cells_per_s = 0;
  std::uint64_t requests = 0;  // under way
};

struct TopReading {
  TimePoint at{};
  Metrics metrics;                 // of the manager
  std::vector<TopClient> clients;  // the greatest rate first, at most kTopRows
  std::uint64_t clients_all = 0;
  std::vector<TopLink> links;  // the busiest first, at most kTopRows
  std::uint64_t links_all = 0;
  std::uint64_t links_not_up = 0;
  std::uint64_t switches = 0;
  std::vector<std::string> unknown;  // switches in an unknown state, at most kTopRows
  std::uint64_t unknown_all = 0;
  std::string network_error;  // RouteObject did not answer: why
};
inline constexpr std::size_t kTopRows = 8;

struct TopFigures {
  struct Rate {
    std::string name;
    double per_s = 0;
  };
  struct Stage {
    std::string operation;
    std::string stage;
    std::uint64_t count = 0;
    double mean_us = 0;
  };
  double seconds = 0;                // between the readings
  std::uint64_t connections = 0;     // now
  std::uint64_t incomplete = 0;      // calls of earlier epochs, which are not connections
  std::vector<Rate> rates;           // setups, connected, refused, releases, released
  std::vector<Rate> refusals;        // by cause, the greatest first; none when nothing was refused
  std::vector<Stage> stages;         // of operations that ended between the readings
  std::optional<double> label_hits;  // part of labels that the cache had; nullopt: none was needed
};
// A counter that has fallen (the manager has restarted) counts from 0.
TopFigures top_figures(const TopReading& before, const TopReading& now);

// The members of top's document that come from the figures.
Json json_of(const TopFigures& figures);

class Top {
 public:
  // `route_object`: nil when it is not known; `why` says so. `pause` waits for the interval.
  Top(const client::TwoWay& manager, v2::RouteObject_ptr route_object, std::string why,
      std::function<void()> pause);

  // The first frame takes two readings, each later one a new reading.
  int frame();
  DocumentOrFailure document();

 private:
  OrFailure<TopReading> read() const;
  OrFailure<TopFigures> next();

  client::TwoWay manager_;
  v2::RouteObject_var route_object_;
  std::string why_no_route_object_;
  std::function<void()> pause_;
  std::optional<TopReading> before_;
  TopReading now_;
};

}  // namespace xbind::ctl
