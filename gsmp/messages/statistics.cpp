#include "gsmp/messages/statistics.hpp"

#include <fmt/format.h>

namespace xbind::gsmp {
namespace {

// The only place that defines the order of the counters.
template <class C, class Visit>
void for_each(C& counters, const Visit& visit) {
  visit("input cells", counters.input_cells);
  visit("input frames", counters.input_frames);
  visit("input cell discards", counters.input_cell_discards);
  visit("input frame discards", counters.input_frame_discards);
  visit("hec errors", counters.hec_errors);
  visit("invalid labels", counters.invalid_labels);
  visit("output cells", counters.output_cells);
  visit("output frames", counters.output_frames);
  visit("output cell discards", counters.output_cell_discards);
  visit("output frame discards", counters.output_frame_discards);
}

std::string whose(PortId port, LabelField label) {
  return label.type == LabelType::kNone ? fmt::format("port {}", port)
                                        : fmt::format("{}:{}", port, to_string(label));
}

}  // namespace

void encode(const Counters& counters, wire::Writer& out) {
  for_each(counters, [&](const char*, std::uint64_t counter) { out.u64(counter); });
}

Counters decode_counters(wire::Reader& in) {
  Counters counters;
  for_each(counters, [&](const char*, std::uint64_t& counter) { counter = in.u64(); });
  return counters;
}

void encode(const StatisticsRequest& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  encode(message.label, out);
  finish_message(out, start);
}

void encode(const Statistics& message, wire::Writer& out) {
  const std::size_t start = begin_message(out, message.header);
  out.u32(message.port.value());
  encode(message.label, out);
  encode(message.counters, out);
  finish_message(out, start);
}

Decoded<StatisticsRequest> decode_statistics_request(const Header& header,
                                                     std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  StatisticsRequest out;
  out.header = header;
  out.port = PortId(in.u32());
  out.label = decode_label(in, problem);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

Decoded<Statistics> decode_statistics(const Header& header, std::span<const std::byte> body) {
  wire::Reader in(body);
  Problem problem;
  Statistics out;
  out.header = header;
  out.port = PortId(in.u32());
  out.label = decode_label(in, problem);
  out.counters = decode_counters(in);
  if (const auto error = trouble(in, problem, body.size())) return tl::make_unexpected(*error);
  return out;
}

std::string to_string(const StatisticsRequest& message) {
  return fmt::format("{}: {}", to_string(message.header), whose(message.port, message.label));
}

std::string to_string(const Statistics& message) {
  std::string text =
      fmt::format("{}: {}", to_string(message.header), whose(message.port, message.label));
  for_each(message.counters, [&](const char* name, std::uint64_t counter) {
    if (counter != 0) text += fmt::format(", {} {}", name, counter);
  });
  return text;
}

}  // namespace xbind::gsmp
