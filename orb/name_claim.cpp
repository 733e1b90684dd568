#include "orb/name_claim.hpp"

#include <utility>

#include "core/log.hpp"

namespace xbind::orb {
namespace {

std::string path_of_claim(const std::string& path) {
  const std::size_t root = path.find('/');
  return path.substr(0, root) + "/starting" + path.substr(root);
}

}  // namespace

NameClaims::NameClaims(NameClient& names, std::vector<Binding> bindings)
    : names_(names), holders_(names), bindings_(std::move(bindings)), held_(bindings_.size()) {
  for (const Binding& one : bindings_) claims_.push_back({path_of_claim(one.path), one.object});
}

NameClaims::~NameClaims() {
  for (std::size_t place = 0; place < claims_.size(); ++place) give_up(place);
}

Result<std::optional<Held>> NameClaims::claim(std::size_t place) {
  const Binding& binding = bindings_[place];
  if (!held_[place]) {
    auto other = claim_below_starting(claims_[place]);
    if (!other || *other) return other;
    held_[place] = true;
  }
  // Checked after the claim, to find a daemon that has just bound the name and removed its claim.
  auto holder = holders_.look(binding);
  if (!holder) return tl::make_unexpected(holder.error());
  if (holder->holder == Holder::kLiving) return *holder;
  if (holder->holder == Holder::kSilent) {
    log::orb.info("{} is bound to {}, which does not answer: it will be taken over", binding.path,
                  holder->address.empty() ? "an object" : holder->address);
  }
  return std::nullopt;
}

Result<std::optional<Held>> NameClaims::claim_below_starting(const Binding& claimed) {
  const auto fresh = names_.bind(claimed.path, claimed.object);
  if (!fresh) return tl::make_unexpected(fresh.error());
  if (*fresh) return std::nullopt;
  auto holder = holders_.look(claimed);
  if (!holder) return tl::make_unexpected(holder.error());
  if (holder->holder == Holder::kLiving) return *holder;
  const auto over = names_.rebind(claimed.path, claimed.object);
  if (!over) return tl::make_unexpected(over.error());
  return std::nullopt;
}

void NameClaims::give_up(std::size_t place) {
  if (!held_[place]) return;
  held_[place] = false;
  // Another daemon may have taken the claim over while this process did not answer.
  if (holders_.is_ours(claims_[place])) (void)names_.unbind(claims_[place].path);
}

}  // namespace xbind::orb
