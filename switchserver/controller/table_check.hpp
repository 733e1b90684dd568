// The comparison of the switch's table with the ledger in the background, port by port. TableRounds
// (table_rounds.hpp) decides when and what is put back; this class reads the ports, compares and
// puts back. What the switch has lost is put back once; entries that the ledger does not know stay.
//
// One thread; no errors.
#pragma once

#include <vector>

#include "core/clock.hpp"
#include "switchserver/controller/table_rounds.hpp"
#include "switchserver/ledger/ledger_audit.hpp"

namespace xbind::controller {

struct Parts;

class TableCheck {
 public:
  explicit TableCheck(Parts& parts);

  const TableRounds& rounds() const { return rounds_; }
  void on_time(TimePoint now);
  // Compares the port that waits for this answer; false: none does.
  bool take(const driver::Table& table, TimePoint now);
  // The whole table has just been compared.
  void switch_up(TimePoint now);
  void switch_down() { rounds_.switch_down(); }
  // The number of controllers of the switch has changed.
  void others(const driver::Others& others, TimePoint now) {
    rounds_.others(others.controllers, now);
  }

 private:
  void put_back_lost(const CrossConnect& entry);
  void plant_mistakes(const std::vector<CrossConnect>& there, const TableExpectation& expected);

  Parts& parts_;
  TableRounds rounds_;
};

}  // namespace xbind::controller
