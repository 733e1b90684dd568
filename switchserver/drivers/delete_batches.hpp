// Deletes, gathered into messages: the waiting ones, and the groups of cookies whose message has
// been sent. Every delete is answered once, by driver::Done.
//
// A request that uses a label of a waiting delete must send the deletes first: uses_label_of().
// A delete of a missing branch succeeds, because a repeated delete did its work the first time.
//
// Bounded: the waiting deletes by the session's delete_elements_max(), the groups by its window.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/path.hpp"
#include "gsmp/messages/delete_branches.hpp"
#include "switchserver/drivers/gsmp_link.hpp"
#include "switchserver/drivers/label_set.hpp"
#include "switchserver/drivers/switch_ports.hpp"

namespace xbind {

class DeleteBatches {
 public:
  // Both must outlive this object.
  DeleteBatches(GsmpLink& link, SwitchPorts& ports) : link_(link), ports_(ports) {}

  // Sends the message when it is full.
  void add(const CrossConnect& cross_connect, driver::Cookie cookie);
  // Whether a waiting delete frees the input or output label of this cross-connect.
  bool uses_label_of(const CrossConnect& cross_connect) const;
  // Sends the waiting deletes.
  void send();
  void on_answer(const gsmp::Response& response);
  // No answer comes for this group.
  void end(std::uint64_t group, Cause cause);
  // Ends the deletes that were never sent.
  void adjacency_down();

 private:
  // Opens a group for all waiting deletes and moves their cookies there. Returns its number.
  std::uint64_t open_group();

  GsmpLink& link_;
  SwitchPorts& ports_;
  std::vector<gsmp::DeleteElement> waiting_;
  std::vector<driver::Cookie> cookies_;  // of waiting_
  LabelSet labels_;                      // input and output labels of waiting_
  std::uint64_t next_group_ = 1;
  std::unordered_map<std::uint64_t, std::vector<driver::Cookie>> groups_;
  std::vector<driver::Cookie> spare_;  // reused, for its memory
};

}  // namespace xbind
