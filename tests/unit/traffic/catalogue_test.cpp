// The catalogue's file: the one supplied with the project, and every
// error with its line and reason.
#include "traffic/catalogue.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/source_dir.hpp"

namespace xbind {
namespace {

constexpr char kVoice[] =
    "[[service]]\nname = \"v\"\nclass = \"voice\"\nframes-per-s = 50\n"
    "frame-octets = 160\nframe-loss = 1e-3\ndelay-ms = 100\n";

TEST(CatalogueTest, TheOneThatComesWithTheProject) {
  const auto catalogue = read_catalogue_file(test::source_path("traffic/catalogue.toml"));
  ASSERT_TRUE(catalogue) << catalogue.error().text;
  EXPECT_EQ(catalogue->names(), (std::vector<std::string>{
                                    "video-conference", "video-store", "voice-g711", "voice-quick",
                                    "constant-mpeg2", "data-guaranteed", "data-best-effort"}));
  EXPECT_EQ(catalogue->find("video-store")->service.frames_per_1000_s, 29'970U);
  EXPECT_EQ(catalogue->find("video-store")->mapped.contract.category, ServiceCategory::kNrtVbr);
  EXPECT_EQ(catalogue->find("data-best-effort")->mapped.contract.category, ServiceCategory::kUbr);
  EXPECT_EQ(catalogue->find("voice"), nullptr);
}

TEST(CatalogueTest, NumbersAreTakenToTheSafeSide) {
  const auto catalogue = parse_catalogue(
      "[[service]]\nname = \"x\"\nclass = \"video\"\nframes-per-s = 0.0101\nframe-octets = 10\n"
      "peak-to-mean = 1.0001\nframe-loss = 1.9e-12\ndelay-ms = 0.1239\n",
      "f");
  // 1.9e-12 is read as 1e-12, which would not suffice for one cell a frame
  // if it were not exactly one.
  ASSERT_TRUE(catalogue) << catalogue.error().text;
  const UserService& service = catalogue->find("x")->service;
  EXPECT_EQ(service.frames_per_1000_s, 11U);
  EXPECT_EQ(service.peak_to_mean, 1'001U);
  EXPECT_EQ(service.asked, (UserQos{1, 123}));
}

TEST(CatalogueTest, ADecimalNumberIsNotMissedByItsBinaryForm) {
  for (int digit = 1; digit <= 12; ++digit) {
    const auto catalogue = parse_catalogue(
        fmt::format("[[service]]\nname = \"x\"\nclass = \"voice\"\nframes-per-s = 50.3\n"
                    "frame-octets = 40\nframe-loss = 1e-{}\ndelay-ms = 100.1\n",
                    digit),
        "f");
    ASSERT_TRUE(catalogue) << catalogue.error().text;
    std::uint64_t loss = kLossWhole;
    for (int i = 0; i < digit; ++i) loss /= 10;
    EXPECT_EQ(catalogue->find("x")->service.asked, (UserQos{loss, 100'100}));
    EXPECT_EQ(catalogue->find("x")->service.frames_per_1000_s, 50'300U);
  }
}

struct Wrong {
  std::string from;  // a line of kVoice
  std::string to;
  std::string refusal;
};

// An operator of a running daemon chooses the file (xbindctl tune), which may be anything.
TEST(CatalogueTest, ARefusalQuotesNothingOfAFileThatIsNoCatalogue) {
  for (const auto& [text, refusal] : std::vector<std::pair<std::string, std::string>>{
           {"root:$6$hidden:19000:0:99999:7:::\ndaemon:*:19000\n", "f line 1: not TOML: "},
           {"[[service]]\nhidden = hidden-word\n", "f line 2: not TOML: "},
           {"a = 1\nhidden = \"x\"\nhidden = 2\n", "f line 3: not TOML: "},
           {"hidden = \"secret\"\n", "f line 1: a catalogue has no such key; known is service"},
           {"[hidden]\ntoken = \"secret\"\n", "f line 1: a catalogue has no such key"},
       }) {
    const auto catalogue = parse_catalogue(text, "f");
    ASSERT_FALSE(catalogue) << text;
    EXPECT_THAT(catalogue.error().text, testing::StartsWith(refusal));
    for (const char* const part : {"hidden", "secret", "root", "$6"}) {
      EXPECT_EQ(catalogue.error().text.find(part), std::string::npos) << catalogue.error().text;
    }
  }
}

TEST(CatalogueTest, EveryErrorHasItsLineAndReason) {
  for (const Wrong& wrong : std::vector<Wrong>{
           {"= 50", "=", "f line 4: not TOML: "},
           {"[[service]]", "[service]", "f line 1: service is no table; write [[service]]"},
           {"[[service]]", "[[servize]]", "f line 1: a catalogue has no such key; did you mean"},
           {"name = \"v\"\n", "", "f line 1: a service needs 'name'"},
           {"\"v\"", "7", "f line 2: 'name' of a service is not a string"},
           {"\"v\"", "\"a b\"", "f line 1: 'a b' is no name of a service"},
           {"\"v\"", "\"data\"", "f line 1: 'data' is the word of a class"},
           {"\"voice\"", "\"noise\"", "f line 3: there is no class 'noise'"},
           {"frame-octets", "frame-octet", "f line 5: a voice service has no 'frame-octet'; did"},
           {"frame-octets = 160", "bits-per-s = 1",
            "f line 5: a voice service has no 'bits-per-s'"},
           {"frame-octets = 160\n", "", "f line 1: v needs 'frame-octets'"},
           {"= 160", "= 1.5", "f line 5: 'frame-octets' of v is not a whole number"},
           {"= 160", "= -1", "f line 5: 'frame-octets' of v is -1, not in 1 to 1000000000"},
           {"= 50", "= \"50\"", "f line 4: 'frames-per-s' of v is not a number"},
           {"= 50", "= nan", "f line 4: 'frames-per-s' of v is nan, not in 0.001 to 1e+06"},
           {"= 50", "= inf", "f line 4: 'frames-per-s' of v is inf, not in 0.001 to 1e+06"},
           {"frame-loss = 1e-3\n", "", "f line 1: v needs 'frame-loss'"},
           {"1e-3", "0", "f line 6: 'frame-loss' of v is 0, not in 1e-12 to 1"},
           {"1e-3", "1", "f line 1: v: frame loss 1 is not in 1e-12 to below 1"},
           {"delay-ms = 100\n", "", "f line 1: v needs 'delay-ms'"},
           {"= 160", "= 1000000000", "f line 1: v: the largest frame of 1000000000 octets is"},
       }) {
    std::string text = kVoice;
    text.replace(text.find(wrong.from), wrong.from.size(), wrong.to);
    const auto read = parse_catalogue(text, "f");
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().text.starts_with(wrong.refusal)) << read.error().text;
    EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
  }
  EXPECT_EQ(parse_catalogue("", "f").error().text, "f: the file is empty");
  EXPECT_EQ(parse_catalogue(std::string(kVoice) + kVoice, "f").error().text,
            "f line 8: there is a service 'v' already");
  EXPECT_EQ(read_catalogue_file("/no/such/catalogue").error().code, ErrorCode::kSystem);
}

TEST(CatalogueTest, ItHasBounds) {
  EXPECT_EQ(parse_catalogue(std::string(kCatalogueOctetsMax + 1, '#'), "f").error().text,
            "f is longer than 1048576 octets");
  Catalogue catalogue;
  const UserService service = parse_catalogue(kVoice, "f")->find("v")->service;
  for (std::size_t i = 0; i < kCatalogueServicesMax; ++i) {
    ASSERT_TRUE(catalogue.add(fmt::format("s{}", i), service));
  }
  EXPECT_EQ(catalogue.add("more", service).error().text, "'more' is one service above 1000");
}

TEST(Catalogue, AChangedContentIsSaidAndTheOrderIsNone) {
  const auto read = [](const std::string& text) { return parse_catalogue(text, "x.toml").value(); };
  const std::string one =
      "[[service]]\nname = \"a\"\nclass = \"constant\"\nframe-octets = 100\n"
      "bits-per-s = 1000000\nframe-loss = 1e-6\ndelay-ms = 100\n";
  const std::string other =
      "[[service]]\nname = \"b\"\nclass = \"constant\"\nframe-octets = 100\n"
      "bits-per-s = 1000000\nframe-loss = 1e-6\ndelay-ms = 100\n";
  EXPECT_EQ(catalogue_change(read(one + other), read(other + one)), std::nullopt);
  const auto more = catalogue_change(read(one), read(one + other));
  ASSERT_TRUE(more.has_value());
  EXPECT_EQ(more->before + ", " + more->after, "1 service, 2 services");
  std::string faster = one;
  faster.replace(faster.find("1000000"), 7, "2000000");
  EXPECT_TRUE(catalogue_change(read(one), read(faster)).has_value());
}

}  // namespace
}  // namespace xbind
