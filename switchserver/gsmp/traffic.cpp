#include "switchserver/gsmp/traffic.hpp"

#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"

namespace xbind::gsmp {

TrafficOctets encode(CellRate rate) {
  wire::Buffer octets;
  wire::Writer out(octets);
  out.u8(rate.tc_flags);
  out.zeros(3);
  out.u32(rate.pcr_cells_per_s & 0xffffff);
  out.u32(rate.cdvt_us & 0xffffff);
  TrafficOctets traffic;
  traffic.assign(octets);
  return traffic;
}

std::optional<CellRate> decode_cell_rate(const TrafficOctets& traffic) {
  wire::Reader in(traffic.view());
  CellRate rate;
  rate.tc_flags = in.u8();
  in.skip(3);
  rate.pcr_cells_per_s = in.u32() & 0xffffff;
  rate.cdvt_us = in.u32() & 0xffffff;
  if (!in.ok()) return std::nullopt;
  return rate;
}

}  // namespace xbind::gsmp
