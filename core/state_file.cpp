#include "core/state_file.hpp"

#include "core/durable_file.hpp"
#include "core/unwritten_files.hpp"

namespace xbind {

Result<std::optional<StateText>> read_state(const StateFormat& format, const std::string& path) {
  if (path.empty()) return std::nullopt;
  auto text = read_file_if_there(path, format.octets_max);
  if (!text) return tl::make_unexpected(with_way_out(format, std::move(text).error()));
  if (!*text) return std::nullopt;
  auto state = state_from_text(format, **text, path);
  if (!state) return tl::make_unexpected(with_way_out(format, std::move(state).error()));
  return std::optional(std::move(*state));
}

Result<void> write_state(const StateFormat& format, const std::string& path,
                         std::string_view content, Unwritten unwritten) {
  if (path.empty()) return {};
  std::string text = state_as_text(format, content);
  if (text.size() > format.octets_max) {
    return fail(ErrorCode::kBadInput, "{} cannot have {} octets, at most {}", path, text.size(),
                format.octets_max);
  }
  return UnwrittenFiles::of_process().write(path, std::move(text), unwritten);
}

}  // namespace xbind
