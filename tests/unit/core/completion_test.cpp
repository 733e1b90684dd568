// The parts of a completion script that an option table decides; xbindctl_documents_test.py runs a
// whole one in bash.
#include "core/config/completion.hpp"

#include <gmock/gmock.h>

namespace xbind::config {
namespace {

using testing::HasSubstr;
using testing::Not;

class Completion : public testing::Test {
 protected:
  Completion() {
    set_.add_choice("mode", &mode_, "fast", {"fast", "slow"}, "How.");
    set_.add_string("place", &place_, "", "Where.");
    set_.add_string("every", &every_, "", "How often.");
    set_.add_flag("all", &all_, "Everything.");
    set_.take_commands(
        {{"go", {"ID", "up|down"}, "Goes.", {"mode", "all"}}, {"stop", {}, "Stops.", {}}}, &words_);
  }
  std::string script(Shell shell) const {
    return completion_script(set_, shell, {{{"ID", "$(\"$program\" ids)"}}, {"every"}});
  }

  OptionSet set_{"mover", "Moves."};
  std::string mode_;
  std::string place_;
  std::string every_;
  bool all_ = false;
  std::vector<std::string> words_;
};

TEST_F(Completion, OffersWhatTheTablesSay) {
  for (const Shell shell : {Shell::kBash, Shell::kZsh}) {
    const std::string made = script(shell);
    EXPECT_THAT(made, HasSubstr("candidates=(go stop)\n"));
    EXPECT_THAT(made, HasSubstr("    --mode) candidates=(fast slow) ;;\n"));
    EXPECT_THAT(made, HasSubstr("      go) candidates=(--mode --all) ;;\n"));
    EXPECT_THAT(made, HasSubstr("candidates+=(--place --every --config"));
    EXPECT_THAT(made, HasSubstr("      go:0) candidates=($(\"$program\" ids)) ;;\n"));
    EXPECT_THAT(made, HasSubstr("      go:1) candidates=(up down) ;;\n"));
  }
}

TEST_F(Completion, KnowsWhichOptionsTakeTheNextWord) {
  EXPECT_THAT(script(Shell::kBash), HasSubstr("      --config|--mode|--place) if "));
  EXPECT_THAT(script(Shell::kZsh), HasSubstr("      --config|--mode|--place) ((++i)) ;;\n"));
  EXPECT_THAT(script(Shell::kBash), Not(HasSubstr("|--every)")));
}

TEST_F(Completion, IsBoundToTheProgram) {
  EXPECT_THAT(script(Shell::kBash), HasSubstr("complete -F _mover mover\n"));
  EXPECT_THAT(script(Shell::kZsh), testing::StartsWith("#compdef mover\n"));
  EXPECT_THAT(script(Shell::kZsh), HasSubstr("compdef _mover mover; fi\n"));
}

}  // namespace
}  // namespace xbind::config
