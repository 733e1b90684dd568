#include "bench/page/page.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace xbind::page {
namespace {

// Colours by name, once for the light and once for the dark look. Pictures have a white ground; in
// the dark look their brightness is inverted and their hues are kept.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1c1f23; --soft: #5d6670;
  --rule: #d9dde2;
  --card: #f5f7f9; --link: #0b5cad; --good: #17663a; --good-ground: #e3f4e9; --bad: #a01c1c;
  --bad-ground: #fbe6e6; --warning: #7a5200; --warning-ground: #fbf0d6; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15181c; --ink: #e4e7ea; --soft: #9aa4ae; --rule: #343a41; --card: #1d2126;
    --link: #7ab8f5; --good: #7fd6a0; --good-ground: #16301f; --bad: #f2a0a0; --bad-ground: #3a1a1a;
    --warning: #ecc46a; --warning-ground: #352a12; }
  figure svg { filter: invert(0.91) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; background: var(--ground);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; padding-top: 0.75rem;
  border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 0.5rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
a { color: var(--link); }
.banner { padding: 0.5rem 0.75rem; border-left: 4px solid var(--soft); background: var(--card);
  border-radius: 0 4px 4px 0; max-width: none; font-weight: 600; }
.banner.good { border-color: var(--good); background: var(--good-ground); color: var(--good); }
.banner.bad { border-color: var(--bad); background: var(--bad-ground); color: var(--bad); }
.banner.warning { border-color: var(--warning); background: var(--warning-ground);
  color: var(--warning); }
.wide { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; border-bottom: 1px solid var(--rule);
  vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom-width: 2px; }
.number { text-align: right; }
td.number { white-space: nowrap; }
th.number { min-width: 4.5rem; }
td.good { color: var(--good); } td.bad { color: var(--bad); } td.warning { color: var(--warning); }
figure { margin: 1rem 0; }
figure svg { max-width: 100%; height: auto; display: block; border: 1px solid var(--rule); }
figcaption { color: var(--soft); font-size: 0.9rem; margin-top: 0.25rem; }
details { margin: 0.75rem 0; }
summary { cursor: pointer; color: var(--link); }
pre { overflow-x: auto; background: var(--card); padding: 0.75rem; font-size: 0.8rem;
  border-radius: 4px; }
/* On a phone a row of many columns is a card, with the head of its column before each value. */
@media screen and (max-width: 44rem) {
  .many, .many tbody, .many tr, .many td { display: block; width: 100%; }
  .many thead { display: none; }
  .many tr { border-bottom: 2px solid var(--rule); padding: 0.4rem 0; }
  .many td { display: flex; justify-content: space-between; gap: 1rem; text-align: right;
    border: 0; padding: 0.1rem 0; min-width: 0; overflow-wrap: anywhere; }
  .many td::before { content: attr(data-head); color: var(--soft); text-align: left;
    flex: none; max-width: 50%; }
  .many td:first-child { display: block; text-align: left; font-weight: 600; }
  .many td:first-child::before { content: none; }
  .many td:empty { display: none; }
  table { max-width: 100%; }
  td, th { overflow-wrap: anywhere; }
  .drawn { overflow-x: auto; }
  .drawn svg { max-width: none; width: 36rem; }
}
@media print {
  :root { --ground: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --card: #ffffff;
    --link: #000000; --good: #000000; --good-ground: #ffffff; --bad: #000000; --bad-ground: #ffffff;
    --warning: #000000; --warning-ground: #ffffff; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  figure svg { filter: none; }
  figure, tr, .banner { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .wide { overflow: visible; }
  table { font-size: 7pt; }
  th, td { padding-right: 0.4rem; }
  th.number { min-width: 0; }
}
)";

// Tables with at least this many columns are too wide for a phone.
constexpr std::size_t kManyColumns = 4;

std::string_view word(Tone tone) {
  switch (tone) {
    case Tone::kGood: return "good";
    case Tone::kBad: return "bad";
    case Tone::kWarning: return "warning";
    case Tone::kPlain: break;
  }
  return "";
}

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

// The picture from its <svg> on. Its names get a prefix, because two pictures of one page may use
// the same names.
std::string embedded(std::string_view svg, const std::string& prefix) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string_view::npos) return {};
  svg.remove_prefix(begin);
  constexpr std::array<std::string_view, 6> kBeforeName{" id=\"",  " id='", "href=\"#",
                                                        "href='#", "url(#", "url('#"};
  std::string out;
  out.reserve(svg.size() + svg.size() / 16);
  for (std::size_t at = 0; at < svg.size();) {
    std::string_view found;
    for (const std::string_view before : kBeforeName) {
      if (svg.substr(at).starts_with(before)) found = before;
    }
    if (found.empty()) {
      out += svg[at++];
      continue;
    }
    out += found;
    at += found.size();
    if (at < svg.size() && is_name_letter(svg[at])) out += prefix;
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char letter : text) {
    switch (letter) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += letter;
    }
  }
  return out;
}

Page::Page(std::string title) : title_(std::move(title)) {}

void Page::heading(std::string_view text, std::string_view anchor) {
  body_ += anchor.empty() ? std::string{"<h2>"} : fmt::format("<h2 id=\"{}\">", escaped(anchor));
  body_ += escaped(text) + "</h2>\n";
}

void Page::subheading(std::string_view text) {
  body_ += fmt::format("<h3>{}</h3>\n", escaped(text));
}

void Page::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", escaped(text)); }

void Page::banner(std::string_view text, Tone tone) {
  body_ += fmt::format("<p class=\"banner {}\">{}</p>\n", word(tone), escaped(text));
}

void Page::table(const std::vector<std::string>& head, const std::vector<std::vector<Cell>>& rows) {
  const bool many = head.size() >= kManyColumns;
  body_ += fmt::format("<div class=\"wide\"><table{}>\n<thead><tr>", many ? " class=\"many\"" : "");
  for (std::size_t column = 0; column < head.size(); ++column) {
    // A column of numbers has its head aligned like the numbers.
    const bool number =
        !rows.empty() && column < rows.front().size() && rows.front()[column].number;
    body_ += fmt::format("<th{}>{}</th>", number ? " class=\"number\"" : "", escaped(head[column]));
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    body_ += "<tr>";
    for (std::size_t column = 0; column < row.size(); ++column) {
      const Cell& cell = row[column];
      const std::string_view tone = word(cell.tone);
      body_ += "<td";
      if (many && column < head.size())
        body_ += fmt::format(" data-head=\"{}\"", escaped(head[column]));
      if (cell.number || !tone.empty()) {
        body_ += fmt::format(" class=\"{}{}{}\"", cell.number ? "number" : "",
                             cell.number && !tone.empty() ? " " : "", tone);
      }
      body_ += fmt::format(">{}</td>", escaped(cell.text));
    }
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::picture(std::string_view svg, std::string_view caption) {
  body_ +=
      fmt::format("<figure><div class=\"drawn\">{}</div><figcaption>{}</figcaption></figure>\n",
                  embedded(svg, fmt::format("p{}-", ++pictures_)), escaped(caption));
}

void Page::folded(std::string_view title, std::string_view preformatted) {
  body_ += fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", escaped(title),
                       escaped(preformatted));
}

void Page::link(std::string_view text, std::string_view target) {
  body_ += fmt::format("<p><a href=\"{}\">{}</a></p>\n", escaped(target), escaped(text));
}

void Page::links(const std::vector<std::pair<std::string, std::string>>& text_and_target) {
  body_ += "<p>";
  for (std::size_t at = 0; at < text_and_target.size(); ++at) {
    const auto& [text, target] = text_and_target[at];
    body_ += fmt::format("{}<a href=\"{}\">{}</a>", at > 0 ? " \u00b7 " : "", escaped(target),
                         escaped(text));
  }
  body_ += "</p>\n";
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}</body>\n</"
      "html>\n",
      escaped(title_), kStyle, body_);
}

}  // namespace xbind::page
