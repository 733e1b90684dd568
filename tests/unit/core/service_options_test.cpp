#include "core/config/service_options.hpp"

#include <gmock/gmock.h>

namespace xbind {
namespace {

using testing::HasSubstr;

struct Loaded {
  ServiceOptions options;
  std::string refusal;
};

Loaded load(std::vector<const char*> arguments) {
  Loaded loaded;
  config::OptionSet set("program", "Asks for a service.");
  declare_service_options(set, loaded.options, "connect: ");
  arguments.insert(arguments.begin(), "program");
  const auto exit = set.load(static_cast<int>(arguments.size()), arguments.data(),
                             [](const std::string&) { return std::optional<std::string>{}; });
  if (exit) loaded.refusal = exit->text;
  return loaded;
}

TEST(ServiceOptionsTest, NumbersAreTakenToTheSafeSide) {
  const Loaded loaded =
      load({"--service-class", "video-25", "--peak-to-mean", "1.0001", "--frame-loss", "1.9e-12",
            "--frame-delay-ms", "0.1239", "--burst-frames", "7"});
  ASSERT_EQ(loaded.refusal, "");
  EXPECT_EQ(terms_of(loaded.options, 25'000, 9'000),
            (ServiceTerms{"video-25", 25'000, 9'000, 1'001, 7, 0, 0, 1, 123}));
}

TEST(ServiceOptionsTest, ADecimalNumberIsNotMissedByItsBinaryForm) {
  for (int digit = 1; digit <= 12; ++digit) {
    const std::string loss = "1e-" + std::to_string(digit);
    const Loaded loaded = load({"--service-class", "data", "--frame-loss", loss.c_str(),
                                "--frame-delay-ms", "100.1", "--bits-per-s", "3"});
    ASSERT_EQ(loaded.refusal, "");
    std::uint64_t parts = 1'000'000'000'000;
    for (int i = 0; i < digit; ++i) parts /= 10;
    EXPECT_EQ(terms_of(loaded.options, 0, 0),
              (ServiceTerms{"data", 0, 0, 0, 0, 3, 0, parts, 100'100}));
  }
}

TEST(ServiceOptionsTest, WhatCannotBeIsRefusedByItsName) {
  EXPECT_THAT(load({"--frame-delay-ms", "3"}).refusal,
              HasSubstr("--frame-delay-ms needs --service-class"));
  EXPECT_THAT(load({"--service-class", "video", "--frame-delay-ms", "0.0001"}).refusal,
              HasSubstr("--frame-delay-ms 0.0001 is below a microsecond"));
  EXPECT_THAT(load({"--service-class", "video", "--frame-loss", "1e-13"}).refusal,
              HasSubstr("--frame-loss 1e-13 is below 1e-12"));
  EXPECT_THAT(load({"--service-class", std::string(65, 'v').c_str()}).refusal,
              HasSubstr("a name of 65 octets, at most 64"));
  EXPECT_EQ(load({}).refusal, "");
}

}  // namespace
}  // namespace xbind
