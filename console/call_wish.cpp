#include "console/call_wish.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/contract_bound.hpp"
#include "core/name.hpp"

namespace xbind::console {
namespace {

using Json = nlohmann::json;

tl::unexpected<Problem> refused(const char* name, std::string detail, std::string value) {
  return tl::make_unexpected(
      Problem{.status = 400, .name = name, .detail = std::move(detail), .value = std::move(value)});
}

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

// The fault of a wish as a whole; `name`: of the problem.
tl::expected<CallWish, Problem> checked(CallWish wish, const char* name) {
  for (const auto& [member, value] : {std::pair{"manager", &wish.manager},
                                      std::pair{"from", &wish.from}, std::pair{"to", &wish.to}}) {
    if (const auto good = check_name(member, *value); !good) {
      return refused(name, good.error().text, *value);
    }
  }
  if (wish.service.size() > kServiceNameMax) {
    return refused(name, fmt::format("service: more than {} octets", kServiceNameMax),
                   wish.service);
  }
  if (wish.service.empty() == (wish.cells_per_s == 0)) {
    return refused(name, "give either cells_per_s (from 1) or service",
                   fmt::format("cells_per_s {}, service '{}'", wish.cells_per_s, wish.service));
  }
  if (wish.cells_per_s > TrafficContract::kFieldMax) {
    return refused(name,
                   fmt::format("cells_per_s: {} is more than {}: {}", wish.cells_per_s,
                               TrafficContract::kFieldMax, kWhyContractFieldMax),
                   fmt::format("{}", wish.cells_per_s));
  }
  return wish;
}

using Fault = std::optional<std::string>;

Fault read_text(const Json& value, std::string& to) {
  if (!value.is_string()) return "is no text";
  to = value.get<std::string>();
  return std::nullopt;
}

Fault read_number(const Json& value, std::uint64_t& to, std::uint64_t max) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > max) {
    return fmt::format("is no whole number up to {}", max);
  }
  to = value.get<std::uint64_t>();
  return std::nullopt;
}

Fault read_flag(const Json& value, bool& to) {
  if (!value.is_boolean()) return "is neither true nor false";
  to = value.get<bool>();
  return std::nullopt;
}

// These read one member; a sentence says what is wrong with it.
Fault read_member(const std::string& name, const Json& value, CallWish& wish) {
  if (name == "manager") return read_text(value, wish.manager);
  if (name == "from") return read_text(value, wish.from);
  if (name == "to") return read_text(value, wish.to);
  if (name == "service") return read_text(value, wish.service);
  if (name == "cells_per_s") return read_number(value, wish.cells_per_s, kAnyNumber);
  if (name == "buffer_cells") return read_number(value, wish.buffer_cells, kBufferMax);
  if (name == "hold_s") return read_number(value, wish.hold_s, kHoldMsMax / 1'000);
  if (name == "both") return read_flag(value, wish.both);
  return "is no member of a call";
}

Fault read_member(const std::string& name, const Json& value, Acknowledgement& wish) {
  if (name == "alarm") return read_text(value, wish.alarm);
  if (name == "by") return read_text(value, wish.by);
  if (name == "note") return read_text(value, wish.note);
  if (name == "undo") return read_flag(value, wish.undo);
  return "is no member of an acknowledgement";
}

template <class Wish>
tl::expected<Wish, Problem> read_body(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return refused("bad-body", "the body is no JSON object", body);
  Wish wish;
  for (const auto& [name, value] : json.items()) {
    if (const Fault fault = read_member(name, value, wish)) {
      const std::string shown = value.is_structured()
                                    ? std::string{value.type_name()}
                                    : value.dump(-1, ' ', false, Json::error_handler_t::replace);
      return refused("bad-body",
                     fmt::format("{}: {} {}", printable(name), printable(shown), *fault), shown);
    }
  }
  return wish;
}

}  // namespace

ServiceSpec CallWish::spec() const {
  ServiceSpec spec;
  if (service.empty()) {
    spec.cells_per_s = cells_per_s;
    spec.buffer_cells = buffer_cells;
  } else {
    spec.kind = ServiceKind::kClass;
    spec.terms = ServiceTerms{.name = service};
  }
  return spec;
}

ConnectRequest CallWish::request(RequestId number) const {
  ConnectRequest request{number, from, to, spec()};
  if (both) request.reverse = spec();
  request.hold_ms = static_cast<std::uint32_t>(hold_s * 1'000);
  return request;
}

tl::expected<CallWish, Problem> call_wish_of(const std::string& body) {
  auto wish = read_body<CallWish>(body);
  return wish ? checked(std::move(*wish), "bad-body") : wish;
}

tl::expected<Acknowledgement, Problem> acknowledgement_of(const std::string& body) {
  auto wish = read_body<Acknowledgement>(body);
  if (!wish) return wish;
  if (wish->by.size() > kAcknowledgedByMax || (wish->by.empty() && !wish->undo)) {
    return refused("bad-body", fmt::format("by: a name has 1 to {} octets", kAcknowledgedByMax),
                   wish->by);
  }
  if (wish->note.size() > kAcknowledgedNoteMax) {
    return refused("bad-body", fmt::format("note: more than {} octets", kAcknowledgedNoteMax),
                   wish->note);
  }
  return wish;
}

tl::expected<CallWish, Problem> call_wish_of(Parameters& parameters) {
  CallWish wish;
  wish.manager = parameters.text("manager", wish.manager);
  wish.from = parameters.text("from");
  wish.to = parameters.text("to");
  wish.cells_per_s = parameters.number("cells_per_s", 0, kAnyNumber);
  wish.buffer_cells = parameters.number("buffer_cells", 0, kBufferMax);
  wish.service = parameters.text("service");
  if (auto fault = parameters.problem()) return tl::make_unexpected(std::move(*fault));
  return checked(std::move(wish), "bad-parameter");
}

}  // namespace xbind::console
