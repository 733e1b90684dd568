// Short texts from outside under libFuzzer: requests to the console, orders to a run, and values
// of options that are small languages. The first octet chooses.
//
// What is accepted is in its bounds; a refusal is a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/search/objective.hpp"
#include "callgen/run/run_command.hpp"
#include "cmgr/parts/aggregation.hpp"
#include "console/query.hpp"
#include "core/config/host_port.hpp"
#include "core/frame_traffic.hpp"
#include "core/label_text.hpp"
#include "dataplane/links/link_spec.hpp"
#include "net/udp_address.hpp"
#include "tests/fuzz/property.hpp"

namespace {

using namespace xbind;
using namespace xbind::fuzz;

void console_target(std::string_view text) {
  const auto target = console::parse_target(text);
  if (!target) {
    require(target.error().name == "bad-target", "a target's refusal has another name");
    require(target.error().status >= 400 && target.error().status < 500, "a refusal's status");
    require_sentence(target.error().detail, 4 * kSentenceOctetsMax);
    require(printable(console::json_of(target.error()), std::size_t{64} << 10) ==
                console::json_of(target.error()),
            "a problem is not printable");
    return;
  }
  require(target->parameters.size() <= console::kParametersMax, "too many parameters");
  console::Parameters parameters(target->parameters);
  const std::uint64_t limit = parameters.number("limit", 7, 1'000);
  require(limit <= 1'000, "a number is above its bound");
  parameters.flag("all");
  require(parameters.choice("state", {"up", "down"}) < 2, "a choice that was not offered");
  if (const auto problem = parameters.problem()) {
    require_sentence(problem->detail, 4 * kSentenceOctetsMax);
  }
}

void run_order(std::string_view text) {
  constexpr double kStep = 10;
  const auto order = callgen::parse_command(text, kStep);
  if (!order) return require_sentence(order.error().text);
  require(std::isfinite(order->value), "an order's rate is no number");
  if (order->what == callgen::RunCommand::What::kRate) {
    require(order->value >= 0, "an order's rate is below zero");
  }
}

// Values of options: read, written and read back, where they can be written.
template <class Read>
auto accepted(Read&& read, std::string_view text) {
  auto value = read(text);
  if (!value) require_sentence(value.error().text);
  return value;
}
template <class Read>
void read_back(Read&& read, std::string_view text) {
  const auto value = accepted(read, text);
  if (!value) return;
  const std::string written = to_string(*value);
  const auto again = read(written);
  require(again && *again == *value, "a value is not read as written", written);
}

void option_value(std::string_view text) {
  read_back([](std::string_view it) { return parse_label(it); }, text);
  read_back([](std::string_view it) { return dataplane::parse_link_spec(it); }, text);
  read_back([](std::string_view it) { return cmgr::parse_regions(it); }, text);
  accepted([](std::string_view it) { return parse_label_range(it); }, text);
  accepted([](std::string_view it) { return dataplane::parse_named_links(it); }, text);
  accepted([](std::string_view it) { return dataplane::parse_port_links(it, 64); }, text);
  accepted([](std::string_view it) { return net::parse_udp_address(it); }, text);
  accepted([](std::string_view it) { return parse_host_port(it); }, text);
  accepted([](std::string_view it) { return parse_host_maybe_port(it); }, text);
  accepted([](std::string_view it) { return parse_numeric_host(it); }, text);
  accepted([](std::string_view it) { return callgen::parse_objectives(it); }, text);
  if (const auto traffic = accepted([](auto it) { return FrameTraffic::parse(it); }, text)) {
    require(FrameTraffic::parse(traffic->text()) == *traffic, "traffic is not read as written");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = text_of({data + 1, size - 1});
  switch (data[0]) {
    case 't': console_target(text); break;
    case 'r': run_order(text); break;
    default: option_value(text);
  }
  return 0;
}
