// The parts of the agent, each alone: open requests, ordered refusals, the table of handlers.
#include <gtest/gtest.h>

#include <set>

#include "switchagent/messages/handlers.hpp"
#include "switchagent/messages/injected_refusals.hpp"
#include "switchagent/messages/open_requests.hpp"
#include "tests/unit/switchagent/asked_table.hpp"

namespace xbind::switchagent::test {
namespace {

using gsmp::FailureCode;
using gsmp::MessageType;
using Progress = OpenRequests::Progress;

wire::Buffer octets(std::size_t count) { return wire::Buffer(count, std::byte{7}); }

// ----- open requests --------------------------------------------------------------------------

TEST(OpenRequests, ARequestThatIsCompleteWhenTheTableReturnsIsNotStored) {
  OpenRequests open(1);
  const std::uint64_t id = open.begin(2, false);
  EXPECT_EQ(open.note({id, 1}, FailureCode::kNoSuchBranch), Progress::kNoted);
  EXPECT_EQ(open.note({id, 0}, FailureCode::kNone), Progress::kNoted);
  const TableOutcome* const outcome = open.finished();
  ASSERT_NE(outcome, nullptr);
  EXPECT_EQ(outcome->code(0), FailureCode::kNone);
  EXPECT_EQ(outcome->code(1), FailureCode::kNoSuchBranch);
  EXPECT_EQ(open.size(), 0U);
}

TEST(OpenRequests, AStoredRequestIsCompleteWithItsLastPart) {
  OpenRequests open(2);
  const std::uint64_t id = open.begin(2, true);
  EXPECT_EQ(open.note({id, 0}, FailureCode::kNone), Progress::kNoted);
  ASSERT_EQ(open.finished(), nullptr);
  open.keep(ControllerId(4), octets(12));
  EXPECT_EQ(open.size(), 1U);
  EXPECT_FALSE(open.full());
  EXPECT_EQ(
      open.note({id, 1}, FailureCode::kNone, ConnectionReading{.branches = 3, .counters = {}}),
      Progress::kComplete);
  OpenRequests::Request taken = open.take(id);
  EXPECT_EQ(taken.from, ControllerId(4));
  EXPECT_EQ(taken.octets, octets(12));
  EXPECT_EQ(taken.outcome.reading<ConnectionReading>(1).branches, 3U);
  EXPECT_EQ(open.size(), 0U);
}

TEST(OpenRequests, NumbersAreNotReusedAndRequestsDoNotMix) {
  OpenRequests open(2);
  const std::uint64_t first = open.begin(1, false);
  ASSERT_EQ(open.finished(), nullptr);
  open.keep(ControllerId(1), octets(1));
  const std::uint64_t second = open.begin(1, false);
  EXPECT_NE(second, first);
  // The stored one completes while the table's function for the other runs.
  EXPECT_EQ(open.note({first, 0}, FailureCode::kNone), Progress::kComplete);
  EXPECT_EQ(open.take(first).octets, octets(1));
  ASSERT_EQ(open.finished(), nullptr);
  open.keep(ControllerId(2), octets(2));
  EXPECT_EQ(open.note({second, 0}, FailureCode::kGeneral), Progress::kComplete);
  EXPECT_EQ(open.take(second).outcome.code(), FailureCode::kGeneral);
}

TEST(OpenRequests, ATicketThatIsNotOpenIsUnknown) {
  OpenRequests open(1);
  EXPECT_EQ(open.note({0, 0}, FailureCode::kNone), Progress::kUnknown);
  EXPECT_EQ(open.note({9, 0}, FailureCode::kNone), Progress::kUnknown);
  const std::uint64_t id = open.begin(1, false);
  EXPECT_EQ(open.note({id, 1}, FailureCode::kNone), Progress::kUnknown);  // no such part
  EXPECT_EQ(open.note({id, 0}, FailureCode::kNone), Progress::kNoted);
  EXPECT_EQ(open.note({id, 0}, FailureCode::kNone), Progress::kUnknown);  // twice
  ASSERT_NE(open.finished(), nullptr);
  EXPECT_EQ(open.note({id, 0}, FailureCode::kNone), Progress::kUnknown);  // afterwards
}

TEST(OpenRequests, AnAbandonedRequestCountsUntilTheTableCompletesIt) {
  OpenRequests open(1);
  const std::uint64_t id = open.begin(1, false);
  ASSERT_EQ(open.finished(), nullptr);
  open.keep(ControllerId(1), octets(100));
  open.abandon(ControllerId(2));
  open.abandon(ControllerId(1));
  EXPECT_TRUE(open.full());
  EXPECT_EQ(open.note({id, 0}, FailureCode::kNone), Progress::kComplete);
  const OpenRequests::Request taken = open.take(id);
  EXPECT_EQ(taken.from, std::nullopt);
  EXPECT_TRUE(taken.octets.empty());
  EXPECT_FALSE(open.full());
}

// ----- ordered refusals -----------------------------------------------------------------------

TEST(InjectedRefusals, AreTakenByTheirTypeOnlyAndRunOut) {
  InjectedRefusals refusals;
  EXPECT_EQ(refusals.take(MessageType::kAddBranch), std::nullopt);
  refusals.set(2, FailureCode::kOutOfResources, MessageType::kDeleteTree);
  EXPECT_EQ(refusals.take(MessageType::kAddBranch), std::nullopt);
  EXPECT_EQ(refusals.take(MessageType::kDeleteTree), FailureCode::kOutOfResources);
  EXPECT_EQ(refusals.take(MessageType::kDeleteTree), FailureCode::kOutOfResources);
  EXPECT_EQ(refusals.take(MessageType::kDeleteTree), std::nullopt);
  refusals.set(1, FailureCode::kGeneral, std::nullopt);
  EXPECT_EQ(refusals.take(MessageType::kPortManagement), FailureCode::kGeneral);
  EXPECT_EQ(refusals.take(MessageType::kPortManagement), std::nullopt);
}

// ----- handlers -------------------------------------------------------------------------------

gsmp::Header header_of(unsigned type, std::uint8_t version) {
  gsmp::Header header;
  header.type = static_cast<MessageType>(type);
  header.version = version;
  return header;
}

// Every message of a version is answered, except the adjacency's and the events.
TEST(HandlerTable, HasARowForEveryRequestOfEachVersion) {
  const std::set<MessageType> no_requests = {
      MessageType::kAdjacency,      MessageType::kPortUp,  MessageType::kPortDown,
      MessageType::kInvalidLabel,   MessageType::kNewPort, MessageType::kDeadPort,
      MessageType::kAdjacencyUpdate};
  for (const std::uint8_t version : {std::uint8_t{1}, std::uint8_t{3}}) {
    for (unsigned type = 0; type < 256; ++type) {
      const gsmp::Header header = header_of(type, version);
      const bool wanted =
          gsmp::exists_in(header.type, version) && !no_requests.contains(header.type);
      EXPECT_EQ(HandlerTable::all().row(header) != nullptr, wanted)
          << gsmp::to_string(header.type) << " in version " << int{version};
    }
  }
}

// A table without reservations and without a region model.
TEST(HandlerTable, FindsNoHandlerForWhatTheTableDoesNotSupport) {
  AskedTable table;
  const HandlerTable& handlers = HandlerTable::all();
  for (const MessageType type : {MessageType::kReservationRequest, MessageType::kDeleteReservation,
                                 MessageType::kGetTrafficClasses}) {
    const gsmp::Header header = header_of(static_cast<unsigned>(type), 3);
    EXPECT_NE(handlers.row(header), nullptr);
    EXPECT_EQ(handlers.find(header, table), nullptr);
  }
  EXPECT_NE(handlers.find(header_of(16, 3), table), nullptr);
}

}  // namespace
}  // namespace xbind::switchagent::test
