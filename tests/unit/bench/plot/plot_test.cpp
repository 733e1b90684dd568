#include "bench/plot/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>

namespace xbind::plot {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Plot two_curves() {
  Plot plot;
  plot.title = "Throughput and delay";
  plot.x_label = "calls/s";
  plot.y_label = "ms";
  plot.series = {{"sequential", {{1, 23.4}, {10, 24.5}, {25, 90}}, Look::kLinePoints, -1},
                 {"paper", {{1, 11}, {60, 40}}, Look::kDashed, -1}};
  plot.remarks = {{25, 90, "saturates"}};
  return plot;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(PlotScript, CarriesItsDataAndAsksForOnePicture) {
  const std::string script = script_of(two_curves(), Form::kSvg);
  EXPECT_THAT(script, HasSubstr("$data0 << EOD\n1 23.4\n10 24.5\n25 90\nEOD\n"));
  EXPECT_THAT(script, HasSubstr("$data1 << EOD\n1 11\n60 40\nEOD\n"));
  EXPECT_THAT(script, HasSubstr("title 'sequential', $data1 using 1:2 with lines"));
  EXPECT_THAT(script, HasSubstr("set label 'saturates' at 25,90"));
  EXPECT_EQ(count_of(script, "\nplot "), 1U);
}

TEST(PlotScript, AQuoteInATitleStaysInTheTitle) {
  Plot plot = two_curves();
  plot.title = "it's'; system 'touch /tmp/x\nplot 1";
  const std::string script = script_of(plot, Form::kSvg);
  EXPECT_THAT(script, HasSubstr("set title 'it''s''; system ''touch /tmp/x plot 1'\n"));
}

TEST(PlotScript, WhatIsNoNumberIsAGapAndSoIsZeroOnALogarithmicAxis) {
  Plot plot = two_curves();
  plot.series = {{"a", {{kNan, 1}, {1, 2}, {2, kNan}, {3, 0}, {4, 5}, {5, kNan}}, Look::kLine, -1}};
  EXPECT_THAT(script_of(plot, Form::kSvg), HasSubstr("<< EOD\n1 2\n\n3 0\n4 5\nEOD\n"));
  plot.log_y = true;
  EXPECT_THAT(script_of(plot, Form::kSvg), HasSubstr("<< EOD\n1 2\n\n4 5\nEOD\n"));
}

TEST(PlotScript, SeriesOfOneColourShareItAndTheNextGoesOnFromThere) {
  Plot plot = two_curves();
  plot.series[0].colour = 2;
  plot.series[1].colour = 2;
  plot.series.push_back({"next", {{1, 1}}, Look::kPoints, -1});
  const std::string script = script_of(plot, Form::kSvg);
  EXPECT_EQ(count_of(script, "#009e73"), 2U);
  EXPECT_EQ(count_of(script, "#b04a8c"), 1U);
}

TEST(Draw, TheSamePlotIsTheSamePicture) {
  const auto first = draw(two_curves(), Form::kSvg);
  const auto second = draw(two_curves(), Form::kSvg);
  ASSERT_TRUE(first) << first.error().text;
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_EQ(*first, *second);
  EXPECT_THAT(*first, HasSubstr("<svg"));
  EXPECT_THAT(*first, HasSubstr("Throughput and delay"));
  EXPECT_THAT(*first, HasSubstr("sequential"));
  EXPECT_THAT(*first, HasSubstr("saturates"));
  EXPECT_THAT(*first, Not(HasSubstr("<script")));
}

TEST(Draw, APngIsAPng) {
  const auto picture = draw(two_curves(), Form::kPng);
  ASSERT_TRUE(picture) << picture.error().text;
  EXPECT_THAT(*picture, StartsWith("\x89PNG\r\n"));
}

TEST(Draw, NothingToShowIsAnEmptyFrame) {
  for (const bool log : {false, true}) {
    Plot plot = two_curves();
    plot.series = {{"none", {{kNan, 1}}, Look::kLine, -1}};
    plot.remarks.clear();
    plot.log_x = plot.log_y = log;
    const auto picture = draw(plot, Form::kSvg);
    ASSERT_TRUE(picture) << picture.error().text;
    EXPECT_THAT(*picture, HasSubstr("calls/s"));
  }
}

TEST(Draw, EveryLookKeyAndWordOfAnyKindCanBeDrawn) {
  for (const Key key :
       {Key::kRight, Key::kTopLeft, Key::kTopRight, Key::kBottomRight, Key::kNone}) {
    Plot plot = two_curves();
    plot.key = key;
    plot.series.clear();
    for (const Look look :
         {Look::kLine, Look::kLinePoints, Look::kPoints, Look::kSteps, Look::kDashed}) {
      plot.series.push_back({"$data0 \\ \"x\" {a}_b^c \u03bb <&>", {{1, 2}, {2, 3}}, look, -1});
    }
    const auto picture = draw(plot, Form::kSvg);
    ASSERT_TRUE(picture) << picture.error().text;
    EXPECT_EQ(picture->find("\u03bb") == std::string::npos, key == Key::kNone);
  }
}

TEST(Draw, AScriptThatGnuplotRefusesSaysWhatItSaid) {
  Plot plot = two_curves();
  plot.width = 1;
  plot.height = 1;
  plot.x_range = {5, 5};
  plot.log_x = true;
  plot.x_range = {-5, -1};
  const auto picture = draw(plot, Form::kSvg);
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().code, ErrorCode::kSystem);
  EXPECT_THAT(picture.error().text, HasSubstr("gnuplot has failed (exit code"));
}

TEST(CheckGnuplot, NamesThePackageWhenItIsNotThere) {
  EXPECT_TRUE(check_gnuplot());
  const char* path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  ::setenv("PATH", "/nowhere", 1);
  const auto missing = check_gnuplot();
  ::setenv("PATH", before.c_str(), 1);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("gnuplot-nox"));
}

}  // namespace
}  // namespace xbind::plot
