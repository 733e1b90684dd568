#include "tests/conformance/suite.hpp"

#include "tests/conformance/cases.hpp"

namespace xbind::conformance {
namespace {

constexpr std::uint64_t kControllerName = 0x020000000007;

class ConformanceTest : public ::testing::Test {
 public:
  ConformanceTest(const Case& given, std::uint8_t version,
                  std::function<std::unique_ptr<Transport>()> connect,
                  std::shared_ptr<Others> others)
      : case_(given), version_(version), connect_(std::move(connect)), others_(std::move(others)) {}

  void TestBody() override {
    auto transport = connect_();
    ASSERT_TRUE(transport) << "the switch cannot be reached";
    Controller controller(std::move(transport), version_, kControllerName, others_);
    ASSERT_TRUE(controller.establish()) << "no adjacency";
    ASSERT_TRUE(controller.prepare()) << "the switch cannot be prepared";
    if (case_.whole_ports && !controller.ports_are_ours())
      GTEST_SKIP() << "DOES NOT APPLY: others have connections at the ports";
    case_.run(controller);
    EXPECT_TRUE(controller.clean()) << "the case's leftovers cannot be removed";
  }

 private:
  const Case& case_;
  std::uint8_t version_;
  std::function<std::unique_ptr<Transport>()> connect_;
  std::shared_ptr<Others> others_;
};

}  // namespace

void register_cases(const std::string& prefix, std::uint8_t version,
                    std::function<std::unique_ptr<Transport>()> connect) {
  const auto others = std::make_shared<Others>();
  for (const auto* cases :
       {&connection_cases(), &move_cases(), &port_cases(), &state_cases(), &message_cases()}) {
    for (const Case& one : *cases) {
      if (version == 1 && !one.version_1) continue;
      ::testing::RegisterTest(prefix.c_str(), one.name, nullptr, nullptr, __FILE__, __LINE__,
                              [&one, version, connect, others]() -> ConformanceTest* {
                                return new ConformanceTest(one, version, connect, others);
                              });
    }
  }
}

}  // namespace xbind::conformance
