#include "bench/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace xbind::page {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Page, WordsAreEscapedWhereverTheyStand) {
  EXPECT_EQ(escaped("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  const std::string bad = "<b>&\"";
  Page page(bad);
  page.heading(bad, bad);
  page.subheading(bad);
  page.paragraph(bad);
  page.banner(bad, Tone::kBad);
  page.table({bad}, {{{bad, Tone::kGood, true}}});
  page.folded(bad, bad);
  page.link(bad, bad);
  page.links({{bad, bad}});
  page.picture("<svg></svg>", bad);
  EXPECT_THAT(page.html(), Not(HasSubstr("<b>")));
}

TEST(Page, NeedsNothingFromOutside) {
  Page page("A run");
  page.heading("Latency", "latency");
  const std::string html = page.html();
  EXPECT_THAT(html, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("<title>A run</title>"));
  EXPECT_THAT(html, HasSubstr("<h2 id=\"latency\">Latency</h2>"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
  for (const char* outside : {"http:", "https:", "<script", "@import", "<link"}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
}

TEST(Page, ACellHasItsToneAndItsSide) {
  Page page("t");
  page.table({"name", "ms"},
             {{{"xbind"}, {"11.0", Tone::kGood, true}}, {{"n"}, {"1", Tone::kPlain, true}}});
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("<th>name</th><th class=\"number\">ms</th>"));
  EXPECT_THAT(html, HasSubstr("<td>xbind</td><td class=\"number good\">11.0</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">1</td>"));
}

TEST(Page, PicturesThatNameTheirPartsAlikeDoNotMeet) {
  const std::string svg =
      "<?xml version='1.0'?>\n<svg><circle id='dot'/><g id=\"g\"/><use xlink:href='#dot'/>"
      "<rect filter='url(#g)'/></svg>";
  Page page("t");
  page.picture(svg, "first");
  page.picture(svg, "second");
  const std::string html = page.html();
  EXPECT_THAT(html, Not(HasSubstr("<?xml")));
  EXPECT_THAT(html,
              HasSubstr("<figure><div class=\"drawn\"><svg><circle id='p1-dot'/><g id=\"p1-g\"/>"
                        "<use xlink:href='#p1-dot'/><rect filter='url(#p1-g)'/></svg></div>"
                        "<figcaption>first</figcaption>"));
  EXPECT_THAT(html, HasSubstr("<circle id='p2-dot'/>"));
}

}  // namespace
}  // namespace xbind::page
