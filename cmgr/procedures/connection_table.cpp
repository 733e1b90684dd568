#include "cmgr/procedures/connection_table.hpp"

#include <algorithm>

#include "cmgr/procedures/procedure.hpp"

namespace xbind::cmgr {
namespace {

Hop& find_indexed(Connection& connection, SwitchIndex at, std::uint32_t place) {
  const auto is_it = [&](const Hop& hop) { return hop.at == at && hop.indexed_at == place; };
  const auto hop = std::find_if(connection.hops().begin(), connection.hops().end(), is_it);
  if (hop != connection.hops().end()) return *hop;
  Hops& own = connection.procedure->hops();
  const auto of_procedure = std::find_if(own.begin(), own.end(), is_it);
  XB_CHECK(of_procedure != own.end(), connection.id, place);
  return *of_procedure;
}

}  // namespace

ConnectionTable::~ConnectionTable() {
  std::vector<Connection*> left;
  for (const auto& entry : by_id_) left.push_back(entry.value);
  for (Connection* const connection : left) pool_.destroy(*connection);
}

// ===== doors =====

Connection& ConnectionTable::open(const Opened& what) { return make(ids_.next(), what); }

Connection& ConnectionTable::make(ConnectionId id, const Opened& what) {
  Connection& made = pool_.make();
  made.id = id;
  made.ends = ends_.get(what.from, what.to);
  made.asker_ = what.asker;
  made.both_ = what.both;
  made.set_contract(what.contract);
  usage_.add(made);
  if (what.pool != 0) {
    made.more().pool = what.pool;
    if (pool_members_.size() <= what.pool) pool_members_.resize(what.pool + 1);
    ++pool_members_[what.pool];
  }
  by_id_.insert_new(made.id, &made);
  shown_.insert(made.id);
  if (journal_ != nullptr) write(made, what);
  return made;
}

Connection& ConnectionTable::restore(const Found& found, HopTree&& hops) {
  XB_CHECK(find(found.id) == nullptr, found.id);
  Connection& made = make(found.id, found.opened);
  made.hops_ = std::move(hops);
  made.stage_ = found.restored.stage;
  made.generation_ = found.numbers.generation;
  const bool plain = found.numbers.revision == 0 && found.numbers.next_leg == 2 &&
                     !found.restored.first_end_dropped;
  if (!plain) {
    Connection::Standing& standing = made.more();
    standing.revision = found.numbers.revision;
    standing.next_leg = found.numbers.next_leg;
    standing.leaves = found.restored.leaves;
    standing.first_end_dropped = found.restored.first_end_dropped;
  }
  count(made, made.hops_);
  if (found.alias != ConnectionId{}) show_as(made, found.alias);
  if (journal_ != nullptr) {
    write_numbers(made);
    Restored restored = found.restored;
    restored.hops = &made.hops_;
    write(made, restored);
    if (found.alias != ConnectionId{}) write(made, Assigned{*made.asker(), found.alias});
  }
  return made;
}

void ConnectionTable::lay(Connection& connection, const std::vector<SwitchIndex>& at,
                          const std::vector<PathHop>& route) {
  connection.hops_.lay(at, route, connection.both_);
  if (connection.standing_) {
    const Connection::Standing& standing = *connection.standing_;
    connection.hops_.want_ends(standing.wanted_from, standing.wanted_to);
  }
  count(connection, connection.hops_);
}

void ConnectionTable::reach(Connection& connection, Stage stage) {
  connection.stage_ = stage;
  if (journal_ == nullptr) return;
  write_numbers(connection);
  write(connection, Reached{stage, &connection.hops_});
}

void ConnectionTable::set_contract(Connection& connection, const Contract& contract) {
  usage_.remove(connection);
  connection.set_contract(contract);
  usage_.add(connection);
  if (journal_ != nullptr) write(connection, ContractSet{contract});
}

void ConnectionTable::raise_generation(Connection& connection, std::uint32_t generation) {
  if (generation <= connection.generation_) return;
  connection.generation_ = generation;
  if (journal_ != nullptr) write_numbers(connection);
}

std::uint32_t ConnectionTable::next_revision(Connection& connection) {
  const std::uint32_t revision = ++connection.more().revision;
  if (journal_ != nullptr) write_numbers(connection);
  return revision;
}

std::uint16_t ConnectionTable::next_leg(Connection& connection) {
  const std::uint16_t leg = connection.more().next_leg++;
  if (journal_ != nullptr) write_numbers(connection);
  return leg;
}

void ConnectionTable::join(Connection& connection, const std::string& end, HopTree& scion) {
  if (journal_ != nullptr) write(connection, LeafJoined{end, &scion});
  connection.more().leaves.push_back({end, scion.front().leg});
  connection.hops_.graft(std::move(scion));
}

HopTree ConnectionTable::cut(Connection& connection, const std::string& end) {
  if (journal_ != nullptr) write(connection, LeafCut{end});
  Connection::Standing& standing = connection.more();
  std::uint16_t leg = 0;
  if (end == connection.ends->to && !standing.first_end_dropped) {
    standing.first_end_dropped = true;
  } else {
    const auto leaf = std::find_if(standing.leaves.begin(), standing.leaves.end(),
                                   [&](const Leaf& it) { return it.end == end; });
    XB_CHECK(leaf != standing.leaves.end(), connection.id, end);
    leg = leaf->leg;
    standing.leaves.erase(leaf);
  }
  return connection.hops_.cut(leg);
}

void ConnectionTable::replace(Connection& connection, const std::vector<HopTree::Step>& steps,
                              HopTree& scion, std::uint32_t generation) {
  if (journal_ != nullptr) write(connection, PathReplaced{&steps, &scion, generation});
  connection.hops_.replace(steps, scion);
  connection.generation_ = generation;
  ++connection.more().reroutes;
}

void ConnectionTable::assign(Connection& connection, const Asker& asker) {
  const ConnectionId alias = ids_.next();
  connection.asker_ = asker;
  usage_.add(connection);
  show_as(connection, alias);
  if (journal_ != nullptr) write(connection, Assigned{asker, alias});
}

void ConnectionTable::show_as(Connection& connection, ConnectionId alias) {
  shown_.erase(connection.shown_id());
  connection.more().alias = alias;
  aliases_.insert(alias, connection.id);
  shown_.insert(alias);
}

void ConnectionTable::hand_back(Connection& connection) {
  shown_.erase(connection.shown_id());
  aliases_.erase(std::exchange(connection.more().alias, ConnectionId{}));
  usage_.remove(connection);
  connection.asker_.reset();
  shown_.insert(connection.id);
  if (journal_ != nullptr) write(connection, HandedBack{});
}

void ConnectionTable::leave_pool(Connection& connection) {
  if (connection.pool() == 0) return;
  --pool_members_[std::exchange(connection.more().pool, 0)];
  if (journal_ != nullptr) write(connection, LeftPool{});
}

void ConnectionTable::begin_release(Connection& connection) {
  connection.stage_ = Stage::kReleasing;
  if (journal_ != nullptr) write(connection, ReleaseBegun{});
}

void ConnectionTable::fold(Connection& connection, HopTree& scion) {
  connection.hops_.graft(std::move(scion));
}

void ConnectionTable::clear(Connection& connection) {
  uncount(connection.hops_);
  if (!connection.hops_.empty()) ++connection.generation_;
  connection.hops_.clear();
}

void ConnectionTable::close(Connection& connection) {
  if (journal_ != nullptr) write(connection, Closed{});
  usage_.remove(connection);
  uncount(connection.hops_);
  shown_.erase(connection.shown_id());
  if (connection.standing_) {
    aliases_.erase(connection.standing_->alias);
    if (connection.pool() != 0) --pool_members_[connection.pool()];
  }
  by_id_.erase(connection.id);
  pool_.destroy(connection);
}

void ConnectionTable::write_numbers(const Connection& connection) {
  write(connection,
        NumbersUsed{connection.generation_, connection.revision(),
                    connection.standing_ ? connection.standing_->next_leg : std::uint16_t{2}});
}

// ===== by switch =====

void ConnectionTable::count(Connection& connection, Hops& hops) {
  for (Hop& hop : hops) by_switch_.add(connection, hop);
}

void ConnectionTable::uncount(Hops& hops) {
  for (Hop& hop : hops) by_switch_.remove(hop, find_indexed);
}

}  // namespace xbind::cmgr
