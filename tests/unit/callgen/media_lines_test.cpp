#include "callgen/media/media_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "callgen/media/media_cells.hpp"
#include "dataplane/erf.hpp"
#include "dataplane/links/link_set.hpp"

namespace xbind::callgen {
namespace {

using dataplane::Cell;
using testing::HasSubstr;

// Two UDP ports that were free at the time of the call.
std::pair<std::uint16_t, std::uint16_t> two_ports() {
  using dataplane::LinkPlace;
  const auto line = dataplane::parse_link_spec("plain:127.0.0.1:0/127.0.0.1:9").value();
  const std::vector<LinkPlace> places{{"a", PortId{1}, line}, {"b", PortId{1}, line}};
  auto set = dataplane::LinkSet::open(places).value();
  return {set.local_port("a", PortId{1}), set.local_port("b", PortId{1})};
}

// Two hosts joined by a line, without a network. Another process may take a port in the meantime,
// so there are several attempts.
std::unique_ptr<MediaLines> joined_hosts(const std::string& capture) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto [a, b] = two_ports();
    const auto hosts = dataplane::parse_named_links(fmt::format(
        "a=mpls:127.0.0.1:{0}/127.0.0.1:{1}/1000,b=mpls:127.0.0.1:{1}/127.0.0.1:{0}/1000", a, b));
    auto lines = MediaLines::open(*hosts, capture);
    if (lines) return std::move(*lines);
  }
  return nullptr;
}

struct ArrivedCells {
  void take(const std::string& endpoint, const std::vector<Cell>& cells) {
    const std::lock_guard lock(mutex);
    auto& all = at[endpoint];
    all.insert(all.end(), cells.begin(), cells.end());
    more.notify_all();
  }
  bool wait(const std::string& endpoint, std::size_t count) {
    std::unique_lock lock(mutex);
    return more.wait_for(lock, std::chrono::seconds{30},
                         [&] { return at[endpoint].size() >= count; });
  }
  std::mutex mutex;
  std::condition_variable more;
  std::map<std::string, std::vector<Cell>> at;
};

TEST(MediaLines, CarryCellsBothWaysAndCaptureThem) {
  const std::string file = testing::TempDir() + "media_lines_test.erf";
  ArrivedCells arrivals;
  const auto lines = joined_hosts(file);
  ASSERT_NE(lines, nullptr);
  ASSERT_EQ(lines->endpoints().size(), 2U);
  EXPECT_EQ(lines->endpoints()[1].name, "b");
  EXPECT_EQ(lines->endpoints()[1].labels, LabelKind::kAtm);
  lines->start([&](const std::string& endpoint, const std::vector<Cell>& cells, TimePoint) {
    arrivals.take(endpoint, cells);
  });
  const auto there = marked_cells({1, 2, 0, 0, false}, atm_label(0, 40));
  const auto back = marked_cells({1, 2, 0, 1, true}, atm_label(1, 41));
  lines->send("a", there);
  ASSERT_TRUE(arrivals.wait("b", there.size()));
  lines->send("b", back);
  ASSERT_TRUE(arrivals.wait("a", back.size()));
  lines->send("nowhere", back);
  ASSERT_TRUE(lines->stop().has_value());
  EXPECT_EQ(arrivals.at["b"], there);
  EXPECT_EQ(arrivals.at["a"], back);
  EXPECT_EQ(lines->cells_not_sent(), back.size());

  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(file);
  const auto records = dataplane::read_erf(std::as_bytes(std::span(text)));
  ASSERT_TRUE(records.has_value()) << records.error().text;
  std::map<std::pair<int, dataplane::ErfType>, std::size_t> counts;
  for (const auto& record : *records) ++counts[{record.interface, record.type}];
  const std::size_t cells = there.size() + back.size();
  const std::size_t frames = kCheckCells - kLongFrameCells + 1 + kProbeCells;
  for (const int direction : {0, 1}) {
    EXPECT_EQ((counts[{direction, dataplane::ErfType::kCell}]), cells);
    EXPECT_EQ((counts[{direction, dataplane::ErfType::kAal5}]), frames);
  }
}

TEST(MediaLines, WhatCannotBeOpenedIsNamed) {
  const auto hosts = dataplane::parse_named_links("a=plain:127.0.0.1:0/127.0.0.1:9");
  const auto lines = MediaLines::open(*hosts, "/nowhere/x.erf");
  ASSERT_FALSE(lines.has_value());
  EXPECT_THAT(lines.error().text, HasSubstr("/nowhere/x.erf"));
  const auto far = dataplane::parse_named_links("a=plain:192.0.2.1:0/192.0.2.2:9");
  const auto none = MediaLines::open(*far, "");  // an address of another host
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::kSystem);
}

TEST(MediaLines, EndWithoutHavingBegun) {
  const auto hosts = dataplane::parse_named_links("a=plain:127.0.0.1:0/127.0.0.1:9");
  const auto lines = MediaLines::open(*hosts, "");
  ASSERT_TRUE(lines.has_value()) << lines.error().text;
  EXPECT_TRUE((*lines)->stop().has_value());
}

}  // namespace
}  // namespace xbind::callgen
