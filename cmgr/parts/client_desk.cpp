#include "cmgr/parts/client_desk.hpp"

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/name.hpp"
#include "core/planted.hpp"
#include "core/wire_octets.hpp"

namespace xbind::cmgr {
namespace {

// Outcomes in one message; keeps it well below a socket's send buffer.
constexpr std::size_t kOutcomesPerBatch = 1024;

}  // namespace

ClientDesk::ClientDesk(const Config& config, Peers& peers, CallTimes& times)
    : config_(config), peers_(peers), times_(times) {
  clients_.push_back(std::make_unique<Client>());
  clients_[kLocal.value()]->name = kTwoWayClient;
}

ClientDesk::~ClientDesk() {
  for (const auto& client : clients_) {
    if (!client) continue;
    for (const auto& [id, request] : client->requests) requests_.destroy(*request);
  }
}

Result<Epoch> ClientDesk::new_epoch(const std::string& name) {
  if (const auto named = check_name("client", name); !named) {
    return tl::make_unexpected(named.error());
  }
  const auto known = by_name_.find(name);
  const std::uint64_t newest =
      known == by_name_.end() ? 0 : clients_[known->second.value()]->newest.value();
  if (planted(Bug::kEpochNotRaised)) return Epoch{std::max<std::uint64_t>(newest, 1)};
  // Sessions and these epochs are numbered together: later ones of any name are higher.
  return Epoch{std::max(newest + 1, config_.epoch << 32 | next_session_++)};
}

bool ClientDesk::Client::counts(Epoch asked, std::uint64_t given_out) const {
  return asked.value() < given_out || asked <= newest ||
         asked.value() - newest.value() <= kEpochStepMax || planted(Bug::kForgedEpochKept);
}

Result<ClientAttachment> ClientDesk::attach(const std::string& name, Epoch epoch, TimePoint now) {
  if (const auto named = check_name("client", name); !named) {
    return tl::make_unexpected(named.error());
  }
  const std::uint64_t given_out = config_.epoch << 32 | next_session_;
  auto known = by_name_.find(name);
  const Client* const before =
      known == by_name_.end() ? nullptr : clients_[known->second.value()].get();
  const bool again = before != nullptr && before->link != nullptr;
  if (before != nullptr) {
    const Epoch newest = again && !before->counts(epoch, given_out)
                             ? std::max(before->newest, before->epoch)
                             : before->newest;
    if (epoch < newest) {
      return tl::make_unexpected(Error{
          ErrorCode::kFenced,
          fmt::format("client {} with epoch {} is fenced off by epoch {}", name, epoch, newest),
          newest.value()});
    }
  }
  if (!again && by_session_.size() >= config_.clients.attached_max && !displace_unheard(now)) {
    return fail(ErrorCode::kExhausted, "{} clients are attached; no more are accepted",
                config_.clients.attached_max);
  }
  if (known != by_name_.end()) {
    end_session(*clients_[known->second.value()],
                {SessionEnd::kReplaced, fmt::format("epoch {} has attached", epoch)});
  } else {
    static_cast<void>(add(name));
    known = by_name_.find(name);
  }
  Client& client = *clients_[known->second.value()];
  client.session = SessionId{config_.epoch << 32 | next_session_++};
  if (epoch != client.epoch || client.epoch_since == SessionId{}) {
    client.epoch_since = client.session;
  }
  client.epoch = epoch;
  if (client.counts(epoch, given_out)) client.newest = std::max(client.newest, epoch);
  client.link = std::make_unique<ClientSession>(config_.client_session, now);
  client.link->on_confirmed([this, &client](const OutcomeBatch& batch) {
    for (const Outcome& outcome : batch.outcomes) {
      // A request that was not admitted left no record; its number may belong to another request.
      const Request* const request = client.requests.find(outcome.request);
      if (request == nullptr || !request->answered) continue;
      const bool refusal = outcome.cause != Cause::kNone;
      if (refusal && request->outcome != outcome) continue;
      if (request->asked_in == client.session) drop(client, outcome.request);
    }
  });
  by_session_.emplace(client.session, known->second);
  unheard_.emplace(client.session, now);
  if (!client.waiting.empty()) mark_dirty(known->second);
  log::sessions.info("client {} attached, epoch {}, session {}", name, epoch, client.session);
  if (events_ != nullptr) {
    events_->add(EventKind::kSessionAttached, "client " + name,
                 fmt::format("epoch {}, session {}", epoch, client.session));
  }
  return ClientAttachment{client.session, config_.client_session.batches_in_flight};
}

bool ClientDesk::displace_unheard(TimePoint now) {
  // Session numbers rise, so the first one is the oldest.
  if (unheard_.empty() || now - unheard_.begin()->second < kUnheardFor) return false;
  const ClientIndex index = by_session_.at(unheard_.begin()->first);
  ++counters_.displaced;
  end_session(*clients_[index.value()],
              {SessionEnd::kSilent, "it has sent nothing, and another client needs its place"});
  forget_if_done(index);
  return true;
}

ClientIndex ClientDesk::add(const std::string& name) {
  ClientIndex index;
  if (free_slots_.empty()) {
    index = ClientIndex{static_cast<ClientIndex::rep>(clients_.size())};
    clients_.push_back(nullptr);
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  clients_[index.value()] = std::make_unique<Client>();
  clients_[index.value()]->name = name;
  by_name_.emplace(name, index);
  return index;
}

ClientIndex ClientDesk::remember_client(const std::string& name, Epoch epoch) {
  if (name == kTwoWayClient) return kLocal;
  const auto known = by_name_.find(name);
  const ClientIndex index = known == by_name_.end() ? add(name) : known->second;
  Client& client = *clients_[index.value()];
  if (client.session == SessionId{}) client.epoch = std::max(client.epoch, epoch);
  if (client.counts(epoch, config_.epoch << 32 | next_session_))
    client.newest = std::max(client.newest, epoch);
  return index;
}

void ClientDesk::remember_request(ClientIndex index, Epoch epoch, RequestId request,
                                  ConnectionId made) {
  if (index == kLocal) return;  // two-way callers do not repeat
  clients_[index.value()]->remembered.insert_or_assign(request, Client::Remembered{made, epoch});
}

std::optional<ConnectionId> ClientDesk::remembered_request(ClientIndex index,
                                                           RequestId request) const {
  const Client& client = *clients_[index.value()];
  if (client.remembered.empty()) return std::nullopt;
  const auto found = client.remembered.find(request);
  if (found == client.remembered.end() || found->second.epoch != client.epoch) return std::nullopt;
  return found->second.connection;
}

void ClientDesk::detach(SessionId session) {
  const auto found = by_session_.find(session);
  if (found == by_session_.end()) return;
  const ClientIndex index = found->second;
  log::sessions.info("client {} detached", clients_[index.value()]->name);
  end_session(*clients_[index.value()], {SessionEnd::kDetached});
  forget_if_done(index);
}

Result<ClientIndex> ClientDesk::receive(SessionId session, session::Frame<RequestBatch> frame,
                                        TimePoint now,
                                        std::vector<std::shared_ptr<const RequestBatch>>& apply) {
  ++counters_.frames_in;
  const auto found = by_session_.find(session);
  if (found == by_session_.end()) {
    ++counters_.unknown_session;
    if (const auto times = unknown_log_.noted("", now)) {
      log::sessions.info(
          "client session {} is unknown; a batch of it is ignored ({} since the last line)",
          session, *times);
    }
    return fail(ErrorCode::kNotFound, "no client session {}", session);
  }
  const ClientIndex index = found->second;
  Client& client = *clients_[index.value()];
  if (!unheard_.empty()) unheard_.erase(session);
  const bool had_credit = client.link->has_credit();
  if (auto received = client.link->receive(std::move(frame), now, apply); !received) {
    log::sessions.warn("client {}: {}; its session ends", client.name, received.error().text);
    ++counters_.sessions_lost;
    end_session(client, {SessionEnd::kProtocol, received.error().text});
    forget_if_done(index);
    return tl::make_unexpected(received.error());
  }
  if (!had_credit && (!client.waiting.empty() || !client.notices.empty())) mark_dirty(index);
  return index;
}

ClientDesk::Admission ClientDesk::admit(ClientIndex index, RequestId request,
                                        std::uint64_t digest) {
  Client& client = *clients_[index.value()];
  Request* known = client.requests.find(request);
  if (known != nullptr && known->digest != digest && index != kLocal) {
    if (known->asked_in >= client.epoch_since) return Admission::kOther;
    if (!known->answered) return Admission::kOtherUnderWay;
    drop(client, request);
    known = nullptr;
  }
  if (known != nullptr && !planted(Bug::kRequestTwice)) {
    ++counters_.repeated_requests;
    known->asked_in = client.session;
    if (known->answered) wait_for_credit(index, Outcome{known->outcome}, kNotTimed);
    return Admission::kRepeated;
  }
  while (client.requests.size() >= config_.clients.requests_max && !client.left_over.empty()) {
    const RequestId oldest = client.left_over.front();
    client.left_over.pop_front();
    const Request* const left = client.requests.find(oldest);
    const bool unheard = left != nullptr && left->answered && left->asked_in != client.session;
    if (unheard) drop(client, oldest);
  }
  if (client.requests.size() >= config_.clients.requests_max) return Admission::kTooMany;
  if (known == nullptr) {
    client.requests.insert_new(request, &requests_.make(client.session, digest));
  }
  ++client.under_way;
  return Admission::kNew;
}

void ClientDesk::keep_repeated(ClientIndex index, RequestId request, std::uint64_t digest) {
  const Client& client = *clients_[index.value()];
  Request* const known = client.requests.find(request);
  if (known != nullptr && known->digest == digest) known->asked_in = client.session;
}

void ClientDesk::drop(Client& client, RequestId request) {
  Request* const gone = client.requests.erase(request);
  if (gone != nullptr) requests_.destroy(*gone);
}

void ClientDesk::wait_for_credit(ClientIndex index, Outcome&& outcome, TimesIndex times) {
  Client& client = *clients_[index.value()];
  if (client.waiting.empty()) client.waiting.reserve(client.outcomes_expected);
  client.waiting.push_back(std::move(outcome));
  client.waiting_times.push_back(times);
  mark_dirty(index);
}

void ClientDesk::answer(ClientIndex index, Outcome&& outcome, TimesIndex times) {
  Client& client = *clients_[index.value()];
  if (index == kLocal) {
    const RequestId token = outcome.request;
    drop(client, token);
    --client.under_way;
    times_.handed_over_at_once(times);
    peers_.local_outcome(token, std::move(outcome));
    return;
  }
  Request* const request = client.requests.find(outcome.request);
  if (request != nullptr && !request->answered) {
    request->answered = true;
    request->outcome = outcome;
    --client.under_way;
  }
  if (!client.link || (request != nullptr && request->asked_in != client.session)) {
    times_.close(times);
    // This session did not carry the request. A repeat of the request gets the outcome.
    client.left_over.push_back(outcome.request);
    forget_if_done(index);
    return;
  }
  wait_for_credit(index, std::move(outcome), times);
}

void ClientDesk::answer_unremembered(ClientIndex index, Outcome&& outcome) {
  if (clients_[index.value()]->link) wait_for_credit(index, std::move(outcome), kNotTimed);
}

void ClientDesk::notify(ClientIndex index, Notice notice) {
  Client& client = *clients_[index.value()];
  if (!client.link) {
    ++counters_.notices_lost;
    return;
  }
  ++counters_.notices;
  const ConnectionId connection = notice.connection;
  client.notices.insert_or_assign(connection, std::move(notice));
  mark_dirty(index);
}

std::optional<Outcome> ClientDesk::outcome_of(const std::string& name, RequestId request) const {
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return std::nullopt;
  const Client& client = *clients_[known->second.value()];
  const Request* const asked = client.requests.find(request);
  if (asked == nullptr || !asked->answered) return std::nullopt;
  return asked->outcome;
}

std::vector<ClientDesk::Known> ClientDesk::page(const std::string& after, std::size_t limit) const {
  std::vector<ClientIndex> those;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i] && clients_[i]->name > after) {
      those.push_back(ClientIndex{static_cast<ClientIndex::rep>(i)});
    }
  }
  const std::size_t count = std::min(limit, those.size());
  std::partial_sort(those.begin(), those.begin() + static_cast<std::ptrdiff_t>(count), those.end(),
                    [this](ClientIndex a, ClientIndex b) { return name(a) < name(b); });
  std::vector<Known> page;
  for (std::size_t i = 0; i < count; ++i) {
    const Client& client = *clients_[those[i].value()];
    page.push_back(
        {client.name, those[i], client.epoch, client.session, client.under_way, client.ended});
  }
  return page;
}

void ClientDesk::owns(ClientIndex index, int change) {
  clients_[index.value()]->connections += static_cast<std::uint64_t>(change);
  if (change < 0 && index != kLocal) forget_if_done(index);
}

void ClientDesk::flush(TimePoint now) {
  for (const ClientIndex index : std::exchange(dirty_, {})) {
    if (!clients_[index.value()]) continue;
    Client& client = *clients_[index.value()];
    client.dirty = false;
    if (!client.link) continue;
    std::size_t sent = 0;
    while ((sent < client.waiting.size() || !client.notices.empty()) && client.link->has_credit()) {
      const std::size_t count = std::min(client.waiting.size() - sent, kOutcomesPerBatch);
      OutcomeBatch batch;
      std::size_t octets = kEmptyBatchOctets;
      for (std::size_t i = sent; i < sent + count; ++i) {
        octets += wire_octets(client.waiting[i]);
        times_.handed_over(client.waiting_times[i], now);
      }
      // Usually everything that waits is sent at once, so the vector is moved as it is.
      if (count != 0 && count == client.waiting.size()) {
        batch.outcomes = std::exchange(client.waiting, {});
        client.waiting_times.clear();
        client.outcomes_expected = count;
      } else {
        const auto from = client.waiting.begin() + static_cast<std::ptrdiff_t>(sent);
        batch.outcomes.assign(std::make_move_iterator(from),
                              std::make_move_iterator(from + static_cast<std::ptrdiff_t>(count)));
        sent += count;
      }
      while (!client.notices.empty() && batch.notices.size() < kOutcomesPerBatch - count) {
        auto notice = client.notices.extract(client.notices.begin());
        octets += wire_octets(notice.mapped());
        batch.notices.push_back(std::move(notice.mapped()));
      }
      transmit(client, client.link->send(std::move(batch), octets, now));
    }
    client.waiting.erase(client.waiting.begin(),
                         client.waiting.begin() + static_cast<std::ptrdiff_t>(sent));
    client.waiting_times.erase(client.waiting_times.begin(),
                               client.waiting_times.begin() + static_cast<std::ptrdiff_t>(sent));
    if (client.waiting.size() > kOutcomesWaiting) {
      log::sessions.warn("client {}: session ended: {} outcomes are unconfirmed", client.name,
                         client.waiting.size());
      ++counters_.sessions_lost;
      end_session(client, {SessionEnd::kFlooded,
                           fmt::format("{} outcomes are unconfirmed", client.waiting.size())});
      forget_if_done(index);
    }
  }
}

void ClientDesk::tick(TimePoint now) {
  std::vector<session::Frame<OutcomeBatch>> frames;
  std::vector<std::pair<ClientIndex, std::string>> lost;
  for (const auto& [session, index] : by_session_) {
    Client& client = *clients_[index.value()];
    if (client.link->next_deadline() > now) continue;
    frames.clear();
    if (auto ticked = client.link->tick(now, frames); !ticked) {
      log::sessions.warn("client {}: {}; its session ends, its connections stay", client.name,
                         ticked.error().text);
      ++counters_.sessions_lost;
      lost.emplace_back(index, ticked.error().text);
    }
    for (auto& frame : frames) transmit(client, std::move(frame));
  }
  for (const auto& [index, reason] : lost) {
    end_session(*clients_[index.value()], {SessionEnd::kSilent, reason});
    forget_if_done(index);
  }
}

TimePoint ClientDesk::next_deadline() const {
  TimePoint due = kNever;
  for (const auto& [session, index] : by_session_) {
    due = std::min(due, clients_[index.value()]->link->next_deadline());
  }
  return due;
}

void ClientDesk::end_all() {
  for (const auto& client : clients_) {
    if (client) end_session(*client, {SessionEnd::kShutdown});
  }
}

void ClientDesk::end_session(Client& client, const SessionEnding& ending) {
  if (!client.link) return;
  by_session_.erase(client.session);
  client.ended = ending;
  if (events_ != nullptr) {
    events_->add(EventKind::kSessionEnded, "client " + client.name, text_of(ending));
  }
  unheard_.erase(client.session);
  peers_.client_session_over(std::exchange(client.session, SessionId{}), ending);
  client.link.reset();
  // Queued outcomes are remembered in `requests` and sent again when the client repeats the
  // request.
  for (const TimesIndex times : client.waiting_times) times_.close(times);
  client.waiting.clear();
  client.waiting_times.clear();
  counters_.notices_lost += client.notices.size();
  client.notices.clear();
  client.left_over.clear();
  for (const auto& [id, request] : client.requests) {
    if (request->answered) client.left_over.push_back(id);
  }
  std::sort(client.left_over.begin(), client.left_over.end());
}

void ClientDesk::forget_if_done(ClientIndex index) {
  const Client& client = *clients_[index.value()];
  if (index == kLocal || !client.done()) return;
  if (client.requests.empty()) {
    forget(index);
    return;
  }
  // The client left without confirming its last outcomes and may return to request them again.
  if (std::find(departed_.begin(), departed_.end(), index) == departed_.end()) {
    departed_.push_back(index);
  }
  while (departed_.size() > config_.clients.attached_max) {
    const ClientIndex oldest = departed_.front();
    departed_.pop_front();
    if (clients_[oldest.value()] && clients_[oldest.value()]->done()) forget(oldest);
  }
}

void ClientDesk::forget(ClientIndex index) {
  by_name_.erase(clients_[index.value()]->name);
  for (const auto& [id, request] : clients_[index.value()]->requests) requests_.destroy(*request);
  clients_[index.value()].reset();
  free_slots_.push_back(index);
}

void ClientDesk::mark_dirty(ClientIndex index) {
  Client& client = *clients_[index.value()];
  if (client.dirty) return;
  client.dirty = true;
  dirty_.push_back(index);
}

void ClientDesk::transmit(Client& client, session::Frame<OutcomeBatch> frame) {
  ++counters_.frames_out;
  peers_.to_client(client.session, std::move(frame));
}

}  // namespace xbind::cmgr
