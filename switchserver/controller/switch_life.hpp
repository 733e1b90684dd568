// The life of the switch as the controller sees it (switch_link.hpp draws its states): it comes,
// its ports change, its table is read, it goes.
//
// When the switch comes up, the controller restores it from the ledger (table_match.hpp). When
// ports begin a new session while the switch stays up, the controller adds the cross-connects of
// their input again. When it goes, everything that waits for an answer is refused.
//
// One thread; no errors.
#pragma once

#include <vector>

#include "core/clock.hpp"
#include "switchserver/drivers/switch_driver.hpp"

namespace xbind::controller {

struct Parts;

class SwitchLife {
 public:
  explicit SwitchLife(Parts& parts) : parts_(parts) {}

  void on_event(const driver::Event& event, TimePoint now);

  // When the table is to be read again after a failure, or kNever.
  TimePoint wake_at() const { return reread_at_; }
  void reread_if_due(TimePoint now) {
    if (now >= reread_at_) read_table();
  }

 private:
  void on_up(const driver::Up& up);
  void on_ports(const driver::Ports& ports);
  void on_down();
  void on_done(const driver::Done& done);
  void on_table(const driver::Table& table, TimePoint now);
  void match(const std::vector<CrossConnect>& table);
  void set_ports(const std::vector<SwitchPort>& ports);
  void read_table();

  Parts& parts_;
  driver::Cookie own_table_ = 0;  // of the table read that leads to kUp; 0: none
  TimePoint reread_at_ = kNever;
};

}  // namespace xbind::controller
