// A sequence whose length times the octets of an element wraps in 32 bits is refused: a request of
// some octets would otherwise make its receiver allocate 4 GiB. tidy/idl_bounds holds that the IDL
// has no other sequence of this kind.
#include <gtest/gtest.h>

#include <cstdint>

#include "orb/convert.hpp"

namespace xbind {
namespace {

template <class Sequence>
void expect_refused(CORBA::ULong length) {
  cdrMemoryStream stream;
  length >>= stream;
  stream.rewindInputPtr();
  Sequence sequence;
  EXPECT_THROW(sequence <<= stream, CORBA::MARSHAL) << length;
  EXPECT_EQ(sequence.length(), 0U);
}

TEST(SequenceBounds, ALengthWhoseOctetsWrapIsRefused) {
  for (const CORBA::ULong more : {0U, 1U}) {
    expect_refused<v2::LegSeq>((CORBA::ULong{1} << 31) + more);
    expect_refused<v2::EpochSeq>((CORBA::ULong{1} << 29) + more);
    expect_refused<v2::ConnectionIdSeq>((CORBA::ULong{1} << 29) + more);
  }
}

TEST(SequenceBounds, WhatFitsIsRead) {
  v2::LegSeq sent;
  sent.length(v2::legs_max);
  cdrMemoryStream stream;
  sent >>= stream;
  stream.rewindInputPtr();
  v2::LegSeq read;
  read <<= stream;
  EXPECT_EQ(read.length(), v2::legs_max);
}

}  // namespace
}  // namespace xbind
