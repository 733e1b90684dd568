// Loads the options of a running program again, whole or not at all (decision 0069).
//
// `Options` has a member `config::OptionSet set` and declares its options in its default
// constructor, which makes load() possible into a second object beside the one in use.
//
//   Options options;
//   if (auto exit_code = load_or_explain(options.set, argc, argv)) return *exit_code;
//   Reload<Options> reload(options, argc, argv, [&](const Options& before, const Options& wanted) {
//     return daemon.change(wanted);
//   });
//
// The command line is the one of the start; the environment of a process does not change, so that
// what changes is the file of --config, and files that options name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/kept_settings.hpp"
#include "core/config/options.hpp"
#include "core/config/tuned_file.hpp"
#include "core/result.hpp"

namespace xbind::config {

// kBadInput: an option that is not live has changed; the text names each with both values.
Result<void> check_live(const std::vector<OptionChange>& changes);
// Refuses to tune an option that is not live, before anything is loaded with its new value: a file
// that it names is not opened. An unknown name is not refused here. `values`: those in use.
Result<void> check_tunable(const std::vector<OptionValue>& values, const std::string& name,
                           const std::string& value);
// "hop-timer-ms 3000 -> 2000 (cm1.toml line 4)"
std::string to_string(const OptionChange& change);

// The source of a tuned value.
inline constexpr const char* kOperator = "operator";

// What a program offers to those who ask for a reload. Any thread.
class Reloadable {
 public:
  virtual ~Reloadable() = default;
  // Returns the differences, which are in effect when this returns; none: everything is as before.
  // On an error nothing has changed. kBadInput: the new values are refused, or a changed option
  // needs a restart.
  virtual Result<std::vector<OptionChange>> reload() = 0;
  // Sets live options, before all other sources, until untune(), or this process ends without a
  // file to keep them in; nullopt: as untune(). Else as reload(), which it includes. kSystem: they
  // could not be written to the file.
  using Wishes = std::map<std::string, std::optional<std::string>>;
  virtual Result<std::vector<OptionChange>> tune_all(const Wishes& wishes) = 0;
  Result<std::vector<OptionChange>> tune(const std::string& name, const std::string& value) {
    return tune_all({{name, value}});
  }
  // The option has the value of the other sources again. Nothing happens to one that is not tuned.
  Result<std::vector<OptionChange>> untune(const std::string& name) {
    return tune_all({{name, std::nullopt}});
  }
  // Adds words to the source of an option in values(), for whoever wonders at its value.
  virtual void note(const std::string& name, std::string words) = 0;
  // The options as they are in use, in order of declaration.
  virtual std::vector<OptionValue> values() = 0;
};

// Reloads, and logs what has changed or why nothing has. `who`: "an operator", "SIGHUP". Any
// thread; waits for a reload that is under way.
Result<std::vector<OptionChange>> reload_and_log(Reloadable& options, std::string_view who);
// The same for options that an operator sets, or no longer sets.
Result<std::vector<OptionChange>> tune_and_log(Reloadable& options,
                                               const Reloadable::Wishes& wishes);

// The text of the option; nullopt: there is none of that name.
std::optional<std::string> value_of(const OptionSet& set, const std::string& name);
// Whether an operator has tuned the option.
bool is_tuned(const OptionSet& set, const std::string& name);
// A value for people: an empty one is seen.
std::string shown_value(const std::string& value);
void log_kept(const std::map<std::string, std::string>& tuned);
void log_left_out(const KeptSetting& setting, const std::string& why);
void log_not_stored(const Error& why);
// Loads the set from the arguments of the start and the environment. Returns why it is refused.
std::optional<std::string> load_again(OptionSet& set, const std::vector<std::string>& arguments);

template <class Options>
class Reload : public Reloadable {
 public:
  // Puts live options into effect, all or none; `before` are those in use. May also add changes
  // that the options' texts do not show, such as the content of a file that one names.
  using Apply = std::function<Result<void>(const Options& before, const Options& wanted,
                                           std::vector<OptionChange>& changes)>;

  // `options`: as loaded at the start; outlives this object. `file`: keeps what operators tune
  // (kept_settings.hpp); empty: it ends with the process. `files`: the live options that name a
  // file which the program reads; they are tuned to files beside the configured one only
  // (tuned_file.hpp).
  // `write`: stores the settings in the file.
  using Write = std::function<Result<void>(const std::string& path, const KeptSettings&)>;
  Reload(const Options& options, int argc, const char* const* argv, Apply apply,
         std::string file = {}, std::vector<std::string> files = {}, Write write = write_settings)
      : arguments_(argv, argv + argc),
        apply_(std::move(apply)),
        file_(std::move(file)),
        files_(std::move(files)),
        write_(std::move(write)),
        in_use_(&options) {}

  // Once, when no other process has the daemon's names: puts into effect what operators had tuned
  // in an earlier process, as far as the other sources give what they gave then. Logs what is
  // superseded or refused, shows it in values(), and takes it out of the file; a refusal is no
  // reason not to start, and a failure to write is logged. Not before: an earlier process may still
  // take orders, and a second process, which only finds that the first one lives, must not write
  // that one's file. Errors of read_settings(): nothing is restored, and the process must end.
  Result<void> begin() {
    auto kept = read_settings(file_);
    if (!kept) return tl::make_unexpected(kept.error());
    const std::lock_guard order(orders_);
    restore(*kept);
    store();
    return {};
  }

  Result<std::vector<OptionChange>> reload() override {
    const std::lock_guard order(orders_);
    return load_with(tuned_);
  }
  Result<std::vector<OptionChange>> tune_all(const Wishes& wishes) override {
    const std::lock_guard order(orders_);
    auto tuned = tuned_;
    for (const auto& [name, value] : wishes) {
      if (value) {
        if (const auto may = check_wish(name, *value); !may) {
          return tl::make_unexpected(may.error());
        }
        tuned.insert_or_assign(name, *value);
      } else {
        tuned.erase(name);
      }
    }
    auto changes = load_with(std::move(tuned));
    if (!changes) return changes;
    const std::lock_guard lock(mutex_);
    for (const auto& [name, value] : wishes) notes_.erase(name);
    return changes;
  }
  void note(const std::string& name, std::string words) override {
    const std::lock_guard lock(mutex_);
    notes_.insert_or_assign(name, std::move(words));
  }

  std::vector<OptionValue> values() override {
    const std::lock_guard lock(mutex_);
    std::vector<OptionValue> values = in_use_->set.values();
    for (OptionValue& value : values) {
      const auto noted = notes_.find(value.name);
      if (noted == notes_.end()) continue;
      value.source = (value.source.empty() ? "default" : value.source) + "; " + noted->second;
    }
    return values;
  }

 private:
  using Tuned = std::map<std::string, std::string>;
  enum class Storing : std::uint8_t { kNow, kLater };

  void restore(const KeptSettings& kept) {
    written_ = kept;
    Tuned tuned;
    for (const KeptSetting& one : kept) {
      const auto now = value_of(in_use_->set, one.name);
      if (now && *now == one.before) {
        tuned.emplace(one.name, one.value);
      } else {
        leave_out(one, now ? "superseded: it was set when this was " + shown_value(one.before)
                           : "dropped: there is no such option");
      }
    }
    if (load_with(tuned, Storing::kLater)) {
      log_kept(tuned);
      return;
    }
    for (const KeptSetting& one : kept) {  // one of them is refused, and the others are not
      if (!tuned.contains(one.name)) continue;
      Tuned more = tuned_;
      more.emplace(one.name, one.value);
      if (const auto loaded = load_with(std::move(more), Storing::kLater); !loaded) {
        leave_out(one, "refused: " + loaded.error().text);
      }
    }
    log_kept(tuned_);
  }
  void store() {
    const auto settings = settings_of(tuned_);
    if (!settings || *settings == written_) return;
    if (const auto stored = write_(file_, *settings); !stored) {
      log_not_stored(stored.error());
    } else {
      written_ = *settings;
    }
  }

  // Whether the operator may name that file, judged by the option's other sources as they are now.
  Result<void> check_file(const std::string& name, const std::string& value) const {
    Options configured;
    if (auto refused = load_again(configured.set, arguments_)) {
      return fail(ErrorCode::kBadInput, "{}", *refused);
    }
    const std::vector<OptionValue> values = configured.set.values();
    const auto option = std::ranges::find(values, name, &OptionValue::name);
    return check_tuned_file(name, option == values.end() ? "" : option->text, value);
  }

  // Whether the option may be tuned to that value, before anything is loaded with the value.
  Result<void> check_wish(const std::string& name, const std::string& value) const {
    if (auto may = check_tunable(in_use_->set.values(), name, value); !may) return may;
    if (std::ranges::find(files_, name) == files_.end()) return {};
    return check_file(name, value);
  }

  // Takes the tuned options over if the whole is accepted. The caller holds `orders_`.
  Result<std::vector<OptionChange>> load_with(Tuned tuned, Storing storing = Storing::kNow) {
    auto wanted = std::make_unique<Options>();
    for (const auto& [name, value] : tuned) {
      if (auto known = wanted->set.put_first(name, value, kOperator); !known) {
        return tl::make_unexpected(known.error());
      }
    }
    if (auto refused = load_again(wanted->set, arguments_)) {
      return fail(ErrorCode::kBadInput, "{}", *refused);
    }
    std::vector<OptionChange> changes = in_use_->set.changes_to(wanted->set);
    if (const auto live = check_live(changes); !live) return tl::make_unexpected(live.error());
    auto settings = settings_of(tuned);
    if (!settings) return tl::make_unexpected(settings.error());
    // First: what takes effect is kept.
    const bool stores = storing == Storing::kNow && *settings != written_;
    if (stores) {
      if (auto kept = write_(file_, *settings); !kept) {
        return tl::make_unexpected(kept.error());
      }
    }
    if (const auto applied = apply_(*in_use_, *wanted, changes); !applied) {
      if (stores) (void)write_(file_, written_);
      return tl::make_unexpected(applied.error());
    }
    if (stores) written_ = std::move(*settings);
    tuned_ = std::move(tuned);
    const std::lock_guard lock(mutex_);
    loaded_ = std::move(wanted);
    in_use_ = loaded_.get();
    return changes;
  }

  // The tuned options beside what the other sources give.
  Result<KeptSettings> settings_of(const Tuned& tuned) const {
    KeptSettings settings;
    if (file_.empty() || tuned.empty()) return settings;
    Options others;
    if (auto refused = load_again(others.set, arguments_)) {
      return fail(ErrorCode::kBadInput, "without what operators have set: {}", *refused);
    }
    for (const auto& [name, value] : tuned) {
      settings.push_back({name, value, value_of(others.set, name).value_or("")});
    }
    return settings;
  }
  void leave_out(const KeptSetting& one, const std::string& why) {
    log_left_out(one, why);
    const std::lock_guard lock(mutex_);
    notes_.insert_or_assign(one.name, "an operator's " + shown_value(one.value) + " is " + why);
  }

  const std::vector<std::string> arguments_;  // a copy: the ORB takes its own out of argv
  const Apply apply_;
  const std::string file_;
  const std::vector<std::string> files_;
  const Write write_;
  // Carries out one order after the other; held while options are written and applied, which may
  // take as long as the disk. Only an order changes the options in use, so that it reads them
  // without `mutex_`.
  std::mutex orders_;
  KeptSettings written_;  // what the file has
  Tuned tuned_;           // at most as many as there are options: others are refused
  std::mutex mutex_;      // for changes of the members below, and for those who only read them
  std::map<std::string, std::string> notes_;  // by option
  std::unique_ptr<Options> loaded_;
  const Options* in_use_;
};

}  // namespace xbind::config
