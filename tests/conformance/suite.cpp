#include "tests/conformance/suite.hpp"

#include "tests/conformance/cases.hpp"

namespace xbind::conformance {
namespace {

constexpr std::uint64_t kControllerName = 0x020000000007;

class ConformanceTest : public ::testing::Test {
 public:
  ConformanceTest(const Case& given, std::uint8_t version,
                  std::function<std::unique_ptr<Transport>()> connect)
      : case_(given), version_(version), connect_(std::move(connect)) {}

  void TestBody() override {
    auto transport = connect_();
    ASSERT_TRUE(transport) << "the switch cannot be reached";
    Controller controller(std::move(transport), version_, kControllerName);
    ASSERT_TRUE(controller.establish()) << "no adjacency";
    ASSERT_TRUE(controller.prepare()) << "the switch cannot be prepared";
    case_.run(controller);
  }

 private:
  const Case& case_;
  std::uint8_t version_;
  std::function<std::unique_ptr<Transport>()> connect_;
};

}  // namespace

void register_cases(const std::string& prefix, std::uint8_t version,
                    std::function<std::unique_ptr<Transport>()> connect) {
  for (const auto* cases :
       {&connection_cases(), &move_cases(), &port_cases(), &state_cases(), &message_cases()}) {
    for (const Case& one : *cases) {
      if (version == 1 && !one.version_1) continue;
      ::testing::RegisterTest(prefix.c_str(), one.name, nullptr, nullptr, __FILE__, __LINE__,
                              [&one, version, connect]() -> ConformanceTest* {
                                return new ConformanceTest(one, version, connect);
                              });
    }
  }
}

}  // namespace xbind::conformance
