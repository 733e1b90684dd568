#include "bench/figures/output.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/page/page.hpp"
#include "bench/plot/plot.hpp"
#include "callgen/report/json_file.hpp"

namespace xbind::figures {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json pairs(const std::vector<std::pair<std::string, std::string>>& all) {
  Json json = Json::object();
  for (const auto& [name, value] : all) json[name] = value;
  return json;
}

Json manifest_as_json(const Manifest& manifest) {
  Json json;
  json["program"] = "xbind-callgen figures";
  json["version"] = manifest.version;
  json["revision"] = manifest.revision;
  json["date"] = manifest.date;
  json["profile"] = manifest.profile;
  json["quick"] = manifest.scale.quick;
  json["seed"] = manifest.scale.seed;
  json["source"] = manifest.source;
  json["speed"] = manifest.scale.speed;
  json["constants"] = pairs(manifest.constants);
  json["unchecked"] = manifest.unchecked;
  json["machine"] = pairs(manifest.machine);
  return json;
}

Json shown_as_json(const Shown& shown) {
  Json json;
  json["sustained"] = shown.sustained;
  json["offered_per_s"] = shown.offered_per_s;
  json["achieved_per_s"] = shown.achieved_per_s;
  json["operations_per_s"] = shown.operations_per_s;
  json["invocations_per_s"] = shown.invocations_per_s;
  json["refused"] = shown.refused;
  json["unanswered"] = shown.unanswered;
  json["setups"] = shown.setup.count;
  json["mean_ms"] = shown.setup.mean;
  json["p50_ms"] = shown.setup.p50;
  json["p95_ms"] = shown.setup.p95;
  json["p99_ms"] = shown.setup.p99;
  return json;
}

std::string shape_words(Shape shape) {
  switch (shape) {
    case Shape::kReproduced: return "Shape reproduced";
    case Shape::kPartly: return "Shape reproduced in part";
    case Shape::kNot: break;
  }
  return "Shape not reproduced";
}

page::Tone tone_of(Shape shape) {
  switch (shape) {
    case Shape::kReproduced: return page::Tone::kGood;
    case Shape::kPartly: return page::Tone::kWarning;
    case Shape::kNot: break;
  }
  return page::Tone::kBad;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.-") == std::string::npos;
}

void add(page::Page& page, const Table& table) {
  std::vector<std::vector<page::Cell>> rows;
  for (const auto& row : table.rows) {
    auto& cells = rows.emplace_back();
    for (const std::string& text : row)
      cells.push_back({text, page::Tone::kPlain, is_number(text)});
  }
  page.subheading(table.title);
  page.table(table.head, rows);
}

Result<void> add(page::Page& page, const Figure& figure) {
  page.heading(figure.title, figure.id);
  page.banner(shape_words(figure.verdict.shape), tone_of(figure.verdict.shape));
  page.paragraph(figure.about);
  page.paragraph("Rule: " + figure.verdict.rule);
  page.paragraph("Decided by: " + figure.verdict.decided);
  for (const std::string& remark : figure.remarks) page.paragraph(remark);
  std::vector<std::pair<std::string, std::string>> files{{figure.id + ".csv", figure.id + ".csv"}};
  for (const Picture& picture : figure.pictures) {
    auto svg = plot::draw(picture.plot, plot::Form::kSvg);
    if (!svg) return tl::make_unexpected(svg.error());
    page.picture(*svg, picture.caption);
    for (const char* ending : {".svg", ".png"}) {
      files.emplace_back(picture.name + ending, picture.name + ending);
    }
  }
  for (const Table& table : figure.tables) add(page, table);
  page.links(files);
  return {};
}

void add(page::Page& page, const std::vector<Check>& checks) {
  if (checks.empty()) return;
  page.heading("Checked with real processes", "checks");
  page.paragraph(
      "Some points once more, by another source: the daemons themselves. Mean setup latency in "
      "milliseconds and "
      "GIOP requests at the manager a second.");
  std::vector<std::vector<page::Cell>> rows;
  const auto number = [](double value) {
    return page::Cell{digits(value), page::Tone::kPlain, true};
  };
  for (const Check& check : checks) {
    auto& row = rows.emplace_back();
    row.push_back({check.name});
    row.push_back(number(check.first.setup.mean));
    if (!check.second) {
      row.push_back({check.error, page::Tone::kBad});
      continue;
    }
    row.push_back(number(check.second->setup.mean));
    row.push_back(
        number(check.first.setup.mean > 0 ? check.second->setup.mean / check.first.setup.mean : 0));
    row.push_back(number(check.first.invocations_per_s));
    row.push_back(number(check.second->invocations_per_s));
    const bool both = check.first.sustained && check.second->sustained;
    row.push_back({both ? "both" : "not both", both ? page::Tone::kGood : page::Tone::kBad});
  }
  page.table({"point", "figures (ms)", checks.front().source + " (ms)", "ratio",
              "figures (requests/s)", checks.front().source + " (requests/s)", "sustained"},
             rows);
}

}  // namespace

std::string summary_of(const std::vector<Made>& made) {
  std::array<std::size_t, 3> counts{};
  std::size_t missing = 0;
  for (const Made& each : made) {
    if (each.figure)
      ++counts[static_cast<std::size_t>(each.figure->verdict.shape)];
    else
      ++missing;
  }
  std::string text = fmt::format("{} of {} figures are reproduced, {} partly, {} not", counts[0],
                                 made.size(), counts[1], counts[2]);
  if (missing > 0) text += fmt::format("; {} could not be made", missing);
  return text + ".";
}

Result<void> prepare_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return fail(ErrorCode::kSystem, "cannot make {}: {}", folder, failed.message());
  return callgen::check_writable(folder + "/index.html");
}

Result<void> write_figure(const std::string& folder, const Figure& figure) {
  const std::string stem = folder + "/";
  if (auto done = callgen::write_file(stem + figure.id + ".csv", figure.csv); !done) return done;
  for (const Picture& picture : figure.pictures) {
    for (const auto& [form, ending] :
         {std::pair{plot::Form::kSvg, ".svg"}, {plot::Form::kPng, ".png"}}) {
      const auto drawn = plot::draw(picture.plot, form);
      if (!drawn) return tl::make_unexpected(drawn.error());
      if (auto done = callgen::write_file(stem + picture.name + ending, *drawn); !done) return done;
    }
  }
  return {};
}

std::string manifest_json(const Manifest& manifest) {
  return manifest_as_json(manifest).dump(2) + "\n";
}

std::string figures_json(const Manifest& manifest, const std::vector<Made>& made,
                         const std::vector<Check>& checks) {
  Json json;
  json["schema"] = kSchema;
  json["manifest"] = manifest_as_json(manifest);
  json["summary"] = summary_of(made);
  json["figures"] = Json::array();
  for (const Made& each : made) {
    Json entry;
    entry["id"] = each.id;
    if (!each.figure) {
      entry["error"] = each.error;
      json["figures"].push_back(std::move(entry));
      continue;
    }
    const Figure& figure = *each.figure;
    entry["title"] = figure.title;
    entry["shape_reproduced"] = figure.verdict.reproduced();
    entry["verdict"] = to_string(figure.verdict.shape);
    entry["rule"] = figure.verdict.rule;
    entry["decided_by"] = figure.verdict.decided;
    Json numbers = Json::object();
    for (const auto& [name, value] : figure.numbers) numbers[name] = value;
    entry["numbers"] = std::move(numbers);
    entry["tables"] = Json::array();
    for (const Table& table : figure.tables) {
      entry["tables"].push_back(
          {{"title", table.title}, {"head", table.head}, {"rows", table.rows}});
    }
    entry["remarks"] = figure.remarks;
    json["figures"].push_back(std::move(entry));
  }
  json["checks"] = Json::array();
  for (const Check& check : checks) {
    Json entry;
    entry["point"] = check.name;
    entry["source"] = check.source;
    entry["figures"] = shown_as_json(check.first);
    if (check.second) {
      entry["again"] = shown_as_json(*check.second);
    } else {
      entry["error"] = check.error;
    }
    json["checks"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

Result<std::string> figures_page(const Manifest& manifest, const std::vector<Made>& made,
                                 const std::vector<Check>& checks) {
  page::Page page(fmt::format("The paper's figures, profile {}", manifest.profile));
  page.paragraph(fmt::format("xbind-callgen figures, version {}{}{}. Measured by: {}.",
                             manifest.version,
                             manifest.revision.empty() ? "" : ", revision " + manifest.revision,
                             manifest.date.empty() ? "" : ", " + manifest.date, manifest.source));
  page.paragraph(manifest.paper);
  page.paragraph(summary_of(made) +
                 " A figure is reproduced when every condition of its rule holds, partly when only "
                 "some of them hold. The rules were fixed before the first results were seen.");
  std::vector<std::vector<page::Cell>> overview;
  for (const Made& each : made) {
    auto& row = overview.emplace_back();
    row.push_back({each.figure ? each.figure->title : each.id});
    if (!each.figure) {
      row.push_back({"could not be made: " + each.error, page::Tone::kBad});
      continue;
    }
    const Shape shape = each.figure->verdict.shape;
    row.push_back({std::string{to_string(shape)}, tone_of(shape)});
    row.push_back({each.figure->verdict.decided});
  }
  page.table({"figure", "shape", "decided by"}, overview);
  for (const Made& each : made) {
    if (!each.figure) continue;
    if (auto added = add(page, *each.figure); !added) return tl::make_unexpected(added.error());
  }
  add(page, checks);
  if (!manifest.unchecked.empty()) {
    page.heading("Checked with real processes", "checks");
    page.banner("Not checked: " + manifest.unchecked, page::Tone::kWarning);
  }
  page.heading("How it was run", "manifest");
  std::vector<std::vector<page::Cell>> constants;
  for (const auto& [name, value] : manifest.constants) constants.push_back({{name}, {value}});
  if (!constants.empty()) page.table({"constant of the model", "value"}, constants);
  page.folded("Manifest", manifest_json(manifest));
  page.links({{"figures.json", "figures.json"}, {"manifest.json", "manifest.json"}});
  return page.html();
}

Result<void> write_summary(const std::string& folder, const Manifest& manifest,
                           const std::vector<Made>& made, const std::vector<Check>& checks) {
  const auto html = figures_page(manifest, made, checks);
  if (!html) return tl::make_unexpected(html.error());
  if (auto done =
          callgen::write_file(folder + "/figures.json", figures_json(manifest, made, checks));
      !done) {
    return done;
  }
  if (auto done = callgen::write_file(folder + "/manifest.json", manifest_json(manifest)); !done)
    return done;
  return callgen::write_file(folder + "/index.html", *html);
}

}  // namespace xbind::figures
