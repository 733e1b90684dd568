// The fabric compared with a model that is only a map of sets. Random requests to both must have
// the same outcome and give the same table. Also its memory.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "switchagent/table/fabric.hpp"

namespace xbind::switchagent {
namespace {

using gsmp::FailureCode;

struct Model {
  using Input = std::pair<std::uint32_t, std::uint32_t>;  // port, VCI
  using Output = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Input, std::set<Output>> tree;
  std::map<Input, Input> pair;  // bidirectional

  void unpair(Input input) {
    const auto found = pair.find(input);
    if (found == pair.end()) return;
    pair.erase(found->second);
    pair.erase(input);
  }
  FailureCode add(Input in, Output out, bool both) {
    if (both) {
      if (in == out) return FailureCode::kInvalidOutputLabel;
      if (tree.contains(in) || tree.contains(out)) return FailureCode::kBidirectionalExists;
      tree[in].insert(out);
      tree[out].insert(in);
      pair[in] = out;
      pair[out] = in;
      return FailureCode::kNone;
    }
    if (tree.contains(in) && !tree[in].contains(out) && pair.contains(in))
      return FailureCode::kMultipointOntoBidirectional;
    tree[in].insert(out);
    return FailureCode::kNone;
  }
  FailureCode remove(Input in, Output out) {
    if (!tree.contains(in)) return FailureCode::kNoSuchConnection;
    if (!tree[in].contains(out)) return FailureCode::kNoSuchBranch;
    unpair(in);
    tree[in].erase(out);
    if (tree[in].empty()) tree.erase(in);
    return FailureCode::kNone;
  }
  FailureCode move_output(Input in, Output old, Output now) {
    if (!tree.contains(in)) return FailureCode::kNoSuchConnection;
    if (!tree[in].contains(old)) return FailureCode::kNoSuchBranch;
    if (old == now) return FailureCode::kNone;
    if (tree[in].contains(now)) return FailureCode::kBranchOnSamePort;
    unpair(in);
    tree[in].erase(old);
    tree[in].insert(now);
    return FailureCode::kNone;
  }
  FailureCode move_input(Output out, Input old, Input now) {
    if (!tree.contains(old)) return FailureCode::kNoSuchConnection;
    if (!tree[old].contains(out)) return FailureCode::kNoSuchBranch;
    if (old == now) return FailureCode::kNone;
    if (tree.contains(now) && tree[now].contains(out)) return FailureCode::kBranchOnSamePort;
    if (tree.contains(now) && pair.contains(now)) return FailureCode::kMultipointOntoBidirectional;
    remove(old, out);
    tree[now].insert(out);
    return FailureCode::kNone;
  }
  std::size_t branches() const {
    std::size_t count = 0;
    for (const auto& [in, outs] : tree) count += outs.size();
    return count;
  }
};

gsmp::LabelField field(std::uint32_t vci) { return gsmp::label_field(atm_label(0, vci)); }

class FabricModel : public testing::TestWithParam<std::uint32_t> {};

TEST_P(FabricModel, RandomRequestsMeetTheSameTable) {
  const std::uint32_t seed = GetParam();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  FabricOptions options;
  options.ports = 3;
  Fabric fabric(options, [&] { return static_cast<std::uint32_t>(random()); });
  Model model;
  const auto place = [&] { return Model::Input{1 + random() % 3, 40 + random() % 5}; };
  for (int i = 0; i < 10000; ++i) {
    const auto a = place();
    const auto b = place();
    const auto c = place();
    FailureCode met{};
    FailureCode expected{};
    switch (random() % 8) {
      case 0:
      case 1:
      case 2: {
        gsmp::AddBranch request;
        request.input_port = PortId(a.first);
        request.input_label = field(a.second);
        request.output_port = PortId(b.first);
        request.output_label = field(b.second);
        const bool both = random() % 4 == 0;
        if (both) request.input_label.flags = gsmp::kFlagBidirectional;
        request.output_selector = random() % 4;
        met = fabric.add_branch(request);
        expected = model.add(a, b, both);
        break;
      }
      case 3:
      case 4:
        met = fabric.delete_branch(PortId(a.first), atm_label(0, a.second), PortId(b.first),
                                   atm_label(0, b.second));
        expected = model.remove(a, b);
        break;
      case 5: {
        gsmp::MoveOutputBranch request;
        request.input_port = PortId(a.first);
        request.input_label = field(a.second);
        request.old_output_port = PortId(b.first);
        request.old_output_label = field(b.second);
        request.new_output_port = PortId(c.first);
        request.new_output_label = field(c.second);
        met = fabric.move_output(request);
        expected = model.move_output(a, b, c);
        break;
      }
      case 6: {
        gsmp::MoveInputBranch request;
        request.output_port = PortId(a.first);
        request.output_label = field(a.second);
        request.old_input_port = PortId(b.first);
        request.old_input_label = field(b.second);
        request.new_input_port = PortId(c.first);
        request.new_input_label = field(c.second);
        met = fabric.move_input(request);
        expected = model.move_input(a, b, c);
        break;
      }
      default:
        if (random() % 20 == 0) {  // a delete of all connections of a port
          const bool input = random() % 2 == 0;
          if (input) {
            fabric.delete_all_input(PortId(a.first));
          } else {
            fabric.delete_all_output(PortId(a.first));
          }
          std::vector<std::pair<Model::Input, Model::Output>> going;
          for (const auto& [in, outs] : model.tree) {
            for (const auto& out : outs) {
              if ((input ? in : out).first == a.first) going.emplace_back(in, out);
            }
          }
          for (const auto& [in, out] : going) model.remove(in, out);
        }
    }
    ASSERT_EQ(met, expected) << "step " << i;
    ASSERT_EQ(fabric.branches(), model.branches()) << "step " << i;
    const auto found = fabric.find(PortId(a.first), atm_label(0, a.second));
    ASSERT_EQ(found.has_value(), model.tree.contains(a));
    if (!found) continue;
    ASSERT_EQ(found->bidirectional, model.pair.contains(a));
    std::set<Model::Output> outs;
    for (const Branch& branch : found->branches)
      outs.emplace(branch.output_port.value(), vci_of(branch.output_label));
    ASSERT_EQ(outs, model.tree[a]);
  }
  fabric.delete_all_input(PortId(1));
  fabric.delete_all_input(PortId(2));
  fabric.delete_all_input(PortId(3));
  EXPECT_EQ(fabric.branches(), 0U);
  EXPECT_EQ(fabric.branch_table().profiles().size(), 0U);  // every profile was released
}

TEST(FabricMemory, ACrossConnectHasAtMostAHundredOctets) {
  // The table's data for each: the connection itself, and its place among the labels of its VPI.
  EXPECT_LE(sizeof(dataplane::Connection) + sizeof(std::uint32_t), 100U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FabricModel, testing::Range(1U, 11U));

}  // namespace
}  // namespace xbind::switchagent
