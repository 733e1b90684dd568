#include "callgen/load/rate_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/duration_numbers.hpp"

namespace xbind::callgen {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLongest_s = 100.0 * 365 * 24 * 3600;

}  // namespace

double RateCurve::Piece::calls_within(double after_s) const {
  if (from == to) return from == 0 ? 0 : from * after_s;
  return from * after_s + (to - from) / length_s * after_s * after_s / 2;
}

double RateCurve::Piece::rate_after(double after_s) const {
  return from == to ? from : from + (to - from) * after_s / length_s;
}

// The root of the quadratic, in the form that loses no digits when the slope is small or negative.
double RateCurve::Piece::seconds_for(double calls) const {
  if (calls <= 0) return 0;
  const double slope = from == to ? 0 : (to - from) / length_s;
  // The radicand is the square of the rate at that moment, negative only by rounding.
  const double rate = std::sqrt(std::max(0.0, from * from + 2 * slope * calls));
  return 2 * calls / (from + rate);
}

RateCurve::RateCurve(const std::vector<RatePiece>& pieces) {
  XB_CHECK(!pieces.empty() && pieces.size() <= kPiecesMax, pieces.size());
  double begin_s = 0;
  for (const RatePiece& piece : pieces) {
    const bool endless = piece.length == RatePiece::kForever;
    XB_CHECK(piece.length > Duration::zero() && piece.from >= 0 && piece.to >= 0, piece.from,
             piece.to);
    XB_CHECK(!endless || (&piece == &pieces.back() && piece.from == piece.to), piece.from,
             piece.to);
    const double length_s = endless ? kInfinite : in_seconds(piece.length);
    pieces_.push_back({.begin_s = begin_s,
                       .length_s = length_s,
                       .from = piece.from,
                       .to = piece.to,
                       .even = piece.even});
    begin_s += length_s;
  }
  count_calls();
}

void RateCurve::count_calls() {
  double calls = 0;
  for (Piece& piece : pieces_) {
    piece.calls_before = calls;
    calls += piece.calls_within(piece.length_s);
  }
}

const RateCurve::Piece& RateCurve::piece_at(double when_s) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), when_s,
                       [](double time_s, const Piece& piece) { return time_s < piece.begin_s; });
  return after == pieces_.begin() ? pieces_.front() : *std::prev(after);
}

double RateCurve::calls_until(Duration when) const {
  const double when_s = in_seconds(when);
  const Piece& piece = piece_at(when_s);
  return piece.calls_before + piece.calls_within(std::min(when_s - piece.begin_s, piece.length_s));
}

Duration RateCurve::time_of(double calls) const {
  // The last piece that begins with fewer calls: pieces without any are passed over.
  auto found = std::lower_bound(
      pieces_.begin(), pieces_.end(), calls,
      [](const Piece& piece, double wanted) { return piece.calls_before < wanted; });
  if (found != pieces_.begin()) --found;
  const double after_s = found->seconds_for(calls - found->calls_before);
  // Rounding may place the last call of a piece a little after its end.
  if (std::next(found) == pieces_.end() && after_s > found->length_s) return kNever;
  const double when_s = found->begin_s + std::min(after_s, found->length_s);
  return when_s <= kLongest_s ? Duration{std::llround(when_s * 1e9)} : kNever;
}

double RateCurve::rate_at(Duration when) const {
  const double when_s = in_seconds(when);
  const Piece& piece = piece_at(when_s);
  return when_s < piece.end_s() ? piece.rate_after(when_s - piece.begin_s) : 0;
}

bool RateCurve::even_at(Duration when) const { return piece_at(in_seconds(when)).even; }

double RateCurve::peak() const {
  double peak = 0;
  for (const Piece& piece : pieces_) peak = std::max({peak, piece.from, piece.to});
  return peak;
}

void RateCurve::change(Duration when, double calls_per_s) {
  XB_CHECK(can_change() && calls_per_s > 0, pieces_.size(), calls_per_s);
  const double when_s = in_seconds(when);
  const auto index = static_cast<std::size_t>(&piece_at(when_s) - pieces_.data());
  Piece& former = pieces_[index];
  if (when_s >= former.end_s()) return;
  Piece rest = former;
  rest.from = rest.to = calls_per_s;
  if (when_s <= former.begin_s) {
    former = rest;
  } else {
    rest.begin_s = when_s;
    rest.length_s = former.end_s() - when_s;
    former.to = former.rate_after(when_s - former.begin_s);
    former.length_s = when_s - former.begin_s;
    pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(index) + 1, rest);
  }
  count_calls();
}

}  // namespace xbind::callgen
