#include "bench/plot/plot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>

namespace xbind::plot {
namespace {

constexpr std::size_t kPictureMax = 64U << 20U;
constexpr std::size_t kComplaintMax = 2'000;

// Distinguishable for colour-blind readers and in grey.
constexpr std::array<std::string_view, 8> kColours{"#0072b2", "#d55e00", "#009e73", "#b04a8c",
                                                   "#c88a00", "#3f9fd8", "#6b5b95", "#555555"};

// In single quotes gnuplot has no escapes except the doubled quote.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char letter : text) {
    if (letter == '\'') out += '\'';
    out += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return out + "'";
}

// gnuplot interprets tick labels as number formats, so % is doubled.
std::string without_format(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '%') out += '%';
    out += letter;
  }
  return out;
}

bool can_be_drawn(const Plot& plot, const std::pair<double, double>& point) {
  const auto fits = [](double value, bool log) {
    return std::isfinite(value) && (!log || value > 0);
  };
  return fits(point.first, plot.log_x) && fits(point.second, plot.log_y);
}

std::string terminal(const Plot& plot, Form form) {
  if (form == Form::kSvg) {
    return fmt::format(
        "set terminal svg size {},{} fixed noenhanced font 'sans-serif,13' background '#ffffff'\n",
        plot.width, plot.height);
  }
  // Twice the size, so that it is sharp when printed.
  return fmt::format(
      "set terminal pngcairo size {},{} noenhanced font 'DejaVu Sans,11' fontscale 2 linewidth 2 "
      "pointscale 2 background '#ffffff'\n",
      2 * plot.width, 2 * plot.height);
}

std::string_view words(Key key) {
  switch (key) {
    case Key::kRight: return "set key outside right top Left reverse samplen 2\n";
    case Key::kTopLeft: return "set key inside left top Left reverse samplen 2\n";
    case Key::kTopRight: return "set key inside right top samplen 2\n";
    case Key::kBottomRight: return "set key inside right bottom samplen 2\n";
    case Key::kNone: break;
  }
  return "unset key\n";
}

std::string_view style(Look look) {
  switch (look) {
    case Look::kLine: return "lines linewidth 2";
    case Look::kLinePoints: return "linespoints linewidth 2 pointtype 7 pointsize 0.5";
    case Look::kPoints: return "points pointtype 7 pointsize 0.7";
    case Look::kSteps: return "histeps linewidth 2";
    case Look::kDashed: break;
  }
  return "lines linewidth 2 dashtype 2";
}

std::string range(char axis, const std::pair<double, double>& bounds, bool empty, bool log) {
  if (bounds.first != 0 || bounds.second != 0) {
    return fmt::format("set {}range [{:.12g}:{:.12g}]\n", axis, bounds.first, bounds.second);
  }
  return empty ? fmt::format("set {}range [{}:{}]\n", axis, log ? 1 : 0, log ? 10 : 1)
               : std::string{};
}

struct Drop {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Drop>;

tl::unexpected<Error> refused(std::string_view what) {
  return fail(ErrorCode::kSystem, "cannot run gnuplot: {}: {}", what, std::strerror(errno));
}

std::string from_the_beginning(std::FILE* file, std::size_t at_most) {
  std::rewind(file);
  std::string text(at_most, '\0');
  text.resize(std::fread(text.data(), 1, at_most, file));
  return text;
}

// Returns gnuplot's standard output. Script, picture and error messages go through unnamed files,
// so that neither process waits for the other to read.
Result<std::string> run_gnuplot(std::vector<std::string> arguments, const std::string& script) {
  const File in{std::tmpfile()};
  const File out{std::tmpfile()};
  const File complaints{std::tmpfile()};
  if (!in || !out || !complaints) return refused("no temporary file");
  if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
      std::fflush(in.get()) != 0) {
    return refused("the script");
  }
  std::rewind(in.get());

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(complaints.get()), STDERR_FILENO);
  const char* path = std::getenv("PATH");
  std::string path_entry = fmt::format("PATH={}", path != nullptr ? path : "/usr/bin:/bin");
  std::string locale = "LC_ALL=C.UTF-8";
  std::array<char*, 3> environment{path_entry.data(), locale.data(), nullptr};
  arguments.insert(arguments.begin(), "gnuplot");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int spawned =
      posix_spawnp(&child, "gnuplot", &files, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (spawned == ENOENT) {
    return fail(ErrorCode::kSystem, "gnuplot is not installed (Debian: gnuplot-nox)");
  }
  if (spawned != 0) {
    errno = spawned;
    return refused("posix_spawnp");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return refused("waitpid");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string said = from_the_beginning(complaints.get(), kComplaintMax);
    while (!said.empty() && std::isspace(static_cast<unsigned char>(said.back())) != 0) {
      said.pop_back();
    }
    return fail(ErrorCode::kSystem, "gnuplot has failed ({} {}): {}",
                WIFEXITED(status) ? "exit code" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), said);
  }
  std::fseek(out.get(), 0, SEEK_END);
  const long octets = std::ftell(out.get());
  if (octets < 0) return refused("its answer");
  if (static_cast<std::size_t>(octets) > kPictureMax) {
    return fail(ErrorCode::kExhausted, "gnuplot's answer of {} octets is above {}", octets,
                kPictureMax);
  }
  return from_the_beginning(out.get(), static_cast<std::size_t>(octets));
}

}  // namespace

std::string script_of(const Plot& plot, Form form) {
  std::string script = "set encoding utf8\n" + terminal(plot, form);
  auto out = std::back_inserter(script);
  if (!plot.title.empty()) fmt::format_to(out, "set title {}\n", quoted(plot.title));
  fmt::format_to(out, "set xlabel {}\nset ylabel {}\n", quoted(plot.x_label), quoted(plot.y_label));
  script += words(plot.key);
  script +=
      "set border 3 linecolor rgb '#888888'\nset tics nomirror\n"
      "set grid linecolor rgb '#e2e2e2' linetype 1\n";
  if (!plot.x_words.empty()) {
    script += "set xtics (";
    for (std::size_t at = 0; at < plot.x_words.size(); ++at)
      fmt::format_to(out, "{}{} {:.12g}", at > 0 ? ", " : "",
                     quoted(without_format(plot.x_words[at].second)), plot.x_words[at].first);
    script += ")\n";
  }
  if (plot.log_x) script += "set logscale x\n";
  if (plot.log_y) script += "set logscale y\nset format y '%g'\n";

  // Curves one after another; a gap is an empty line, which interrupts the curve.
  std::vector<const Series*> drawn;
  for (const Series& series : plot.series) {
    std::string rows;
    bool any = false;
    for (const auto& point : series.points) {
      if (can_be_drawn(plot, point)) {
        fmt::format_to(std::back_inserter(rows), "{:.12g} {:.12g}\n", point.first, point.second);
        any = true;
      } else if (!rows.empty() && !rows.ends_with("\n\n")) {
        rows += '\n';
      }
    }
    if (!any) continue;
    while (rows.ends_with("\n\n")) rows.pop_back();
    fmt::format_to(out, "$data{} << EOD\n{}EOD\n", drawn.size(), rows);
    drawn.push_back(&series);
  }
  script += range('x', plot.x_range, drawn.empty(), plot.log_x);
  script += range('y', plot.y_range, drawn.empty(), plot.log_y);
  for (const Remark& remark : plot.remarks) {
    if (!can_be_drawn(plot, {remark.x, remark.y})) continue;
    fmt::format_to(out,
                   "set label {} at {:.12g},{:.12g} left offset character 0.6,0.5 front textcolor "
                   "rgb '#333333'\n",
                   quoted(remark.text), remark.x, remark.y);
  }
  script += "plot ";
  if (drawn.empty()) script += "NaN notitle";
  std::size_t next_colour = 0;
  for (std::size_t at = 0; at < drawn.size(); ++at) {
    const Series& series = *drawn[at];
    const std::size_t colour =
        series.colour >= 0 ? static_cast<std::size_t>(series.colour) : next_colour;
    next_colour = colour + 1;
    fmt::format_to(out, "{}$data{} using 1:2 with {} linecolor rgb '{}' {}", at > 0 ? ", " : "", at,
                   style(series.look), kColours[colour % kColours.size()],
                   series.name.empty() ? "notitle" : "title " + quoted(series.name));
  }
  return script + "\n";
}

Result<void> check_gnuplot() {
  const auto said = run_gnuplot({"--version"}, {});
  if (!said) return tl::make_unexpected(said.error());
  return {};
}

Result<std::string> draw(const Plot& plot, Form form) {
  auto picture = run_gnuplot({"-d", "-"}, script_of(plot, form));
  if (picture && picture->empty()) {
    return fail(ErrorCode::kSystem, "gnuplot has drawn nothing of '{}'", plot.title);
  }
  return picture;
}

}  // namespace xbind::plot
