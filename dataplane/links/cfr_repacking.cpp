#include "dataplane/links/cfr_repacking.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace xbind::dataplane {
namespace {

Cell atm_cell(std::uint16_t vci, std::span<const std::byte> data, bool last) {
  Cell cell{.header = cell_header(0, vci, last ? kPtUserUser : 0)};
  std::ranges::copy(data, cell.payload.begin());
  return cell;
}

}  // namespace

CfrCell CfrRepacking::next_cell(std::uint16_t vci, Rest& rest,
                                std::span<const std::byte> data) const {
  CfrCell cell{.vci = vci, .first = !std::exchange(rest.begun, true)};
  cell.half = data.size() < kCfrPayloadOctets;
  std::ranges::copy(data, cell.payload.begin());
  return cell;
}

void CfrRepacking::to_ring(const Cell& cell, TimePoint now, std::vector<CfrCell>& out) {
  const std::uint16_t vci = cell.vci();
  Rest& rest = to_ring_.open[vci];
  // 0 or 16 octets wait, so the two cells are 32 octets each, or 32 and the half.
  std::array<std::byte, kCfrHalfOctets + kPayloadOctets> all;
  std::copy_n(rest.octets.begin(), rest.size, all.begin());
  std::ranges::copy(cell.payload, all.begin() + static_cast<std::ptrdiff_t>(rest.size));
  std::span<const std::byte> left = std::span(all).first(rest.size + kPayloadOctets);
  for (; left.size() >= kCfrPayloadOctets; left = left.subspan(kCfrPayloadOctets)) {
    out.push_back(next_cell(vci, rest, left.first(kCfrPayloadOctets)));
  }
  if ((cell.pt() & kPtUserUser) != 0) {
    if (!left.empty()) out.push_back(next_cell(vci, rest, left));
    out.back().last = true;
    return end_frame(to_ring_, vci);
  }
  keep(to_ring_, vci, left, now);
}

void CfrRepacking::from_ring(const CfrCell& cell, TimePoint now, std::vector<Cell>& out) {
  Rest& rest = to_atm_.open[cell.vci];
  if (cell.first && rest.begun) {
    ++counters_.cut_frames;
    rest.size = 0;
  }
  rest.begun = true;
  rest.framed = rest.framed || cell.first;
  std::array<std::byte, kPayloadOctets + kCfrPayloadOctets> all;
  std::copy_n(rest.octets.begin(), rest.size, all.begin());
  std::ranges::copy(cell.data(), all.begin() + static_cast<std::ptrdiff_t>(rest.size));
  std::span<const std::byte> left = std::span(all).first(rest.size + cell.data().size());
  if (left.size() >= kPayloadOctets) {
    const bool whole = left.size() == kPayloadOctets;
    out.push_back(atm_cell(cell.vci, left.first(kPayloadOctets), whole && cell.last));
    left = left.subspan(kPayloadOctets);
  }
  if (cell.last) {
    if (!left.empty()) out.push_back(atm_cell(cell.vci, left, true));
    return end_frame(to_atm_, cell.vci);
  }
  keep(to_atm_, cell.vci, left, now);
}

// Its entry stays while it is queued, so that a new frame does not queue a second one.
void CfrRepacking::end_frame(Way& way, std::uint16_t vci) {
  const auto at = way.open.find(vci);
  at->second.size = 0;
  at->second.begun = false;
  at->second.framed = false;
  if (!at->second.queued) way.open.erase(at);
}

void CfrRepacking::keep(Way& way, std::uint16_t vci, std::span<const std::byte> left,
                        TimePoint now) {
  Rest& rest = way.open[vci];
  rest.size = left.size();
  std::ranges::copy(left, rest.octets.begin());
  rest.since = now;
  if (rest.size == 0 || rest.framed || rest.queued) return;
  rest.queued = true;
  way.due.emplace_back(now + wait_, vci);
}

TimePoint CfrRepacking::next_due() const {
  const TimePoint ring = to_ring_.due.empty() ? kNever : to_ring_.due.front().first;
  const TimePoint atm = to_atm_.due.empty() ? kNever : to_atm_.due.front().first;
  return std::min(ring, atm);
}

// A rest that has changed since is queued again for what is left of its time.
template <class Flush>
void CfrRepacking::expire(Way& way, TimePoint now, Flush flush) {
  while (!way.due.empty() && way.due.front().first <= now) {
    const std::uint16_t vci = way.due.front().second;
    way.due.pop_front();
    const auto at = way.open.find(vci);
    Rest& rest = at->second;
    rest.queued = false;
    if (rest.size == 0 || rest.framed) {
      if (!rest.begun) way.open.erase(at);
    } else if (rest.since + wait_ > now) {
      rest.queued = true;
      way.due.emplace_back(rest.since + wait_, vci);
    } else {
      flush(vci, rest);
      rest.size = 0;
    }
  }
}

void CfrRepacking::expire(TimePoint now, std::vector<CfrCell>& to_ring, std::vector<Cell>& to_atm) {
  expire(to_ring_, now, [&](std::uint16_t vci, Rest& rest) {
    to_ring.push_back(next_cell(vci, rest, std::span(rest.octets).first(rest.size)));
    ++counters_.half_cells;
  });
  expire(to_atm_, now, [&](std::uint16_t vci, Rest& rest) {
    to_atm.push_back(atm_cell(vci, std::span(rest.octets).first(rest.size), false));
    ++counters_.filled_cells;
  });
}

}  // namespace xbind::dataplane
