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
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  // Sets one live option, before all other sources, until this process ends or untune(). Else as
  // reload(), which it includes.
  virtual Result<std::vector<OptionChange>> tune(const std::string& name,
                                                 const std::string& value) = 0;
  // The option has the value of the other sources again. Nothing happens to one that is not tuned.
  virtual Result<std::vector<OptionChange>> untune(const std::string& name) = 0;
  // The options as they are in use, in order of declaration.
  virtual std::vector<OptionValue> values() = 0;
};

// Reloads, and logs what has changed or why nothing has. `who`: "an operator", "SIGHUP". Any
// thread; waits for a reload that is under way.
Result<std::vector<OptionChange>> reload_and_log(Reloadable& options, std::string_view who);
// The same for one option that an operator sets, or no longer sets (nullopt).
Result<std::vector<OptionChange>> tune_and_log(Reloadable& options, const std::string& name,
                                               const std::optional<std::string>& value);

template <class Options>
class Reload : public Reloadable {
 public:
  // Puts live options into effect, all or none; `before` are those in use. May also add changes
  // that the options' texts do not show, such as the content of a file that one names.
  using Apply = std::function<Result<void>(const Options& before, const Options& wanted,
                                           std::vector<OptionChange>& changes)>;

  // `options`: as loaded at the start; outlives this object. `files`: the live options that name a
  // file which the program reads; they are tuned to files beside the configured one only
  // (tuned_file.hpp).
  Reload(const Options& options, int argc, const char* const* argv, Apply apply,
         std::vector<std::string> files = {})
      : arguments_(argv, argv + argc),
        apply_(std::move(apply)),
        files_(std::move(files)),
        in_use_(&options) {}

  Result<std::vector<OptionChange>> reload() override {
    const std::lock_guard lock(mutex_);
    return load_with(tuned_);
  }
  Result<std::vector<OptionChange>> tune(const std::string& name,
                                         const std::string& value) override {
    const std::lock_guard lock(mutex_);
    if (const auto may = check_tunable(in_use_->set.values(), name, value); !may) {
      return tl::make_unexpected(may.error());
    }
    if (std::ranges::find(files_, name) != files_.end()) {
      if (const auto may = check_file(name, value); !may) return tl::make_unexpected(may.error());
    }
    auto tuned = tuned_;
    tuned.insert_or_assign(name, value);
    return load_with(std::move(tuned));
  }
  Result<std::vector<OptionChange>> untune(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    auto tuned = tuned_;
    tuned.erase(name);
    return load_with(std::move(tuned));
  }

  std::vector<OptionValue> values() override {
    const std::lock_guard lock(mutex_);
    return in_use_->set.values();
  }

 private:
  using Tuned = std::map<std::string, std::string>;

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

  // Takes the tuned options over if the whole is accepted. The caller holds the lock.
  Result<std::vector<OptionChange>> load_with(Tuned tuned) {
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
    if (const auto applied = apply_(*in_use_, *wanted, changes); !applied) {
      return tl::make_unexpected(applied.error());
    }
    loaded_ = std::move(wanted);
    in_use_ = loaded_.get();
    tuned_ = std::move(tuned);
    return changes;
  }

  const std::vector<std::string> arguments_;  // a copy: the ORB takes its own out of argv
  const Apply apply_;
  const std::vector<std::string> files_;
  std::mutex mutex_;  // for the members below; held while options are applied
  Tuned tuned_;       // at most as many as there are options: others are refused
  std::unique_ptr<Options> loaded_;
  const Options* in_use_;
};

// Loads the set from the arguments of the start and the environment. Returns why it is refused.
std::optional<std::string> load_again(OptionSet& set, const std::vector<std::string>& arguments);

}  // namespace xbind::config
