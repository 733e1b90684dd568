#include "xbindctl/document.hpp"

#include <fmt/format.h>

#include "core/frame_traffic.hpp"
#include "core/name.hpp"
#include "core/output.hpp"
#include "orb/convert.hpp"
#include "xbindctl/answers.hpp"

namespace xbind::ctl {
namespace {

constexpr std::size_t kTextOctetsMax = 4'096;

}  // namespace

Json text(std::string_view of_peer) { return printable(of_peer, kTextOctetsMax); }

Json digits(std::uint64_t value) { return fmt::format("{}", value); }

Json json_of(Label label) { return label.present() ? Json(to_string(label)) : Json(nullptr); }

Json json_of(const v2::LabelValue& label) {
  const auto core = orb::to_core(label);
  return core ? json_of(*core) : Json("?");
}

Json json_of(const v2::Demand& demand) {
  return {{"cells_per_s", demand.cells_per_s}, {"buffer_cells", demand.buffer_cells}};
}

Json json_of(const Debt& owed) {
  return {{"removals", owed.removals}, {"element", text(owed.element)}};
}

namespace {

// "vlan 5": the frames that the label at an end of leg 0 stands for; null: cells.
Json frames_at(const v2::HopStateSeq& hops, bool first) {
  CORBA::ULong ends = 0;
  while (ends < hops.length() && hops[ends].leg == 0) ++ends;
  if (ends == 0) return nullptr;
  const auto label = orb::to_core(first ? hops[0].input_label : hops[ends - 1].output_label);
  const auto frames = label ? FrameTraffic::of(*label) : std::nullopt;
  return frames ? Json(frames->text()) : Json(nullptr);
}

}  // namespace

Json json_of(const v2::ConnectionState& state) {
  Json leaves = Json::array();
  for (CORBA::ULong i = 0; i < state.leaves.length(); ++i) {
    leaves.push_back(text(state.leaves[i].in()));
  }
  Json hops = Json::array();
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) {
    const v2::HopState& hop = state.hops[i];
    hops.push_back({{"leg", hop.leg},
                    {"number", hop.number},
                    {"switch", text(hop.switch_name.in())},
                    {"input_port", hop.input_port},
                    {"input_label", json_of(hop.input_label)},
                    {"output_port", hop.output_port},
                    {"output_label", json_of(hop.output_label)}});
  }
  return {{"id", digits(state.connection)},
          {"state", words_of_phase(state.phase)},
          {"generation", state.generation},
          {"client", text(state.client.in())},
          {"request", digits(state.request)},
          {"from", text(state.from_end.in())},
          {"to", text(state.to_end.in())},
          {"takes", json_of(state.resources)},
          {"reverse", json_of(state.reverse_resources)},
          {"leaves", std::move(leaves)},
          {"up_since_s", state.up_since_s},
          {"changed_s", state.changed_s},
          {"reroutes", state.reroutes},
          {"condition", condition_word(state.condition)},
          {"element", text(state.element.in())},
          {"missing", text(state.missing.in())},
          {"from_frames", frames_at(state.hops, true)},
          {"to_frames", frames_at(state.hops, false)},
          {"hops", std::move(hops)}};
}

Json json_row_of(const v2::ConnectionState& state) {
  std::uint64_t hops = 0;
  for (CORBA::ULong i = 0; i < state.hops.length(); ++i) hops += state.hops[i].leg == 0 ? 1 : 0;
  return {{"id", digits(state.connection)},
          {"state", words_of_phase(state.phase)},
          {"client", text(state.client.in())},
          {"from", text(state.from_end.in())},
          {"to", text(state.to_end.in())},
          {"cells_per_s", state.resources.cells_per_s},
          {"reverse_cells_per_s", state.reverse_resources.cells_per_s},
          {"hops", hops},
          {"leaves", state.leaves.length()},
          {"condition", condition_word(state.condition)}};
}

Json json_of(const Failure& failure) {
  Json error{{"name", failure.name},
             {"text", text(failure.text)},
             {"peer", text(failure.peer)},
             {"address", failure.address},
             {"advice", failure.advice}};
  if (failure.refusal) {
    const Outcome& refused = *failure.refusal;
    error["refusal"] = {{"outcome", std::string{to_string(refused.kind)}},
                        {"element", text(refused.element)},
                        {"asked", refused.asked},
                        {"free", refused.free},
                        {"reason", text(refused.reason)},
                        {"retry_after_ms", refused.retry_after_ms},
                        {"owed", json_of(refused.owed)}};
  }
  return {{"error", std::move(error)}};
}

void print_document(const Json& document, bool indented) {
  // printable() has made every text UTF-8; `replace` covers what a later change might forget.
  const std::string text =
      document.dump(indented ? 2 : -1, ' ', false, Json::error_handler_t::replace);
  print_output(text + '\n');
}

int print_document(const DocumentOrFailure& answer, bool indented) {
  print_document(answer ? answer->body : json_of(answer.error()), indented);
  // As the text form: what was done stands, and its id must not be lost with the output.
  if (answer && answer->body.contains("outcome") && output_fault()) {
    explain(answer->body.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return answer ? answer->exit_code : 1;
}

}  // namespace xbind::ctl
