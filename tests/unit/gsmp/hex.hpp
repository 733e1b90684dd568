// Octets as hexadecimal text, and the worked messages of tests/golden/gsmp.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "core/wire/writer.hpp"
#include "gsmp/codec.hpp"
#include "gsmp/framing.hpp"
#include "gsmp/print.hpp"

namespace xbind::gsmp::test {

// Skips spaces, line ends, and the rest of a line after '#'.
wire::Buffer from_hex(std::string_view text);

std::string to_hex(std::span<const std::byte> octets);

std::string golden_path(const std::string& file);

std::string read_text(const std::string& path);

// The frame of a golden message, "B1".
wire::Buffer golden(const std::string& id);
// The same without its frame header.
wire::Buffer golden_message(const std::string& id);

template <class M>
wire::Buffer framed(const M& message) {
  wire::Buffer out;
  append_frame(out, message);
  return out;
}

// The text of every message of a stream.
std::vector<std::string> words_of(std::span<const std::byte> stream);

// Every message of a stream.
std::vector<Message> messages_of(std::span<const std::byte> stream);

}  // namespace xbind::gsmp::test
