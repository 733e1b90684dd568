// The rate of calls over the time of a plan, in pieces with a constant or a linear rate, and its
// integral: the number of calls that are expected until a time. The inverse of the integral places
// calls exactly, without thinning: call k comes when the integral reaches event k of a process of
// rate 1 (independent callers) or k (even spacing).
//
// A change applies from a time on to the end of the piece that the time lies in; what came before
// stays as it was, and so does every later piece.
//
// A value type; one thread at a time. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "core/clock.hpp"

namespace xbind::callgen {

struct RatePiece {
  Duration length{};  // above 0; kForever: no end, allowed for the last piece only
  double from = 0;    // calls a second at its beginning; not negative
  double to = 0;      // at its end; of a piece without end the same as `from`
  bool even = false;  // evenly spaced calls, not independent callers

  static constexpr Duration kForever = Duration::max();
};

class RateCurve {
 public:
  static constexpr std::size_t kPiecesMax = 4096;
  // Of time_of(): the calls of the plan do not suffice.
  static constexpr Duration kNever = Duration::max();

  // At least one piece, at most kPiecesMax.
  explicit RateCurve(const std::vector<RatePiece>& pieces);

  // Calls expected from the beginning until `when`; not negative `when`.
  double calls_until(Duration when) const;
  // The earliest time by which `calls` calls are expected; kNever: the curve has fewer, or they
  // take more than 100 years.
  Duration time_of(double calls) const;
  // Calls a second at this time; 0 after the last piece.
  double rate_at(Duration when) const;
  bool even_at(Duration when) const;
  // The greatest rate of any piece.
  double peak() const;

  // Whether change() has room for another piece.
  bool can_change() const { return pieces_.size() < kPiecesMax; }
  // From `when` until the end of its piece the rate is this one. No effect after the last piece.
  void change(Duration when, double calls_per_s);

 private:
  struct Piece {
    double begin_s = 0;
    double length_s = 0;  // infinite: no end
    double from = 0;
    double to = 0;
    double calls_before = 0;
    bool even = false;

    double calls_within(double after_s) const;
    double seconds_for(double calls) const;
    double rate_after(double after_s) const;
    double end_s() const { return begin_s + length_s; }
  };
  // The piece of this time; the last one for any later time.
  const Piece& piece_at(double when_s) const;
  void count_calls();

  std::vector<Piece> pieces_;
};

}  // namespace xbind::callgen
