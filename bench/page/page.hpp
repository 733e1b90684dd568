// One self-contained HTML page: headings, paragraphs, tables and inline SVG, with its own styles.
// It opens from a file without a network, fits a phone, prints, and follows the reader's light or
// dark theme.
//
// All text is plain and escaped here. Pictures are inserted unchanged, so they must come from this
// program. A value type; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xbind::page {

// Replaces & < > " by entities.
std::string escaped(std::string_view text);

enum class Tone : std::uint8_t { kPlain, kGood, kBad, kWarning };

struct Cell {
  std::string text;  // plain; escaped by the page
  Tone tone = Tone::kPlain;
  bool number = false;  // right-aligned
};

class Page {
 public:
  explicit Page(std::string title);

  void heading(std::string_view text, std::string_view anchor = {});
  void subheading(std::string_view text);
  void paragraph(std::string_view text);
  // A highlighted line, for a verdict.
  void banner(std::string_view text, Tone tone);
  void table(const std::vector<std::string>& head, const std::vector<std::vector<Cell>>& rows);
  // `svg` from plot::draw(); `caption` appears below it. Its ids get a prefix.
  void picture(std::string_view svg, std::string_view caption);
  // Collapsed until the reader opens it: raw numbers, a manifest.
  void folded(std::string_view title, std::string_view preformatted);
  void link(std::string_view text, std::string_view target);
  // Several links in one line.
  void links(const std::vector<std::pair<std::string, std::string>>& text_and_target);

  std::string html() const;

 private:
  std::string title_;
  std::string body_;
  std::size_t pictures_ = 0;
};

}  // namespace xbind::page
