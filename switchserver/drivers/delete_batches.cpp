#include "switchserver/drivers/delete_batches.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/planted.hpp"

namespace xbind {
namespace {

std::uint64_t label_key(PortId port, Label label, bool output) {
  // 28 bits of label, 31 of port, one for the direction: a switch's GSMP port numbers are small.
  return std::uint64_t{label.value & 0xfff'ffff} | std::uint64_t{port.value()} << 28 |
         std::uint64_t{output} << 63;
}

}  // namespace

void DeleteBatches::add(const CrossConnect& cross_connect, driver::Cookie cookie) {
  gsmp::DeleteElement element;
  element.port_session = ports_.session(cross_connect.input_port);
  element.input_port = cross_connect.input_port;
  element.output_port = cross_connect.output_port;
  element.input_label = gsmp::label_field(cross_connect.input_label);
  element.output_label = gsmp::label_field(cross_connect.output_label);
  waiting_.push_back(element);
  cookies_.push_back(cookie);
  labels_.insert(label_key(cross_connect.input_port, cross_connect.input_label, false));
  labels_.insert(label_key(cross_connect.output_port, cross_connect.output_label, true));
  if (waiting_.size() == link_.session.delete_elements_max()) send();
}

bool DeleteBatches::uses_label_of(const CrossConnect& cross_connect) const {
  if (waiting_.empty()) return false;
  return labels_.contains(label_key(cross_connect.input_port, cross_connect.input_label, false)) ||
         labels_.contains(label_key(cross_connect.output_port, cross_connect.output_label, true));
}

std::uint64_t DeleteBatches::open_group() {
  const std::uint64_t group = next_group_++;
  spare_.clear();
  groups_.emplace(group, std::exchange(cookies_, std::move(spare_)));
  return group;
}

void DeleteBatches::send() {
  if (waiting_.empty()) return;
  const std::uint64_t group = open_group();
  const auto sent = link_.session.delete_branches(waiting_, group, link_.now);
  waiting_.clear();
  labels_.clear();
  if (sent) return;
  // A connection that this version cannot express was never added: its delete succeeds.
  const bool nowhere = sent.error().code == ErrorCode::kVersion;
  end(group, nowhere ? Cause::kNone : cause_of(sent.error()));
}

void DeleteBatches::on_answer(const gsmp::Response& response) {
  const auto group = groups_.find(response.cookie);
  XB_CHECK(group != groups_.end(), response.cookie);
  const auto* const body = body_of<gsmp::DeleteBranches>(response);
  spare_ = std::move(group->second);
  const std::vector<driver::Cookie>& cookies = spare_;
  groups_.erase(group);
  if (response.success || body == nullptr || body->elements.size() != cookies.size()) {
    for (const driver::Cookie cookie : cookies) {
      link_.finish(driver::Done{
          cookie, response.success ? Cause::kNone : Cause::kSwitchRefused,
          response.success ? std::uint8_t{0} : static_cast<std::uint8_t>(response.code)});
    }
    return;
  }
  for (std::size_t i = 0; i < cookies.size(); ++i) {
    const gsmp::DeleteElement& element = body->elements[i];
    const bool gone = element.error == gsmp::FailureCode::kNone ||
                      element.error == gsmp::FailureCode::kNoSuchConnection ||
                      element.error == gsmp::FailureCode::kNoSuchBranch;
    if (gone || planted(Bug::kDeleteErrorIgnored)) {
      link_.finish(driver::Done{cookies[i], Cause::kNone, 0});
    } else {
      ports_.refused({cookies[i], Cause::kSwitchRefused, static_cast<std::uint8_t>(element.error)},
                     element.input_port, element.port_session);
    }
  }
}

void DeleteBatches::end(std::uint64_t group, Cause cause) {
  const auto found = groups_.find(group);
  XB_CHECK(found != groups_.end(), group);
  for (const driver::Cookie cookie : found->second) link_.finish(driver::Done{cookie, cause, 0});
  groups_.erase(found);
}

void DeleteBatches::adjacency_down() {
  const std::uint64_t group = open_group();
  waiting_.clear();
  labels_.clear();
  end(group, Cause::kSwitchUnreachable);
}

}  // namespace xbind
