#include "core/wire_octets.hpp"

#include <optional>
#include <string>
#include <vector>

namespace xbind {
namespace {

// Each size below is for a structure that begins at a multiple of eight, rounded up to eight.

// A length, the characters, a terminating zero, and up to three octets of padding.
std::size_t octets(const std::string& text) { return text.size() + 8; }

constexpr std::size_t kSetup = 88;
constexpr std::size_t kModify = 24;
constexpr std::size_t kRemoval = 24;
constexpr std::size_t kOwner = 24;  // without its names
constexpr std::size_t kService = 40;
constexpr std::size_t kResult = 40;
constexpr std::size_t kPortLabels = 8;
constexpr std::size_t kLabel = 8;
constexpr std::size_t kPortQuota = 24;
constexpr std::size_t kPortDemand = 8;
constexpr std::size_t kPortRecall = 24;
constexpr std::size_t kTraced = 8;

std::size_t octets(const std::vector<PortLabels>& ports) {
  std::size_t sum = 0;
  for (const PortLabels& port : ports) sum += kPortLabels + kLabel * port.labels.size();
  return sum;
}

std::size_t octets(const ServiceSpec& service) {
  if (service.kind != ServiceKind::kClass) return 32;
  return 88 + (service.terms ? octets(service.terms->name) : 8);
}

std::size_t octets(const std::optional<ServiceSpec>& service) {
  return 8 + (service ? octets(*service) : 0);
}

std::size_t octets(const Debt& debt) { return 8 + octets(debt.element); }

// A missing reason is replaced by explain() (core/call.hpp): the words of a cause, the element, two
// numbers, and what is owed where.
std::size_t octets_of_refusal(const Outcome& outcome) {
  const std::size_t reason = outcome.reason.empty()
                                 ? 160 + outcome.element.size() + outcome.owed.element.size()
                                 : outcome.reason.size();
  return 64 + octets(outcome.element) + reason + octets(outcome.owed);
}

}  // namespace

std::size_t wire_octets(const HopBatch& batch) {
  std::size_t sum = kEmptyBatchOctets + kSetup * batch.setups.size() +
                    kModify * batch.modifies.size() + kRemoval * batch.removals.size() +
                    octets(batch.returned) + kPortQuota * batch.quota_returned.size() +
                    kPortDemand * batch.declared.size() + kTraced * batch.traced.size();
  for (const HopOwner& owner : batch.owners) {
    sum += kOwner + octets(owner.client) + octets(owner.from) + octets(owner.to);
  }
  // A service is normally sent once (orb/convert_hops.cpp): the next command does not repeat it.
  const auto services = [&sum](const auto& commands) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const bool same = i > 0 && commands[i].demand == commands[i - 1].demand &&
                        commands[i].contract == commands[i - 1].contract;
      if (!same) sum += kService;
    }
  };
  services(batch.setups);
  services(batch.modifies);
  return sum;
}

std::size_t wire_octets(const HopResultBatch& batch) {
  return kEmptyBatchOctets + kResult * batch.results.size() + octets(batch.granted) +
         kPortQuota * batch.quota_granted.size() + kPortRecall * batch.recalls.size();
}

std::size_t wire_octets(const RequestBatch& batch) {
  std::size_t sum = kEmptyBatchOctets + 16 * (batch.releases.size() + batch.commits.size());
  for (const ConnectRequest& connect : batch.connects) {
    sum += 32 + octets(connect.from) + octets(connect.to) + octets(connect.service) +
           octets(connect.reverse);
  }
  for (const ModifyRequest& modify : batch.modifies) {
    sum += 16 + octets(modify.service) + octets(modify.reverse);
  }
  for (const LeafRequest& leaf : batch.leaves) sum += 24 + octets(leaf.end);
  return sum;
}

std::size_t wire_octets(const Outcome& outcome) {
  constexpr std::size_t kBegin = 24;  // numbers and kind
  switch (outcome.kind) {
    case OutcomeKind::kConnected: return kBegin + 40;
    case OutcomeKind::kLeafAdded: return kBegin + 8;
    case OutcomeKind::kRefused:
    case OutcomeKind::kBusy: return kBegin + octets_of_refusal(outcome);
    case OutcomeKind::kReleased:
    case OutcomeKind::kLeafDropped: return kBegin + octets(outcome.owed);
    case OutcomeKind::kHeld:
    case OutcomeKind::kModified: return kBegin;
  }
  return kBegin;
}

std::size_t wire_octets(const Notice& notice) {
  // As for a refusal without reason and debt.
  if (notice.kind == NoticeKind::kBroken) return 216 + 2 * notice.element.size();
  return 24 + octets(notice.element);
}

std::size_t wire_octets(const OutcomeBatch& batch) {
  std::size_t sum = kEmptyBatchOctets;
  for (const Outcome& outcome : batch.outcomes) sum += wire_octets(outcome);
  for (const Notice& notice : batch.notices) sum += wire_octets(notice);
  return sum;
}

}  // namespace xbind
