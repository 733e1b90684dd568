// The QOSMapper through its contract: a real ORB, the servant and a caller.
#include <gmock/gmock.h>

#include <memory>

#include "orb/convert.hpp"
#include "orb/runtime.hpp"
#include "qosmapper/servant.hpp"

namespace xbind {
namespace {

using testing::ElementsAre;

class OrbEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    char name[] = "qosmapper_test";
    char* argv[] = {name, nullptr};
    runtime = std::make_unique<orb::Runtime>(1, argv, orb::RuntimeOptions{});
  }
  void TearDown() override { runtime.reset(); }
  static inline std::unique_ptr<orb::Runtime> runtime;
};
const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new OrbEnvironment);

class Mapper : public testing::Test {
 protected:
  Mapper()
      : servant_(new QosMapperServant(dispatch_, catalogue_of_option("").value(),
                                      v2::QosOperations::_nil())) {
    const CORBA::Object_var object = OrbEnvironment::runtime->activate(servant_.in());
    mapper_ = v2::QOSMapper::_unchecked_narrow(object);
  }

  static v2::ServiceSpec named(const char* name) {
    ServiceSpec service{ServiceKind::kClass};
    service.terms = ServiceTerms{name};
    return orb::to_idl(service);
  }
  // Returns the refusal as a caller in another process would get it.
  template <class Ask>
  static std::string refused(Ask ask) {
    try {
      ask();
    } catch (const v2::BadRequest& bad) {
      return std::string{"bad request: "} + bad.reason.in();
    } catch (const v2::UnknownService& unknown) {
      return std::string{"unknown service: "} + unknown.reason.in();
    }
    return "not refused";
  }

  orb::Dispatch dispatch_{"qosmapper_test"};
  PortableServer::Servant_var<QosMapperServant> servant_;
  v2::QOSMapper_var mapper_;
};

std::vector<std::uint64_t> values(const v2::OptionalNumber& number) {
  return number.length() == 0 ? std::vector<std::uint64_t>{}
                              : std::vector<std::uint64_t>{number[0]};
}

TEST_F(Mapper, TellsTheNamesOfItsCatalogue) {
  const v2::NameSeq_var names = mapper_->services();
  ASSERT_EQ(names->length(), shipped_catalogue().names().size());
  for (CORBA::ULong i = 0; i < names->length(); ++i) {
    EXPECT_EQ(std::string{names.in()[i].in()}, shipped_catalogue().names()[i]);
  }
}

TEST_F(Mapper, MapsAServiceByItsNameAndSharesItAmongHops) {
  const NetworkService network =
      orb::to_core(mapper_->service_to_network(named("video-conference")));
  EXPECT_EQ(network,
            (NetworkService{{14'075, 5}, {ServiceCategory::kRtVbr, 14'075, 218, 4'717, 1'126}}));
  const v2::ServiceMapping_var mapped = mapper_->describe_service(named("video-conference"), 5);
  EXPECT_EQ(orb::to_core(mapped->network), network);
  EXPECT_THAT(values(mapped->whole.clr), ElementsAre(530'093));
  EXPECT_THAT(values(mapped->whole.ctd_us), ElementsAre(110'000));
  EXPECT_THAT(values(mapped->whole.cdv_us), ElementsAre(40'000));
  EXPECT_THAT(values(mapped->of_hop.clr), ElementsAre(106'018));
  EXPECT_THAT(values(mapped->of_hop.ctd_us), ElementsAre(22'000));
  EXPECT_THAT(values(mapped->of_hop.cdv_us), ElementsAre(8'000));
}

TEST_F(Mapper, WithoutHopsNoneHasAShareAndBestEffortAsksForNothing) {
  const v2::ServiceMapping_var whole = mapper_->describe_service(named("voice-g711"), 0);
  EXPECT_THAT(values(whole->whole.ctd_us), ElementsAre(80'000));
  EXPECT_THAT(values(whole->of_hop.ctd_us), ElementsAre());
  const v2::ServiceMapping_var nothing = mapper_->describe_service(named("data-best-effort"), 3);
  EXPECT_THAT(values(nothing->whole.clr), ElementsAre());
  EXPECT_THAT(values(nothing->of_hop.clr), ElementsAre());
}

TEST_F(Mapper, SaysWhatTheHopsPromisesMeanForTheFrames) {
  const v2::ServiceMapping_var mapped = mapper_->describe_service(named("video-conference"), 5);
  v2::CellQualitySeq hops;
  hops.length(5);
  for (CORBA::ULong i = 0; i < 5; ++i) hops[i] = mapped->of_hop;
  const v2::FrameQuality_var seen =
      mapper_->network_to_service(named("video-conference"), mapped->network.contract, hops);
  EXPECT_THAT(values(seen->frame_loss), ElementsAre(99'999'359));
  EXPECT_THAT(values(seen->delay_us), ElementsAre(150'000));
  hops[2].clr.length(0);  // one hop promises no loss ratio
  const v2::FrameQuality_var less =
      mapper_->network_to_service(named("video-conference"), mapped->network.contract, hops);
  EXPECT_THAT(values(less->frame_loss), ElementsAre());
  EXPECT_THAT(values(less->delay_us), ElementsAre(150'000));
}

TEST_F(Mapper, RefusesByName) {
  EXPECT_EQ(refused([&] { mapper_->service_to_network(named("video-9")); }),
            "unknown service: the catalogue has no service 'video-9'");
  EXPECT_EQ(refused([&] { delete mapper_->describe_service(named("video"), 1); }),
            "bad request: video: frame octets 0 is not in 1 to 1000000000");
  v2::ServiceSpec strict = named("voice-quick");
  strict.terms().frame_loss = 4;  // one frame is one cell
  EXPECT_EQ(refused([&] { delete mapper_->describe_service(strict, 5); }),
            "bad request: CLR (parts of 10^12) 4 leaves nothing for each of 5 hops");
  const v2::ServiceSpec cells = orb::to_idl(ServiceSpec{ServiceKind::kCells, 100});
  EXPECT_EQ(refused([&] { delete mapper_->network_to_service(cells, {}, {}); }),
            "bad request: a service of kind 0 names no frames");
}

}  // namespace
}  // namespace xbind
