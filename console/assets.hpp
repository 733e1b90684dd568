// The files of the page, embedded in the program (console/CMakeLists.txt): no request leaves the
// host. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace xbind::console {

struct Asset {
  std::string_view path;  // "/console.js"
  std::string_view type;  // of the content
  std::string_view text;
};

// Every file; "/" is the page. The last ones are the OpenAPI description and the schemas that it
// refers to.
std::span<const Asset> assets();

// "\"8f14e45f\"": the ETag of a text.
std::string etag_of(std::string_view text);

}  // namespace xbind::console
