// The form that every file under --state-dir has: a first line with what it is and the version of
// its content, the content, and an end mark with the length and the CRC-32 of all before it.
//
//   # xbind-cmgr epoch 2
//   41
//   # end: 24 octets, CRC-32 89abcdef
//
// A file that was cut, emptied or written over is known by that and never believed. It is refused
// by its path with the way out: remove it, with what a start without it means. Nothing refused is
// overwritten. The first line and the end mark are comments of TOML.
//
// The text's part is pure. read_state() and write_state() block on the disk; read_state() is for
// starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.hpp"

namespace xbind {

struct StateFormat {
  std::string_view what;       // in the first line: "xbind-cmgr epoch"
  unsigned version = 1;        // of the content
  std::size_t octets_max = 0;  // of the whole file; a longer one is neither read nor written
  // What a start without the file means, for the advice: "the epoch is taken from the
  // SwitchServers".
  std::string_view without;
  // The first line of the version before, which had no end mark and the same content. Such a file
  // is read once, at the first start of this edition. Empty: it is refused.
  std::string_view earlier = {};
};

// What a file says, without the frame around it.
struct StateText {
  std::string text;            // from the first line to the end mark, without it
  std::size_t content_at = 0;  // behind the first line
  bool earlier = false;        // of the version before, without a sum: write it again

  std::string_view content() const { return std::string_view(text).substr(content_at); }
};

// `content`: whole lines, or nothing.
std::string state_as_text(const StateFormat& format, std::string_view content);
// kBadInput: empty, another format or version, or not whole; the text names `path`.
Result<StateText> state_from_text(const StateFormat& format, std::string_view text,
                                  const std::string& path);
// `text`, whole lines, with the end mark behind it.
std::string with_end_mark(std::string text);
// The same error, with the advice what to do about the file.
Error with_way_out(const StateFormat& format, Error error);

// nullopt: there is no such file, or no `path`. Errors of state_from_text(), and kSystem: it cannot
// be read; with the way out.
Result<std::optional<StateText>> read_state(const StateFormat& format, const std::string& path);
// What `parse`, Result<T>(const StateText&), makes of the file; nullopt as above. Its errors have
// the way out, too.
template <class T, class Parse>
Result<std::optional<T>> read_state_as(const StateFormat& format, const std::string& path,
                                       Parse&& parse) {
  const auto read = read_state(format, path);
  if (!read) return tl::make_unexpected(read.error());
  if (!*read) return std::optional<T>{};
  auto value = std::forward<Parse>(parse)(**read);
  if (!value) return tl::make_unexpected(with_way_out(format, std::move(value).error()));
  return std::optional<T>(std::move(*value));
}

// What the file should have after a failure to write.
enum class Unwritten : std::uint8_t {
  kWanted,  // that content; it is written as soon as that works again
  kUndone,  // its old content: the caller takes back what it was about to store
};
// Replaces the file. Nothing without a `path`. kBadInput: longer than the format's bound; kSystem:
// writing failed. Then the old file stays, and `path` counts as not written until writing it works
// again (core/unwritten_files.hpp). Any thread, one after the other for each path.
Result<void> write_state(const StateFormat& format, const std::string& path,
                         std::string_view content, Unwritten unwritten);

}  // namespace xbind
