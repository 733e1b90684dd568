// What xbindctl requests from RouteObject and how it prints the answers; RouteObject's answers are
// preset.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/cause.hpp"
#include "core/path.hpp"
#include "orb/unsupervised.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl_test.hpp"

namespace xbind::ctl {
namespace {

using testing::HasSubstr;

// Stores the last request in words and returns the preset answers.
class PresetRouteObject : public POA_xbind::v2::RouteObject {
 public:
  std::string asked;
  v2::RouteAnswers answers{};
  v2::LinkStateSeq all_links;

  v2::RouteAnswers* find_paths(const v2::RouteQuerySeq& queries) override {
    asked += "; then " + words_of(queries[0]);
    auto out = std::make_unique<v2::RouteAnswers>(answers);
    out->answers.length(1);
    return out.release();
  }
  v2::RouteAnswers* find_alternates(const v2::RouteQuery& query, CORBA::ULong count) override {
    asked = fmt::format("{} of {}", count, words_of(query));
    return new v2::RouteAnswers(answers);
  }
  // Operations that xbindctl does not use.
  v2::ReportAnswer* report_ports(const char*, v2::Epoch, CORBA::ULongLong,
                                 const v2::PortNewsSeq&) override {
    throw v2::BadRequest("no reports here");
  }
  v2::TopologyState* watch(const char*, v2::TopologyObserver_ptr) override {
    throw v2::Unavailable("nobody watches here");
  }
  void unwatch(const char*) override {}
  v2::TopologyState* unusable_elements(CORBA::ULong, CORBA::ULong) override {
    throw v2::BadRequest("nobody asks that here");
  }
  v2::RouteOperations_ptr route_operations() override {
    return v2::RouteOperations::_duplicate(operations);
  }
  v2::NameSeq* switches(CORBA::ULong first, CORBA::ULong) override {
    auto names = std::make_unique<v2::NameSeq>();
    if (first != 0) return names.release();
    names->length(2);
    (*names)[0] = "switch-1";
    (*names)[1] = "switch-3";
    return names.release();
  }
  v2::NameSeq* endpoints(CORBA::ULong, CORBA::ULong) override { return new v2::NameSeq; }
  v2::TrafficDemandSeq* demands(CORBA::ULong, CORBA::ULong) override {
    return new v2::TrafficDemandSeq;
  }
  v2::MetricSeq* status() override { return new v2::MetricSeq(metrics); }

  v2::MetricSeq metrics;
  v2::RouteOperations_var operations;

 private:
  static std::string words_of(const v2::RouteElementSeq& elements) {
    std::string words;
    for (CORBA::ULong i = 0; i < elements.length(); ++i) {
      words += fmt::format(" {}:{}", elements[i].switch_name.in(), elements[i].output_port);
    }
    return words;
  }
  static std::string words_of(const v2::RouteQuery& query) {
    return fmt::format(
        "{} {} at {} metric {} within {} us, {} links, avoid{}, require{}, disjoint {} from {}",
        query.from_end.in(), query.to_end.in(), query.cells_per_s, query.metric, query.delay_us_max,
        query.links_max, words_of(query.avoid), words_of(query.require), query.disjoint,
        query.disjoint_from.length());
  }
};

// The same for the operator interface.
class PresetRouteOperations : public orb::Unsupervised<POA_xbind::v2::RouteOperations> {
 public:
  explicit PresetRouteOperations(PresetRouteObject& routes) : routes_(routes) {}

  void drain(const v2::RouteElement& element, CORBA::Boolean drained) override {
    if (element.output_port == 9) throw v2::BadRequest("port 9 of 'switch-1' has no link");
    routes_.asked = fmt::format("{} {}:{}", drained ? "drain" : "undrain", element.switch_name.in(),
                                element.output_port);
  }
  v2::LinkStateSeq* links(CORBA::ULong first, CORBA::ULong limit) override {
    routes_.asked += fmt::format("{} from {}, ", limit, first);
    auto out = std::make_unique<v2::LinkStateSeq>();
    for (CORBA::ULong i = first; i < routes_.all_links.length() && i - first < limit; ++i) {
      out->length(i - first + 1);
      (*out)[i - first] = routes_.all_links[i];
    }
    return out.release();
  }
  v2::NetworkDifference* plan_network(const v2::NetworkEdit&) override {
    throw v2::BadRequest("no changes here");
  }
  v2::NetworkDifference* change_network(const v2::NetworkEdit&, CORBA::ULongLong,
                                        CORBA::Boolean) override {
    throw v2::BadRequest("no changes here");
  }
  v2::NetworkText* network_text(CORBA::ULongLong) override { return new v2::NetworkText(); }
  void set_log_level(const char* level) override { routes_.asked = fmt::format("level {}", level); }
  v2::LogLevelSeq* log_levels() override { return new v2::LogLevelSeq(); }

 private:
  PresetRouteObject& routes_;
};

class RouteCommands : public testing::Test {
 protected:
  RouteCommands()
      : servant_(new PresetRouteObject),
        route_answers_(*dynamic_cast<PresetRouteObject*>(servant_.in())),
        operations_(new PresetRouteOperations(route_answers_)) {
    route_answers_.operations = v2::RouteOperations::_unchecked_narrow(active(operations_.in()));
    route_object_ = v2::RouteObject::_unchecked_narrow(active(servant_.in()));
  }

  PortableServer::Servant_var<PortableServer::ServantBase> servant_;
  PresetRouteObject& route_answers_;
  PortableServer::Servant_var<PortableServer::ServantBase> operations_;
  v2::RouteObject_var route_object_;
};

v2::RouteAnswer path_over(const char* middle) {
  v2::RouteFound found;
  found.free_cells_per_s = 1000;
  found.delay_us = 30;
  found.hops.length(3);
  CORBA::ULong at = 0;
  for (const char* name : {"host-a", middle, "host-b"}) {
    found.hops[at].switch_name = name;
    found.hops[at].input_port = at == 0 ? 1 : 2;
    found.hops[at].output_port = at == 2 ? 1 : 3;
    ++at;
  }
  v2::RouteAnswer answer;
  answer.found(found);
  return answer;
}

TEST_F(RouteCommands, RoutesAreAskedForWithAllThatWasSaidAndShownHopByHop) {
  route_answers_.answers.topology_version = 12;
  route_answers_.answers.validity_ms = 5000;
  route_answers_.answers.answers.length(2);
  route_answers_.answers.answers[0] = path_over("switch-1");
  route_answers_.answers.answers[1] = path_over("switch-2");
  route_answers_.all_links.length(1);
  route_answers_.all_links[0] = v2::LinkState();
  route_answers_.all_links[0].first_end.switch_name = "switch-1";
  route_answers_.all_links[0].first_end.output_port = 2;
  route_answers_.all_links[0].second_end.switch_name = "switch-3";
  route_answers_.all_links[0].second_end.output_port = 2;
  RouteWish wish{"host-a", "host-b", 400, v2::metric_load, 90, 3};
  wish.avoid = {{"switch-3", PortId{2}}};
  wish.require = {{"switch-1", PortId{}}};
  wish.alternates = 2;
  EXPECT_EQ(said([&] { return routes(route_object_, wish); }),
            "0: path 1      3 switches, 30 us, lines of 1000 cells/s\n"
            "  hop 0     host-a           port 1 -> port 3\n"
            "  hop 1     switch-1         port 2 -> port 3\n"
            "  hop 2     host-b           port 2 -> port 1\n"
            "path 2      3 switches, 30 us, lines of 1000 cells/s\n"
            "  hop 0     host-a           port 1 -> port 3\n"
            "  hop 1     switch-2         port 2 -> port 3\n"
            "  hop 2     host-b           port 2 -> port 1\n"
            "topology version 12, to be kept for 5000 ms\n");
  EXPECT_EQ(route_answers_.asked,
            "2 of host-a host-b at 400 metric 2 within 90 us, 3 links, avoid switch-3:2, require "
            "switch-1:0, disjoint 0 from 0");
  wish.avoid = {{"nowhere", PortId{}}};
  EXPECT_EQ(said([&] { return routes(route_object_, wish); }),
            "1: xbindctl: avoid: there is no switch 'nowhere'\n");
  wish.avoid = {{"switch-3", PortId{}}, {"switch-3", PortId{3}}};
  EXPECT_EQ(said([&] { return routes(route_object_, wish); }),
            "1: xbindctl: avoid: no link leaves port 3 of 'switch-3'\n");
}

TEST_F(RouteCommands, ADisjointRouteIsAskedForBesideTheBestOne) {
  route_answers_.answers.topology_version = 12;
  route_answers_.answers.validity_ms = 5000;
  route_answers_.answers.answers.length(1);
  route_answers_.answers.answers[0] = path_over("switch-1");
  RouteWish wish{"host-a", "host-b"};
  wish.disjoint = v2::disjoint_switches;
  EXPECT_THAT(said([&] { return routes(route_object_, wish); }), HasSubstr("path 2      3"));
  EXPECT_EQ(route_answers_.asked,
            "1 of host-a host-b at 0 metric 0 within 0 us, 0 links, avoid, require, disjoint 0 "
            "from 0; then host-a host-b at 0 metric 0 within 0 us, 0 links, avoid, require, "
            "disjoint 2 from 3");
}

TEST_F(RouteCommands, ARefusedRouteIsExplained) {
  route_answers_.answers.answers.length(1);
  v2::Refusal why;
  why.cause = v2::cause_path_bound;
  why.asked = 8;
  why.free = 9;
  why.reason = "asked at most 8 us from 'a' to 'b', the fastest path takes 9";
  why.retry_after_ms = why.owed.removals = 0;
  route_answers_.answers.answers[0].why(why);
  EXPECT_EQ(said([&] {
              return routes(route_object_, {"a", "b"});
            }),
            "1: xbindctl: path bound: asked at most 8 us from 'a' to 'b', the fastest path takes "
            "9\n");
}

TEST_F(RouteCommands, LinksAreATable) {
  v2::LinkStateSeq& all_links = route_answers_.all_links;
  all_links.length(1'004);
  for (CORBA::ULong i = 0; i < all_links.length(); ++i) {
    v2::LinkState& link = all_links[i];
    link.first_end.switch_name = "host-a";
    link.first_end.output_port = 2;
    link.second_end.switch_name = "switch-1";
    link.second_end.output_port = 1;
    link.up = i % 2 == 0;
    link.drained = i % 4 >= 2;
    link.unknown = false;
    link.cells_per_s = 353'207;
    link.first_free = 9'700;
    link.second_free = 0;
    link.delay_us = 250;
  }
  const std::string table = said([&] { return links(route_object_); });
  EXPECT_EQ(route_answers_.asked, "1000 from 0, 1000 from 1000, 1000 from 1004, ");
  EXPECT_EQ(std::ranges::count(table, '\n'), 1'005);
  EXPECT_THAT(table,
              testing::StartsWith(
                  "0: end       other end   state          cells/s  free  free back      reported"
                  "  delay us\n"
                  "host-a:2  switch-1:1  up              353207  9700          0  not reported"
                  "       250\n"
                  "host-a:2  switch-1:1  down            353207  9700          0  not reported"
                  "       250\n"));
  route_answers_.all_links.length(1);
  route_answers_.metrics.length(3);
  route_answers_.metrics[0] = {"report_age_ms/host-a", 310};
  route_answers_.metrics[1] = {"queries", 9};
  route_answers_.metrics[2] = {"report_age_ms/switch-1", 4'260};
  EXPECT_EQ(said([&] { return links(route_object_); }),
            "0: end       other end   state  cells/s  free  free back   reported  delay us\n"
            "host-a:2  switch-1:1  up      353207  9700          0  4.3 s ago       250\n");
}

TEST_F(RouteCommands, ALinkOrASwitchIsDrained) {
  EXPECT_EQ(said([&] {
              return drain(route_object_, {"switch-1", PortId{2}}, true);
            }),
            "0: switch-1 port 2: drained, no new path leads there\n");
  EXPECT_EQ(route_answers_.asked, "drain switch-1:2");
  EXPECT_EQ(said([&] {
              return drain(route_object_, {"switch-1", PortId{}}, false);
            }),
            "0: every link of switch-1: not drained any more\n");
  EXPECT_EQ(route_answers_.asked, "undrain switch-1:0");
  EXPECT_EQ(said([&] {
              return drain(route_object_, {"switch-1", PortId{9}}, true);
            }),
            "1: xbindctl: port 9 of 'switch-1' has no link\n");
}

}  // namespace
}  // namespace xbind::ctl
