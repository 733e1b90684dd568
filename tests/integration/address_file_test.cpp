// The file of addresses that xbindctl keeps: what is written is read again, what is damaged does no
// harm, and its number and size are bounded. The name service is away: nothing listens there.
#include "xbindctl/address_file.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>

#include "xbindctl_test.hpp"

namespace xbind::ctl {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kService = "127.0.0.1:1";  // nobody listens there

class AddressFileTest : public ::testing::Test {
 protected:
  AddressFileTest() {
    std::string made = testing::TempDir() + "address_file.XXXXXX";
    EXPECT_NE(::mkdtemp(made.data()), nullptr);
    cache = made;
  }
  ~AddressFileTest() override { fs::remove_all(cache); }

  // The names as a new process of xbindctl has them.
  static orb::NameClient client(const std::string& service = kService) {
    orb::NameClient names(OrbEnvironment::runtime->orb(), service);
    names.keep(std::make_shared<orb::KnownNames>());
    return names;
  }
  // Keeps a name that a name service has just given.
  void store(const std::string& path, const std::string& reference = "IOR:00",
             const std::string& service = kService, std::chrono::seconds fresh = 1h) const {
    orb::NameClient names = client(service);
    const AddressFile file(cache, service);
    file.load(names);
    names.known()->found(path, reference);
    names.known()->answered();
    file.store(names, fresh);
  }
  std::vector<std::string> loaded(const std::string& service = kService) const {
    orb::NameClient names = client(service);
    AddressFile(cache, service).load(names);
    return names.known()->below("");
  }
  fs::path directory() const { return cache / "openxbind" / "names"; }
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& one : fs::directory_iterator(directory(), error)) {
      found.push_back(one.path().filename());
    }
    std::ranges::sort(found);
    return found;
  }
  std::string content() const {
    std::ifstream file(directory() / kService, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path cache;
};

TEST_F(AddressFileTest, WhatIsStoredIsLoadedByTheNextProcess) {
  EXPECT_THAT(loaded(), IsEmpty());
  store("xbind/cmgr/default");
  store("xbind/keeper/keeper", "IOR:01");
  EXPECT_THAT(files(), ElementsAre(kService));
  EXPECT_EQ(content(), "xbind/cmgr/default\tIOR:00\nxbind/keeper/keeper\tIOR:01\n");
  EXPECT_THAT(loaded(), ElementsAre("xbind/cmgr/default", "xbind/keeper/keeper"));
}

TEST_F(AddressFileTest, WhatItWritesItCanRead) {
  orb::NameClient names = client();
  const std::string reference = "IOR:" + std::string(orb::KnownNames::kReferenceOctetsMax - 4, '0');
  for (std::size_t i = 0; i < orb::KnownNames::kNamesMax; ++i) {
    names.known()->found("xbind/cmgr/" + std::to_string(i), reference);
  }
  const auto kept = names.known()->below("");
  names.known()->answered();
  AddressFile(cache, kService).store(names, 1h);
  EXPECT_LE(content().size(), AddressFile::kOctetsMax);
  EXPECT_FALSE(kept.empty());
  EXPECT_EQ(loaded(), kept);
}

TEST_F(AddressFileTest, ANameServiceThatDidNotAnswerChangesNothing) {
  store("xbind/cmgr/default");
  orb::NameClient names = client();
  names.known()->found("xbind/cmgr/other", "IOR:00");
  names.known()->away({ErrorCode::kTimeout, "no answer"}, {});
  AddressFile(cache, kService).store(names, 0s);
  EXPECT_THAT(loaded(), ElementsAre("xbind/cmgr/default"));
}

TEST_F(AddressFileTest, AnUnchangedFileIsWrittenAgainOnlyWhenItIsOld) {
  store("xbind/cmgr/default");
  const auto then = fs::file_time_type::clock::now() - 2h;
  fs::last_write_time(directory() / kService, then);
  const auto written = fs::last_write_time(directory() / kService);
  store("xbind/cmgr/default", "IOR:00", kService, 3h);
  EXPECT_EQ(fs::last_write_time(directory() / kService), written);
  store("xbind/cmgr/default", "IOR:00", kService, 1h);
  EXPECT_GT(fs::last_write_time(directory() / kService), written);
}

TEST_F(AddressFileTest, AFileThatIsDamagedOrTooLongIsNoHarm) {
  fs::create_directories(directory());
  std::ofstream(directory() / kService) << "no tab\nxbind/cmgr/a\tIOR:00\nxbind/cmgr/b\tIO";
  EXPECT_THAT(loaded(), ElementsAre("xbind/cmgr/a"));
  std::ofstream(directory() / kService) << std::string(AddressFile::kOctetsMax + 1, 'x');
  EXPECT_THAT(loaded(), IsEmpty());
  store("xbind/cmgr/default");
  EXPECT_THAT(loaded(), ElementsAre("xbind/cmgr/default"));
}

TEST_F(AddressFileTest, TheOldestOfManyNameServicesAreForgotten) {
  fs::create_directories(directory());
  for (std::size_t i = 0; i < AddressFile::kFilesMax + 5; ++i) {
    const fs::path file = directory() / ("old:" + std::to_string(1'000 + i));
    std::ofstream(file) << "";
    fs::last_write_time(file, fs::file_time_type::clock::now() - 1h * (200 - i));
  }
  store("xbind/cmgr/default");
  const auto left = files();
  EXPECT_THAT(left, SizeIs(AddressFile::kFilesMax));
  EXPECT_EQ(left.front(), kService);
  EXPECT_EQ(left[1], "old:1006");
}

TEST_F(AddressFileTest, AServiceNamesNoFileElsewhere) {
  store("xbind/cmgr/default", "IOR:00", "../../x:1 (from omniORB's configuration)");
  EXPECT_THAT(files(), ElementsAre(".._.._x:1"));
  EXPECT_THAT(loaded("../../x:1"), ElementsAre("xbind/cmgr/default"));
}

TEST_F(AddressFileTest, WithoutADirectoryNothingIsKept) {
  const AddressFile none({}, kService);
  orb::NameClient names = client();
  names.known()->found("xbind/cmgr/default", "IOR:00");
  names.known()->answered();
  none.store(names, 1h);
  none.load(names);
  EXPECT_THAT(files(), IsEmpty());
  std::ofstream(cache / "file") << "";
  AddressFile(cache / "file", kService).store(names, 1h);
  EXPECT_TRUE(fs::is_regular_file(cache / "file"));
}

TEST(CacheDirectory, ComesFromAbsolutePathsOnly) {
  const auto found = [](const char* xdg, const char* home) {
    ::setenv("XDG_CACHE_HOME", xdg, 1);
    ::setenv("HOME", home, 1);
    return cache_directory();
  };
  const std::string home = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
  EXPECT_EQ(found("/c", "/h"), "/c");
  EXPECT_EQ(found("c", "/h"), "/h/.cache");
  EXPECT_EQ(found("", "h"), "");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace xbind::ctl
