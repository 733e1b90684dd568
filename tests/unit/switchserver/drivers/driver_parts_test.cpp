// The parts of the GSMP driver, each alone.
#include <gmock/gmock.h>

#include <variant>
#include <vector>

#include "switchserver/drivers/added_entries.hpp"
#include "switchserver/drivers/delete_batches.hpp"
#include "switchserver/drivers/port_queries.hpp"
#include "switchserver/drivers/port_table.hpp"
#include "switchserver/drivers/switch_ports.hpp"
#include "switchserver/drivers/table_reads.hpp"

namespace xbind {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CrossConnect from_1_to_2(std::uint32_t input_vci, std::uint32_t output_vci) {
  return {PortId(1), atm_label(0, input_vci), PortId(2), atm_label(0, output_vci)};
}

// ----- entries of a switch that cannot list its table -----------------------------------------

struct AddedEntriesTest : ::testing::Test {
  std::vector<CrossConnect> seen(std::uint32_t vci, bool active) {
    std::vector<CrossConnect> entries;
    added.seen(PortId(1), atm_label(0, vci), active, entries);
    return entries;
  }
  void add(const CrossConnect& entry, driver::Cookie cookie) {
    added.open(cookie, {}, entry);
    added.done({.cookie = cookie});
  }
  AddedEntries added;
};

TEST_F(AddedEntriesTest, an_entry_is_known_once_its_add_is_done) {
  added.adjacency_up(true);
  added.open(7, {}, from_1_to_2(40, 50));
  EXPECT_FALSE(added.nothing_open());
  const CrossConnect without_output{PortId(1), atm_label(0, 40), {}, {}};
  EXPECT_THAT(seen(40, true), ElementsAre(without_output));
  added.done({.cookie = 7});
  EXPECT_TRUE(added.nothing_open());
  EXPECT_THAT(seen(40, true), ElementsAre(from_1_to_2(40, 50)));
  EXPECT_THAT(seen(40, false), IsEmpty());
}

TEST_F(AddedEntriesTest, a_refused_add_adds_nothing) {
  added.open(7, {}, from_1_to_2(40, 50));
  added.done({.cookie = 7, .cause = Cause::kSwitchRefused});
  const CrossConnect without_output{PortId(1), atm_label(0, 40), {}, {}};
  EXPECT_THAT(seen(40, true), ElementsAre(without_output));
}

TEST_F(AddedEntriesTest, both_places_are_listed_after_a_move_without_an_answer) {
  add(from_1_to_2(40, 50), 1);
  added.open(2, from_1_to_2(40, 50), from_1_to_2(40, 60));
  added.done({.cookie = 2, .cause = Cause::kTimeout});
  EXPECT_THAT(seen(40, true), ElementsAre(from_1_to_2(40, 50), from_1_to_2(40, 60)));
}

TEST_F(AddedEntriesTest, an_entry_that_a_restart_has_lost_is_forgotten) {
  added.adjacency_up(true);
  add(from_1_to_2(40, 50), 1);
  EXPECT_THAT(seen(40, false), IsEmpty());  // no cell yet, or gone: it stays
  EXPECT_THAT(seen(40, true), ElementsAre(from_1_to_2(40, 50)));
  added.adjacency_up(true);
  EXPECT_THAT(seen(40, false), IsEmpty());
  const CrossConnect without_output{PortId(1), atm_label(0, 40), {}, {}};
  EXPECT_THAT(seen(40, true), ElementsAre(without_output));
}

// ----- ports ----------------------------------------------------------------------------------

gsmp::PortRecord record_of(std::uint32_t port, std::uint32_t session) {
  gsmp::PortRecord record;
  record.port = PortId(port);
  record.port_session = session;
  record.label_ranges = {
      {gsmp::label_field(atm_label(0, 32)), gsmp::label_field(atm_label(0, 1023))}};
  record.transmit_cells_per_s = 353207;
  record.port_status = gsmp::PortStatus::kAvailable;
  record.line_status = gsmp::LineStatus::kUp;
  return record;
}

TEST(PortTable, reports_a_change_once) {
  PortTable ports;
  EXPECT_EQ(ports.know(record_of(1, 10)), std::nullopt);
  EXPECT_EQ(ports.know(record_of(2, 20)), std::nullopt);
  EXPECT_THAT(ports.report_all(), SizeIs(2));
  EXPECT_EQ(ports.report_changes(), std::nullopt);

  EXPECT_EQ(ports.know(record_of(1, 11)), 10U);
  const auto renewed = ports.report_changes();
  ASSERT_TRUE(renewed);
  EXPECT_THAT(renewed->renewed, ElementsAre(PortId(1)));
  EXPECT_THAT(renewed->ports, SizeIs(2));
  EXPECT_EQ(ports.report_changes(), std::nullopt);

  ports.forget(PortId(2));
  const auto fewer = ports.report_changes();
  ASSERT_TRUE(fewer);
  EXPECT_THAT(fewer->renewed, IsEmpty());
  EXPECT_THAT(fewer->ports, SizeIs(1));
}

TEST(PortTable, a_port_without_labels_is_known_but_not_reported) {
  PortTable ports;
  gsmp::PortRecord record = record_of(1, 10);
  record.label_ranges.clear();
  ports.know(record);
  EXPECT_THAT(ports.report_all(), IsEmpty());
  EXPECT_EQ(ports.session(PortId(1)), 10U);
  EXPECT_EQ(ports.session(PortId(9)), 0U);  // unknown
  EXPECT_EQ(ports.find(PortId(9)), nullptr);
}

// ----- requests without an adjacency ----------------------------------------------------------

struct DriverPartsTest : ::testing::Test {
  static gsmp::SessionOptions options() {
    gsmp::SessionOptions options;
    options.adjacency.name = 0x0a0b0c0d0e0f;
    return options;
  }
  template <class T>
  std::vector<T> taken() {
    std::vector<T> found;
    for (const driver::Event& event : std::exchange(link.events, {}))
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    return found;
  }
  GsmpLink link{options(), [] { return 0x0a1b2cU; }};
  SwitchPorts ports{link};
};

TEST_F(DriverPartsTest, a_query_waits_for_room_and_not_for_time) {
  PortTable table;
  PortQueries queries(link, table);
  EXPECT_TRUE(queries.send());
  queries.read(PortId(1));
  EXPECT_FALSE(queries.send());
  EXPECT_EQ(queries.next_deadline(), kNever);
  EXPECT_FALSE(queries.was_read(PortId(1)));
  queries.clear();
  EXPECT_TRUE(queries.send());
}

TEST_F(DriverPartsTest, every_delete_is_answered_once) {
  DeleteBatches deletes(link, ports);
  deletes.add(from_1_to_2(40, 50), 1);
  deletes.add(from_1_to_2(41, 51), 2);
  EXPECT_TRUE(deletes.uses_label_of(from_1_to_2(40, 99)));
  EXPECT_TRUE(deletes.uses_label_of(from_1_to_2(99, 51)));
  EXPECT_FALSE(deletes.uses_label_of(from_1_to_2(99, 99)));
  EXPECT_THAT(taken<driver::Done>(), IsEmpty());
  deletes.send();  // the session refuses it
  EXPECT_FALSE(deletes.uses_label_of(from_1_to_2(40, 50)));
  EXPECT_THAT(taken<driver::Done>(), SizeIs(2));
  deletes.add(from_1_to_2(42, 52), 3);
  deletes.adjacency_down();
  const auto ended = taken<driver::Done>();
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].cookie, 3U);
  EXPECT_EQ(ended[0].cause, Cause::kSwitchUnreachable);
  deletes.send();
  EXPECT_THAT(taken<driver::Done>(), IsEmpty());
}

TEST_F(DriverPartsTest, a_refusal_for_an_old_session_waits_for_the_port) {
  const driver::Done refused{
      .cookie = 5,
      .cause = Cause::kSwitchRefused,
      .failure_code = static_cast<std::uint8_t>(gsmp::FailureCode::kInvalidPortSession)};
  ports.refused(refused, PortId(1), 77);  // the port has session 0 now: worth a repetition
  const auto at_once = taken<driver::Done>();
  ASSERT_THAT(at_once, SizeIs(1));
  EXPECT_TRUE(at_once[0].again);
  ports.refused(refused, PortId(1), 0);
  EXPECT_THAT(taken<driver::Done>(), IsEmpty());
  ports.adjacency_down();
  const auto lost = taken<driver::Done>();
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost[0].cause, Cause::kSwitchUnreachable);
  EXPECT_EQ(link.counters.old_port_session, 2U);
}

TEST_F(DriverPartsTest, a_table_read_without_ports_fails) {
  TableReads reads(link, ports.table());
  reads.read_table(9);
  reads.end(1, Cause::kNone);  // it has ended already
  const auto tables = taken<driver::Table>();
  ASSERT_THAT(tables, SizeIs(1));
  EXPECT_EQ(tables[0].cookie, 9U);
  EXPECT_EQ(tables[0].cause, Cause::kSwitchUnreachable);
}

}  // namespace
}  // namespace xbind
