// Commands of xbindctl about several things: releases, services, calls of the manager's operations.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "orb/convert.hpp"
#include "xbindctl/commands.hpp"
#include "xbindctl_preset_manager.hpp"

namespace xbind::ctl {
namespace {

using testing::HasSubstr;

// Both connections of mia are released, though one ended meanwhile. The prepared one has no client
// and stays.
TEST_F(Commands, ReleaseOfAClientLeavesWhatIsOfOthers) {
  const auto add = [&](std::uint64_t id, v2::PhaseCode phase, const char* client) {
    v2::ConnectionState& state = reported_.more.emplace_back();
    state.connection = id;
    state.phase = phase;
    state.client = client;
  };
  reported_.state.connection = 0;  // no other connections
  add(11, v2::phase_connected, "mia");
  add(12, v2::phase_connected, "leo");
  add(13, v2::phase_held, "mia");
  add(14, v2::phase_prepared, "");
  answer(OutcomeKind::kReleased);
  reported_.ended = 13;
  EXPECT_EQ(said([&] { return release_many(manager_, "mia"); }),
            "0: 1 connection released; 1 had ended meanwhile\n");
  EXPECT_EQ(reported_.released, (std::vector<std::uint64_t>{11, 13}));
  reported_.released.clear();
  EXPECT_EQ(said([&] { return release_many(manager_, {}); }),
            "0: 2 connections released; 1 had ended meanwhile\n");
  EXPECT_EQ(reported_.released, (std::vector<std::uint64_t>{11, 12, 13}));

  reported_.answer.owed = {1, "switch-1"};
  EXPECT_EQ(said([&] { return release_many(manager_, "leo"); }),
            "0: 12 released; owed: 1 removal at switch-1\n1 connection released\n");
  answer(OutcomeKind::kBusy);
  reported_.answer.cause = Cause::kBusy;
  EXPECT_EQ(said([&] { return release_many(manager_, "leo"); }),
            "1: 0 connections released; 1 refused\nxbindctl: 12: busy: busy\n");
  EXPECT_EQ(said([&] { return release_many(manager_, "nobody"); }), "0: 0 connections released\n");
}

class PresetMapper : public POA_xbind::v2::QOSMapper {
 public:
  v2::NameSeq* services() override {
    auto out = std::make_unique<v2::NameSeq>();
    out->length(2);
    (*out)[0] = "conference";
    (*out)[1] = "best-effort";
    return out.release();
  }
  v2::ServiceMapping* describe_service(const v2::ServiceSpec& service, CORBA::Octet) override {
    auto out = std::make_unique<v2::ServiceMapping>();
    if (std::string_view{service.terms().name.in()} == "best-effort") {
      out->network = orb::to_idl(NetworkService{{0, 0}, {ServiceCategory::kUbr, 100, 0, 0, 0}});
      return out.release();
    }
    out->network = orb::to_idl(
        NetworkService{{14'075, 5}, {ServiceCategory::kRtVbr, 14'075, 218, 4'717, 1'126}});
    const auto set = [](v2::OptionalNumber& number, std::uint64_t value) {
      number.length(1);
      number[0] = value;
    };
    set(out->whole.clr, 530'093);
    set(out->whole.ctd_us, 110'000);
    set(out->whole.cdv_us, 40'500);
    return out.release();
  }
  v2::MetricSeq* status() override { return new v2::MetricSeq; }
  v2::QosOperations_ptr qos_operations() override { return v2::QosOperations::_nil(); }
  v2::Demand video_to_network(const v2::VideoFrames&) override { throw CORBA::NO_IMPLEMENT(); }
  v2::VideoFrames network_to_frame_size(CORBA::ULongLong, CORBA::ULongLong) override {
    throw CORBA::NO_IMPLEMENT();
  }
  v2::VideoFrames network_to_frame_rate(CORBA::ULongLong, CORBA::ULongLong) override {
    throw CORBA::NO_IMPLEMENT();
  }
  v2::NetworkService service_to_network(const v2::ServiceSpec&) override {
    throw CORBA::NO_IMPLEMENT();
  }
  v2::FrameQuality* network_to_service(const v2::ServiceSpec&, const v2::TrafficContract&,
                                       const v2::CellQualitySeq&) override {
    throw CORBA::NO_IMPLEMENT();
  }
};

TEST(Services, AreATableOfWhatEachAsks) {
  const PortableServer::Servant_var<PortableServer::ServantBase> servant = new PresetMapper;
  const v2::QOSMapper_var mapper = v2::QOSMapper::_unchecked_narrow(active(servant.in()));
  EXPECT_THAT(said([&] { return services(mapper); }),
              HasSubstr("service      category   peak  guaranteed  takes  buffer         loss  "
                        "delay ms  variation ms\n"
                        "conference   rt-VBR    14075        4717  14075       5  5.30093e-07  "
                        "     110          40.5\n"
                        "best-effort  UBR         100           -      0       0            -  "
                        "       -             -\n"));
}

TEST_F(Commands, WhatTheManagerWasCalledForIsATable) {
  reported_.metrics.length(7);
  reported_.metrics[0] = {"upcalls_list", 4};
  reported_.metrics[1] = {"upcall_ns_list", 10'000};
  reported_.metrics[2] = {"upcalls_refused_list", 1};
  reported_.metrics[3] = {"upcalls_attach", 2};
  reported_.metrics[4] = {"upcall_ns_attach", 3'000};
  reported_.metrics[5] = {"upcalls_failed_attach", 2};
  reported_.metrics[6] = {"upcalls_not_permitted", 3};
  EXPECT_EQ(said([&] { return status(manager_); }),
            "0: upcalls_not_permitted    3\n"
            "\n"
            "called for  times    mean  refused  failed\n"
            "attach          2  1.5 us        0       2\n"
            "list            4  2.5 us        1       0\n");
}

}  // namespace
}  // namespace xbind::ctl
