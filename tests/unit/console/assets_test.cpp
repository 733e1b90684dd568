#include "console/assets.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

namespace xbind::console {
namespace {

using testing::HasSubstr;
using testing::Not;

const Asset* asset_at(std::string_view path) {
  const auto found = std::ranges::find(assets(), path, &Asset::path);
  return found == assets().end() ? nullptr : &*found;
}

TEST(Assets, HaveThePageAndWhatItLoads) {
  ASSERT_NE(asset_at("/"), nullptr);
  EXPECT_EQ(asset_at("/")->type, "text/html; charset=utf-8");
  const std::regex loaded(R"re((?:src|href)="(/[^"]*)"|from '\.(/[^']*)')re");
  for (const Asset& asset : assets()) {
    const std::string text{asset.text};
    for (std::sregex_iterator at(text.begin(), text.end(), loaded), end; at != end; ++at) {
      const std::string path = (*at)[1].matched ? (*at)[1].str() : (*at)[2].str();
      if (path.starts_with("/api/")) continue;
      EXPECT_NE(asset_at(path), nullptr) << asset.path << " loads " << path;
    }
  }
}

TEST(Assets, AskNoOtherHost) {
  for (const Asset& asset : assets()) {
    if (asset.type == "application/json") continue;
    std::string text{asset.text};
    // The name space of SVG is a name, not an address.
    text = std::regex_replace(text, std::regex("http://www\\.w3\\.org/2000/svg"), "");
    EXPECT_THAT(text, Not(HasSubstr("http://"))) << asset.path;
    EXPECT_THAT(text, Not(HasSubstr("https://"))) << asset.path;
    EXPECT_THAT(text, Not(HasSubstr("innerHTML"))) << asset.path;
  }
}

TEST(Assets, HaveTheDescriptionAndItsSchemas) {
  for (const Asset& asset : assets()) {
    if (asset.type != "application/json") continue;
    const auto json = nlohmann::json::parse(asset.text, nullptr, false);
    EXPECT_TRUE(json.is_object()) << asset.path;
  }
  ASSERT_NE(asset_at("/openapi.json"), nullptr);
  ASSERT_NE(asset_at("/schemas/common.json"), nullptr);
}

TEST(Etag, DiffersWithTheText) {
  EXPECT_EQ(etag_of("a"), "\"af63dc4c8601ec8c\"") << "FNV-1a of 64 bits";
  EXPECT_NE(etag_of("a"), etag_of("b"));
  EXPECT_TRUE(etag_of("").starts_with('"'));
}

}  // namespace
}  // namespace xbind::console
