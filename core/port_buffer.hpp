// The buffer of an output port, in cells, shared by all its connections: the default of the switch
// that queues them and of the SwitchServer that promises them, which must be one
// (docs/decisions/0083-the-buffer-that-is-promised-exists.md).
#pragma once

#include <cstdint>

namespace xbind {

inline constexpr std::uint32_t kPortBufferCells = 32'768;
inline constexpr std::uint32_t kPortBufferCellsMax = 1'000'000'000;

}  // namespace xbind
