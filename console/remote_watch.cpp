#include "console/remote_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "console/remote_failure.hpp"
#include "console/timers.hpp"
#include "core/name.hpp"
#include "core/steady_now.hpp"
#include "naming/names.hpp"
#include "orb/process.hpp"
#include "orb/remote_error.hpp"

namespace xbind::console {
namespace {

constexpr const char* kNameServicePath = "name service";
constexpr const char* kNameService = "names";

std::uint64_t ms_since_1970() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(orb::since_1970()).count());
}

std::string state_of(const ctl::Failure& failure) {
  if (failure.name == to_string(ErrorCode::kTimeout)) return "silent";
  if (failure.name == to_string(ErrorCode::kUnreachable)) return "unreachable";
  return "failed";
}

// "xbind/cmgr/default" -> {"cmgr", "default"}; nullopt: it is no daemon's.
std::optional<std::pair<std::string, std::string>> parts_of_path(const std::string& path) {
  const std::string root = std::string{naming::kRoot} + "/";
  if (!path.starts_with(root)) return std::nullopt;
  const std::size_t slash = path.find('/', root.size());
  if (slash == std::string::npos || path.find('/', slash + 1) != std::string::npos) {
    return std::nullopt;
  }
  std::pair parts{path.substr(root.size(), slash - root.size()), path.substr(slash + 1)};
  if (kind_of(parts.first) == ctl::PeerKind::kNone || !is_name(parts.second)) return std::nullopt;
  return parts;
}

}  // namespace

struct RemoteWatch::Lane {
  std::vector<DaemonPtr> daemons;  // under RemoteWatch::mutex_
  bool ending = false;             // the same
  bool ended = false;              // the same
  std::thread thread;
};

RemoteWatch::RemoteWatch(orb::NameClient names, RemoteReader& reader, LiveBoard& board,
                         Duration interval)
    : names_(std::move(names)), reader_(reader), board_(board), interval_(interval) {}

RemoteWatch::~RemoteWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  for (auto& [address, lane] : lanes_) lane->thread.join();
}

void RemoteWatch::start() {
  watcher_ = std::thread([this] { watch(); });
}

void RemoteWatch::hurry() {
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = steady_now();
    if (now - hurried_at_ < kConsoleTimers["hurry-again"]) return;
    hurried_at_ = now;
    ++hurries_;
  }
  changed_.notify_all();
}

void RemoteWatch::watch() {
  for (;;) {
    look();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, interval_, [&] { return ending_; })) return;
  }
}

// ===== who there is =====

void RemoteWatch::look() {
  const auto paths = bound();
  if (!paths) return;  // whom it named last is still read
  const TimePoint now = steady_now();
  for (const std::string& path : *paths) look_up(path, now);
  mark_gone(*paths, now);
  share_out();
}

std::optional<std::vector<std::string>> RemoteWatch::bound() {
  const Daemon service{kNameServicePath, kNameService, kNameServicePath, names_.service(), {}};
  const TimePoint begun = steady_now();
  const auto listed = names_.list(naming::kRoot);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_now() - begun);
  if (!listed) {
    const ctl::Failure failure =
        ctl::failure_of(listed.error(), ctl::name_service_at(names_.service()));
    publish(service, state_of(failure), {}, &failure);
    return std::nullopt;
  }
  publish(service, "up", {static_cast<std::uint64_t>(took.count()), 0}, nullptr);
  std::vector<std::string> paths;
  for (const std::string& path : *listed) {
    if (paths.size() < kDaemonsMax && parts_of_path(path)) paths.push_back(path);
  }
  return paths;
}

void RemoteWatch::look_up(const std::string& path, TimePoint now) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = health_.find(path);
    if (known != health_.end() && known->second.state == "up" &&
        now - known->second.resolved_at < kConsoleTimers["names-again"]) {
      return;
    }
  }
  auto object = names_.resolve(path);
  if (!object) return;  // unbound meanwhile
  const auto parts = parts_of_path(path);
  auto daemon = std::make_shared<Daemon>(
      Daemon{path, parts->first, parts->second, orb::address_of(*object), *object});
  const std::lock_guard lock(mutex_);
  Health& health = health_[path];
  health.resolved_at = now;
  if (health.state == "gone") health.state = "asking";
  daemons_[path] = std::move(daemon);
}

void RemoteWatch::mark_gone(const std::vector<std::string>& paths, TimePoint now) {
  const std::set<std::string> present(paths.begin(), paths.end());
  std::vector<DaemonPtr> gone;
  std::vector<std::string> forgotten;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = health_.begin(); at != health_.end();) {
      const auto& [path, health] = *at;
      const bool over =
          health.state == "gone" && now - health.gone_at > kConsoleTimers["gone-shown"];
      if (health.state != "gone" && path != kNameServicePath && !present.contains(path)) {
        gone.push_back(daemons_[path]);
        at->second.gone_at = now;
      }
      if (over) forgotten.push_back(path);
      at = over ? health_.erase(at) : std::next(at);
    }
    for (const DaemonPtr& daemon : gone) daemons_.erase(daemon->path);
  }
  for (const DaemonPtr& daemon : gone) {
    reader_.forget(*daemon);
    publish(*daemon, "gone", {}, nullptr);
  }
  for (const std::string& path : forgotten) board_.publish("daemons", path, {});
}

// ===== who is asked by whom =====

void RemoteWatch::share_out() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::vector<DaemonPtr>> wanted;
  for (const auto& [path, daemon] : daemons_) {
    const bool room = wanted.size() < kLanesMax || wanted.contains(daemon->address);
    auto at = room ? wanted.try_emplace(daemon->address).first : wanted.begin();
    at->second.push_back(daemon);
  }
  for (auto at = lanes_.begin(); at != lanes_.end();) {
    Lane& lane = *at->second;
    const auto found = wanted.find(at->first);
    lane.daemons = found == wanted.end() ? std::vector<DaemonPtr>{} : found->second;
    lane.ending = lane.daemons.empty();
    if (lane.ended) lane.thread.join();
    at = lane.ended ? lanes_.erase(at) : std::next(at);
  }
  for (auto& [address, daemons] : wanted) {
    if (lanes_.contains(address)) continue;
    auto lane = std::make_unique<Lane>();
    lane->daemons = std::move(daemons);
    lane->thread = std::thread([this, own = lane.get()] { run(*own); });
    lanes_.emplace(address, std::move(lane));
  }
}

void RemoteWatch::run(Lane& lane) {
  std::unique_lock lock(mutex_);
  while (!ending_ && !lane.ending) {
    const std::uint64_t hurries = hurries_;
    const std::vector<DaemonPtr> daemons = lane.daemons;
    lock.unlock();
    std::optional<std::string> silent;
    for (const DaemonPtr& daemon : daemons) read(daemon, silent);
    lock.lock();
    changed_.wait_for(lock, interval_,
                      [&] { return ending_ || lane.ending || hurries != hurries_; });
  }
  lane.ended = true;
}

// ===== what it says =====

void RemoteWatch::read(const DaemonPtr& daemon, std::optional<std::string>& silent) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = daemons_.find(daemon->path);
    if (ending_ || known == daemons_.end()) return;  // gone meanwhile
  }
  if (silent) {
    const ctl::Failure failure{
        std::string{to_string(ErrorCode::kTimeout)},
        fmt::format("not asked, because {} of the same process did not answer", *silent),
        daemon->path, daemon->address, ""};
    return publish(*daemon, "silent", {}, &failure);
  }
  const auto status = reader_.read(*daemon);
  bool gone = false;
  {
    const std::lock_guard lock(mutex_);
    gone = !daemons_.contains(daemon->path);
  }
  if (gone) return reader_.forget(*daemon);  // what was read is out of date
  if (status) return publish(*daemon, "up", *status, nullptr);
  const std::string state = state_of(status.error());
  if (state == "silent") silent = daemon->path;
  publish(*daemon, state, {}, &status.error());
}

void RemoteWatch::publish(const Daemon& daemon, const std::string& state,
                          const DaemonStatus& status, const ctl::Failure* failure) {
  std::uint64_t since = 0;
  {
    const std::lock_guard lock(mutex_);
    Health& health = health_[daemon.path];
    if (health.state != state || health.since_ms == 0) {
      health.state = state;
      health.since_ms = ms_since_1970();
    }
    since = health.since_ms;
  }
  ctl::Json row{{"daemon", daemon.path},
                {"kind", daemon.kind},
                {"name", daemon.name},
                {"address", daemon.address},
                {"state", state},
                {"since_ms", since},
                // Rounded: a row that changes with every reading is sent every time.
                {"answer_ms", status.answer_us / 10'000 * 10},
                {"rss_mib", (status.rss_kib + 512) / 1'024},
                {"error", failure == nullptr ? ctl::Json(nullptr) : error_of(*failure)}};
  board_.publish("daemons", daemon.path, {{daemon.path, text_of(row)}});
}

DaemonCounts RemoteWatch::counts() const {
  const std::lock_guard lock(mutex_);
  DaemonCounts counts;
  for (const auto& [path, health] : health_) {
    const bool up = health.state == "up";
    if (path == kNameServicePath) {
      counts.names_answer = up;
    } else if (health.state != "asking") {
      ++(up ? counts.up : counts.not_up);
    }
  }
  return counts;
}

std::optional<Problem> RemoteWatch::why_not(const std::string& kind,
                                            const std::string& name) const {
  const std::string path = naming::path_of(kind.c_str(), name);
  const std::lock_guard lock(mutex_);
  const auto found = health_.find(path);
  if (found == health_.end() || found->second.state == "gone") {
    return Problem{.status = 404,
                   .name = "unknown-daemon",
                   .detail = fmt::format("'{}' is not bound in the name service", printable(path)),
                   .value = path};
  }
  const Health& health = found->second;
  if (health.state != "silent" && health.state != "unreachable") return std::nullopt;
  return Problem{
      .status = 503,
      .name = "daemon-silent",
      .detail = fmt::format("{} has not answered for {} s", path,
                            (ms_since_1970() - health.since_ms) / 1'000),
      .value = path,
      .advice = "it is asked again and again; /api/v1/daemons shows why it does not answer"};
}

}  // namespace xbind::console
