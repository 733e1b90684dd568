// One self-contained HTML page: headings, words, tables and inline SVG, styled by the page itself. It
// opens from a file without a network, fits a phone, prints, and follows the reader's light or dark.
//
// All words are plain text and escaped here; pictures are taken as they are, so they must be our own.
// A value type; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xbind::page {

// & < > " as entities.
std::string escaped(std::string_view text);

enum class Tone : std::uint8_t { kPlain, kGood, kBad, kWarning };

struct Cell {
  std::string text;  // plain; escaped by the page
  Tone tone = Tone::kPlain;
  bool number = false;  // aligned to the right
};

class Page {
 public:
  explicit Page(std::string title);

  void heading(std::string_view text, std::string_view anchor = {});
  void subheading(std::string_view text);
  void paragraph(std::string_view text);
  // A line that catches the eye: a verdict.
  void banner(std::string_view text, Tone tone);
  void table(const std::vector<std::string>& head, const std::vector<std::vector<Cell>>& rows);
  // `svg` as plot::draw gave it; `caption` below it. Its ids get a prefix of their own.
  void picture(std::string_view svg, std::string_view caption);
  // Folded away until asked for: raw numbers, a manifest.
  void folded(std::string_view title, std::string_view preformatted);
  void link(std::string_view text, std::string_view target);
  // Several in one line.
  void links(const std::vector<std::pair<std::string, std::string>>& text_and_target);

  std::string html() const;

 private:
  std::string title_;
  std::string body_;
  std::size_t pictures_ = 0;
};

}  // namespace xbind::page
