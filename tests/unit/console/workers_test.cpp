#include "console/workers.hpp"

#include <gmock/gmock.h>

#include <future>

namespace xbind::console {
namespace {

TEST(Workers, RunJobs) {
  Workers workers(2, 4);
  std::promise<int> answered;
  EXPECT_TRUE(workers.run([&] { answered.set_value(7); }));
  EXPECT_EQ(answered.get_future().get(), 7);
}

TEST(Workers, RefuseWhatIsBeyondTheBound) {
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  Workers workers(1, 2);
  EXPECT_TRUE(workers.run([gone] { gone.wait(); }));
  EXPECT_TRUE(workers.run([gone] { gone.wait(); }));
  EXPECT_FALSE(workers.run([] {}));
  EXPECT_EQ(workers.jobs_max(), 2U);
  go.set_value();
}

}  // namespace
}  // namespace xbind::console
