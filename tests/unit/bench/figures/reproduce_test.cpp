#include "bench/figures/reproduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/figures/model_source.hpp"

namespace xbind::figures {
namespace {

using testing::HasSubstr;

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("xbind-figures-{}-{}", ::getpid(), name)) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_.string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::map<std::string, std::string> files(const std::string& ending) const {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(ending)) found[name] = text(name);
    }
    return found;
  }

 private:
  std::filesystem::path path_;
};

Reproduction run(const Folder& folder, PointSource* checks) {
  ModelSource source;
  Scale scale;
  scale.calls_at_most = 200;
  Manifest manifest;
  manifest.version = "0";
  manifest.profile = "1999";
  manifest.date = "2001-02-03";
  manifest.constants = constants_of(model::paper_hosts());
  EXPECT_TRUE(prepare_folder(folder.path()));
  const auto all = reproduce(source, checks, scale, manifest, folder.path(), {});
  EXPECT_TRUE(all) << all.error().text;
  return all.value_or(Reproduction{});
}

class Nobody final : public PointSource {
 public:
  std::string name() const override { return "nobody"; }
  Result<Shown> measure(const Point&) override {
    return fail(ErrorCode::kNotFound, "nobody is here");
  }
};

TEST(Reproduce, MakesEveryFigureWithItsFilesAndItsVerdictAndTheSameOnesAgain) {
  const Folder folder("whole");
  Nobody nobody;
  const Reproduction all = run(folder, &nobody);
  EXPECT_TRUE(all.complete());
  const auto json = nlohmann::json::parse(folder.text("figures.json"));
  ASSERT_EQ(json["figures"].size(), recipes().size());
  const std::string page = folder.text("index.html");
  EXPECT_NE(page.find(summary_of(all.made)), std::string::npos);
  EXPECT_EQ(json["summary"], summary_of(all.made));
  for (const auto& figure : json["figures"]) {
    const std::string id = figure["id"];
    EXPECT_TRUE(figure["shape_reproduced"].is_boolean()) << id;
    EXPECT_FALSE(figure["rule"].get<std::string>().empty()) << id;
    EXPECT_FALSE(figure["decided_by"].get<std::string>().empty()) << id;
    EXPECT_FALSE(folder.text(id + ".csv").empty()) << id;
    EXPECT_NE(page.find("id=\"" + id + "\""), std::string::npos) << id;
  }
  for (const Made& made : all.made) {
    for (const Picture& picture : made.figure->pictures) {
      EXPECT_NE(folder.text(picture.name + ".svg").find("<svg"), std::string::npos) << picture.name;
      EXPECT_NE(folder.text(picture.name + ".png").find("PNG"), std::string::npos) << picture.name;
      EXPECT_NE(page.find("href=\"" + picture.name + ".png\""), std::string::npos) << picture.name;
    }
  }
  EXPECT_EQ(nlohmann::json::parse(folder.text("manifest.json"))["date"], "2001-02-03");
  for (const char* outside : {"href=\"http", "src=", "url(http", "<script", "<link"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  // A check that cannot be made states why.
  ASSERT_EQ(all.checks.size(), 4U);
  EXPECT_TRUE(page.find("nobody is here") != std::string::npos);

  // The same seed gives the same numbers and pictures.
  const Folder again("again");
  run(again, nullptr);
  const auto numbers = folder.files(".csv");
  EXPECT_EQ(numbers.size(), recipes().size());
  // Memory is the allocator's count and does not depend on the seed.
  for (const auto& [name, text] : again.files(".csv")) {
    if (name != "memory.csv") {
      EXPECT_EQ(numbers.at(name), text) << name;
    }
  }
  const auto pictures = folder.files(".svg");
  for (const auto& [name, text] : again.files(".svg")) {
    if (name != "memory.svg") {
      EXPECT_EQ(pictures.at(name), text) << name;
    }
  }
}

TEST(PrepareFolder, RefusesWhatCannotBeWritten) {
  const auto refused = prepare_folder("/proc/figures");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("/proc/figures"));
}

TEST(FiguresPage, AFigureThatCouldNotBeMadeIsReported) {
  Manifest manifest;
  manifest.profile = "native";
  manifest.unchecked = "no lab here";
  const std::vector<Made> made{{"fig6", {}, "no <lab>"}};
  const auto page = figures_page(manifest, made, {});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("could not be made: no &lt;lab&gt;"));
  EXPECT_THAT(*page, HasSubstr("Not checked: no lab here"));
  EXPECT_EQ(nlohmann::json::parse(figures_json(manifest, made, {}))["figures"][0]["error"],
            "no <lab>");
}

}  // namespace
}  // namespace xbind::figures
