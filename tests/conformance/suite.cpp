#include "tests/conformance/suite.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/conformance/cases.hpp"

namespace xbind::conformance {

const Need kWholePorts{"ports without connections of others",
                       [](const Controller& c) { return c.ports_are_ours(); }};
const Need kPaths{"VP switching", [](const Controller& c) {
                    return c.record(0).vp_switching && c.record(1).vp_switching &&
                           c.record(2).vp_switching;
                  }};
// No message reports the reservations of others.
const Need kReservations{"reservations, none of others", [](const Controller& c) {
                           return c.configuration().max_reservations > 0 && c.switch_is_ours();
                         }};
const Need kLabelRange{"Label Range",
                       [](const Controller& c) { return c.record(0).label_range_message; }};
const Need kReplaceOff{"a Replace flag that is off", [](const Controller& c) {
                         constexpr std::uint16_t kReplaceOn = 0x8000;
                         return (c.record(1).attribute_flags & kReplaceOn) == 0;
                       }};
const Need kLines{"lines that the suite can take down",
                  [](const Controller& c) { return c.transport().has_lines(); }};

namespace {

constexpr std::uint64_t kControllerName = 0x020000000007;
const Need* const kNeeds[] = {&kWholePorts, &kPaths,      &kReservations,
                              &kLabelRange, &kReplaceOff, &kLines};

// A prepared controller, or null with an expectation that fails.
std::unique_ptr<Controller> controller_at(const Connect& connect, std::uint8_t version,
                                          std::shared_ptr<Others> others) {
  auto transport = connect();
  EXPECT_TRUE(transport) << "the switch cannot be reached";
  if (!transport) return nullptr;
  auto controller = std::make_unique<Controller>(std::move(transport), version, kControllerName,
                                                 std::move(others));
  const bool established = controller->establish();
  EXPECT_TRUE(established) << "no adjacency";
  if (!established) return nullptr;
  const bool prepared = controller->prepare();
  EXPECT_TRUE(prepared) << "the switch cannot be prepared";
  return prepared ? std::move(controller) : nullptr;
}

class ConformanceTest : public ::testing::Test {
 public:
  ConformanceTest(const Case& given, std::uint8_t version, Connect connect,
                  std::shared_ptr<Others> others)
      : case_(given), version_(version), connect_(std::move(connect)), others_(std::move(others)) {}

  void TestBody() override {
    const auto controller = controller_at(connect_, version_, others_);
    ASSERT_TRUE(controller);
    for (const Need* need : case_.needs) ASSERT_TRUE(need->met(*controller)) << need->name;
    case_.run(*controller);
    EXPECT_TRUE(controller->clean()) << "the case's leftovers cannot be removed";
  }

 private:
  const Case& case_;
  std::uint8_t version_;
  Connect connect_;
  std::shared_ptr<Others> others_;
};

class LacksTest : public ::testing::Test {
 public:
  LacksTest(std::uint8_t version, Connect connect, Lacks lacks)
      : version_(version), connect_(std::move(connect)), lacks_(std::move(lacks)) {}
  void TestBody() override {
    EXPECT_THAT(lacks_of(version_, connect_), ::testing::ElementsAreArray(lacks_));
  }

 private:
  std::uint8_t version_;
  Connect connect_;
  Lacks lacks_;
};

}  // namespace

Lacks lacks_of(std::uint8_t version, const Connect& connect) {
  const auto controller = controller_at(connect, version, std::make_shared<Others>());
  if (!controller) return {};
  Lacks lacks;
  for (const Need* need : kNeeds) {
    if (!need->met(*controller)) lacks.emplace_back(need->name);
  }
  return lacks;
}

std::vector<std::string> register_cases(const std::string& prefix, std::uint8_t version,
                                        const Connect& connect, const Lacks& lacks) {
  const auto others = std::make_shared<Others>();
  std::vector<std::string> left_out;
  for (const auto* cases :
       {&connection_cases(), &move_cases(), &port_cases(), &state_cases(), &message_cases()}) {
    for (const Case& one : *cases) {
      if (version == 1 && !one.version_1) continue;
      if (std::any_of(one.needs.begin(), one.needs.end(), [&](const Need* need) {
            return std::find(lacks.begin(), lacks.end(), need->name) != lacks.end();
          })) {
        left_out.emplace_back(one.name);
        continue;
      }
      ::testing::RegisterTest(prefix.c_str(), one.name, nullptr, nullptr, __FILE__, __LINE__,
                              [&one, version, connect, others]() -> ConformanceTest* {
                                return new ConformanceTest(one, version, connect, others);
                              });
    }
  }
  return left_out;
}

void register_lacks(const std::string& prefix, std::uint8_t version, const Connect& connect,
                    const Lacks& lacks) {
  ::testing::RegisterTest((prefix + "Lacks").c_str(), "what_its_registration_says", nullptr,
                          nullptr, __FILE__, __LINE__, [version, connect, lacks]() -> LacksTest* {
                            return new LacksTest(version, connect, lacks);
                          });
}

}  // namespace xbind::conformance
