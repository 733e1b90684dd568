#include "dataplane/class_queueing.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "cells.hpp"
#include "queues.hpp"

namespace xbind::dataplane {
namespace {

using enum ServiceClass;

constexpr std::array kAll{kCbr, kRtVbr, kNrtVbr, kAbrGfr, kUbr};

// Whether no cell was lost.
bool put(Queueing& queue, ServiceClass service, std::uint32_t number = 0, bool clp = false) {
  const Cell cell = make_cell(0, 100 + static_cast<std::uint32_t>(service), number, 0, clp);
  return !queue.enqueue({cell.header, cell.payload, {}, 0, service}, TimePoint{});
}
ServiceClass class_of(const Cell& cell) { return static_cast<ServiceClass>(cell.vci() - 100); }
// The number of cells of each category among the next `count`, while all offered queues stay full.
std::map<ServiceClass, std::size_t> shares(ClassQueueing& queue, std::size_t count,
                                           std::size_t batch,
                                           const std::vector<ServiceClass>& offered) {
  std::map<ServiceClass, std::size_t> sent;
  for (std::size_t done = 0; done < count; done += batch) {
    for (const ServiceClass service : offered) {
      while (queue.size(service) < 64) put(queue, service);
    }
    for (const Cell& cell : take(queue, batch)) ++sent[class_of(cell)];
  }
  return sent;
}

ClassQueueingOptions weights(std::uint32_t nrt, std::uint32_t abr, std::uint32_t ubr) {
  return {.weights = {1, 1, nrt, abr, ubr}};
}

TEST(ClassQueueing, ACellOfCbrWaitsForNobody) {
  ClassQueueing queue({});
  for (const ServiceClass service : {kUbr, kAbrGfr, kNrtVbr, kRtVbr}) put(queue, service, 1);
  EXPECT_EQ(words(take(queue, 1)), "0/101:1");  // rt-VBR, while CBR has no cells
  put(queue, kRtVbr, 2);
  put(queue, kCbr, 3);
  EXPECT_EQ(words(take(queue, 2)), "0/100:3 0/101:2");
}

TEST(ClassQueueing, WhileRealTimeFillsTheLineNothingElseGoes) {
  ClassQueueing queue({});
  const auto sent = shares(queue, 1000, 10, {kAll.begin(), kAll.end()});
  EXPECT_EQ(sent, (std::map<ServiceClass, std::size_t>{{kCbr, 1000}}));
}

TEST(ClassQueueing, TheOthersShareByTheirWeightsWhateverTheBatch) {
  for (const std::size_t batch : {1U, 3U, 7U, 10U, 64U}) {
    ClassQueueing queue(weights(5, 3, 2));
    const auto sent = shares(queue, 64 * 7 * 10 * 3, batch, {kNrtVbr, kAbrGfr, kUbr});
    const std::size_t total = sent.at(kNrtVbr) + sent.at(kAbrGfr) + sent.at(kUbr);
    // Within one round of the exact share.
    EXPECT_NEAR(static_cast<double>(sent.at(kNrtVbr)), static_cast<double>(total) * 0.5, 10);
    EXPECT_NEAR(static_cast<double>(sent.at(kAbrGfr)), static_cast<double>(total) * 0.3, 10);
    EXPECT_NEAR(static_cast<double>(sent.at(kUbr)), static_cast<double>(total) * 0.2, 10);
  }
}

TEST(ClassQueueing, UbrIsNotStarvedAndStarvesNobody) {
  ClassQueueing queue({});
  const auto sent = shares(queue, 7000, 7, {kNrtVbr, kAbrGfr, kUbr});
  EXPECT_EQ(sent.at(kNrtVbr), 4000U);
  EXPECT_EQ(sent.at(kAbrGfr), 2000U);
  EXPECT_EQ(sent.at(kUbr), 1000U);
}

TEST(ClassQueueing, WhatAClassDoesNotUseGoesToTheOthers) {
  ClassQueueing queue({});
  EXPECT_EQ(shares(queue, 1000, 10, {kUbr}).at(kUbr), 1000U);
  // A class that was served alone is not penalised afterwards, and a
  // silent class saves no share up.
  const auto sent = shares(queue, 700, 7, {kNrtVbr, kAbrGfr, kUbr});
  EXPECT_NEAR(static_cast<double>(sent.at(kNrtVbr)), 400, 7);
  EXPECT_NEAR(static_cast<double>(sent.at(kUbr)), 100, 7 + 1);
}

TEST(ClassQueueing, AClassMayFillTheWholeBuffer) {
  for (const ServiceClass service : kAll) {
    ClassQueueing queue({.cells_max = 4});
    for (int cell = 0; cell < 4; ++cell) EXPECT_TRUE(put(queue, service));
    EXPECT_FALSE(put(queue, service));
    EXPECT_EQ(queue.size(service), 4U);
    EXPECT_EQ(queue.size(), 4U);
    int lost = 0;
    queue.drop_all([&](ConnectionRef) { ++lost; });
    EXPECT_EQ(lost, 4);
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_EQ(take(queue, 9).size(), 0U);
    EXPECT_TRUE(put(queue, service));
  }
}

TEST(ClassQueueing, WhatWasPromisedNothingGivesWayFirst) {
  ClassQueueing queue({.cells_max = 4});
  for (const ServiceClass service : {kUbr, kAbrGfr, kNrtVbr, kUbr}) put(queue, service);
  EXPECT_FALSE(put(queue, kRtVbr));   // the last of UBR's two leaves
  EXPECT_FALSE(put(queue, kNrtVbr));  // the other
  EXPECT_FALSE(put(queue, kUbr));     // refused
  EXPECT_EQ(queue.size(kUbr), 0U);
  EXPECT_FALSE(put(queue, kCbr));  // that of ABR and GFR leaves
  EXPECT_EQ(queue.size(kAbrGfr), 0U);
  EXPECT_EQ(queue.size(kNrtVbr), 2U);
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(words(take(queue, 2)), "0/100:0 0/101:0");
}

TEST(ClassQueueing, AFloodOfUbrTakesNoBufferFromTheOthers) {
  ClassQueueing queue({.cells_max = 100});
  for (int cell = 0; cell < 1000; ++cell) put(queue, kUbr);
  EXPECT_EQ(queue.size(), 100U);
  for (std::uint32_t cell = 0; cell < 100; ++cell) put(queue, cell % 2 == 0 ? kNrtVbr : kCbr, cell);
  EXPECT_EQ(queue.size(kNrtVbr) + queue.size(kCbr), 100U);
}

TEST(ClassQueueing, NothingIsLostAndEachClassKeepsItsOrder) {
  std::mt19937_64 bits(9);
  ClassQueueing queue(weights(3, 2, 1));
  std::map<ServiceClass, std::uint32_t> put_next;
  std::map<ServiceClass, std::uint32_t> got_next;
  for (int step = 0; step < 20'000; ++step) {
    if (bits() % 2 == 0) {
      const ServiceClass service = kAll[bits() % kAll.size()];
      if (put(queue, service, put_next[service])) ++put_next[service];
    } else {
      const std::size_t waiting = queue.size();
      const std::size_t wanted = bits() % 5;
      const auto cells = take(queue, wanted);
      ASSERT_EQ(cells.size(), std::min(wanted, waiting));
      for (const Cell& cell : cells) ASSERT_EQ(number_of(cell), got_next[class_of(cell)]++);
    }
  }
}

}  // namespace
}  // namespace xbind::dataplane
