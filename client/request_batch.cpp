#include "client/request_batch.hpp"

#include <optional>
#include <utility>

#include "core/overloaded.hpp"

namespace xbind::client {
namespace {

// Beyond what a service of cells takes, which is counted with the request.
std::size_t more_octets(const ServiceSpec& service) {
  return service.terms ? 72 + service.terms->name.size() : 8;
}

std::size_t more_octets(const std::optional<ServiceSpec>& service) {
  return service ? 24 + more_octets(*service) : 0;
}

}  // namespace

std::size_t count(const RequestBatch& batch) {
  return batch.connects.size() + batch.releases.size() + batch.modifies.size() +
         batch.leaves.size() + batch.commits.size();
}

std::size_t octets_of(const RequestBatch& batch) {
  std::size_t octets = 96;  // header of the message, session and numbers
  for (const ConnectRequest& request : batch.connects) {
    octets += 64 + request.from.size() + request.to.size() + more_octets(request.service) +
              more_octets(request.reverse);
  }
  octets += 16 * (batch.releases.size() + batch.commits.size());
  for (const ModifyRequest& request : batch.modifies) {
    octets += 48 + more_octets(request.service) + more_octets(request.reverse);
  }
  for (const LeafRequest& request : batch.leaves) octets += 24 + request.end.size();
  return octets;
}

void append(Request request, RequestBatch& to) {
  std::visit(Overloaded{
                 [&](ConnectRequest& connect) { to.connects.push_back(std::move(connect)); },
                 [&](ReleaseRequest& release) { to.releases.push_back(release); },
                 [&](ModifyRequest& modify) { to.modifies.push_back(std::move(modify)); },
                 [&](LeafRequest& leaf) { to.leaves.push_back(std::move(leaf)); },
                 [&](CommitRequest& commit) { to.commits.push_back(commit); },
             },
             request);
}

void append(const RequestBatch& from, Place place, RequestBatch& to) {
  switch (place.list) {
    case Place::List::kConnects: to.connects.push_back(from.connects[place.index]); return;
    case Place::List::kReleases: to.releases.push_back(from.releases[place.index]); return;
    case Place::List::kModifies: to.modifies.push_back(from.modifies[place.index]); return;
    case Place::List::kLeaves: to.leaves.push_back(from.leaves[place.index]); return;
    case Place::List::kCommits: to.commits.push_back(from.commits[place.index]); return;
  }
}

}  // namespace xbind::client
