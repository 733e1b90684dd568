// The processes of the model: a client, the real ConnectionManager, the real SwitchServer of each
// switch on the path, and the switches. Each is a Process of machine.hpp around a step machine.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/model/costs.hpp"
#include "bench/model/machine.hpp"
#include "callgen/load/holding_time.hpp"
#include "callgen/load/pacer.hpp"
#include "client/requester.hpp"
#include "cmgr/connection_manager.hpp"
#include "core/metrics/histogram.hpp"
#include "core/session/session.hpp"
#include "switchserver/switch_server.hpp"

namespace xbind::model {

// What came of a step, with its costs and its way.
class Outbox {
 public:
  Outbox(const Process& sender, const Machine& machine, Duration network)
      : sender_(sender), machine_(machine), network_(network) {}
  void put(Process& to, Message message, Duration cost) {
    waiting_.push_back({&to, std::move(message), cost,
                        machine_.same_host(sender_, to) ? Duration::zero() : network_});
  }
  // To oneself, later and for nothing.
  void remind(Process& self, std::uint64_t number, Duration later) {
    waiting_.push_back({&self, {{}, Reminder{number}}, {}, later});
  }
  void take(std::vector<Outgoing>& out) {
    std::move(waiting_.begin(), waiting_.end(), std::back_inserter(out));
    waiting_.clear();
  }

 private:
  const Process& sender_;
  const Machine& machine_;
  Duration network_;
  std::vector<Outgoing> waiting_;
};

// The switch: answers every request in its order, and refuses none.
class LabelSwitchSite final : public Process {
 public:
  LabelSwitchSite(std::string name, const Machine& machine, const Costs& costs);
  void connect(Process& server) { server_ = &server; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;

 private:
  const ProcessCosts& costs_;
  Outbox outbox_;
  Process* server_ = nullptr;
};

// RouteObject or QOSMapper: answers every question at once.
class MapperSite final : public Process {
 public:
  MapperSite(std::string name, const Machine& machine, const Costs& costs);
  void connect(Process& manager) { manager_ = &manager; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;

 private:
  const ProcessCosts& costs_;
  Outbox outbox_;
  Process* manager_ = nullptr;
};

class SwitchServerSite final : public Process, private SwitchDriver, private ManagerOutlet {
 public:
  static constexpr PortId kIn{1};
  static constexpr PortId kOut{2};

  SwitchServerSite(std::string name, std::uint64_t session_base,
                   const session::Limits& session_limits, const Machine& machine,
                   const Costs& costs);
  // Who is at the other ends; the switch is up from then on.
  void connect(Process& manager, Process& label_switch, TimePoint now);
  SwitchServer& server() { return server_; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;
  TimePoint next_deadline() const override { return server_.next_deadline(); }

 private:
  void add(const CrossConnect& cross_connect, const TrafficContract& contract,
           driver::Cookie cookie) override;
  void remove(const CrossConnect& cross_connect, driver::Cookie cookie) override;
  void move(const CrossConnect& cross_connect, PortId new_output_port, Label new_output_label,
            const TrafficContract& contract, driver::Cookie cookie) override;
  void read_table(driver::Cookie cookie) override;
  void read_statistics(PortId port, Label label, driver::Cookie cookie) override;
  void flush() override {}
  void to_manager(SessionId session, session::Frame<HopResultBatch> frame) override;
  void audited(std::uint64_t, LedgerReport) override {}
  void executed(std::uint64_t token, Result<HopResultBatch> results) override;

  const ProcessCosts& costs_;
  Duration hand_over_;
  Outbox outbox_;
  Outbox to_manager_;  // goes after what the switch gets
  Process* manager_ = nullptr;
  Process* label_switch_ = nullptr;
  SwitchRequests requests_;  // of the step in hand
  SwitchServer server_;
};

class ManagerSite final : public Process, private cmgr::Peers {
 public:
  ManagerSite(std::string name, cmgr::Config config, Duration route_validity,
              const Machine& machine, const Costs& costs);
  struct Others {
    Process& client;
    Process& route_object;
    Process& qos_mapper;
    std::vector<SwitchServerSite*> path;
  };
  void connect(Others others, TimePoint now);
  cmgr::ConnectionManager& manager() { return manager_; }

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;
  TimePoint next_deadline() const override { return manager_.next_deadline(); }

  // Batches of commands (two-way ones too), and the commands in them; repeats count.
  struct Exchanged {
    std::uint64_t batches = 0;
    std::uint64_t commands = 0;
    std::uint64_t questions = 0;  // messages to RouteObject and QOSMapper
    std::uint64_t requests = 0;   // GIOP requests sent and taken, of all kinds; no replies
  };
  const Exchanged& exchanged() const { return exchanged_; }

 private:
  void to_switch(SessionId session, const std::string& switch_name,
                 session::Frame<HopBatch> frame) override;
  void to_client(SessionId session, session::Frame<OutcomeBatch> frame) override;
  void local_outcome(RequestId, Outcome) override {}
  void ask_routes(std::vector<cmgr::RouteQuery> queries) override;
  void ask_services(std::vector<ServiceSpec> services) override;
  void invoke(SessionId session, const std::string& switch_name, HopBatch batch) override;
  void attach_switch(const std::string& switch_name) override;
  void switch_session_over(SessionId /*session*/) override {}  // the sites stay
  void client_session_over(SessionId /*session*/, const SessionEnding& /*ending*/) override {}

  SwitchServerSite& site_of(const std::string& switch_name);
  void ask(Process& mapper, std::size_t questions);
  void answer_routes(std::size_t count, TimePoint now);
  void answer_services(std::size_t count, TimePoint now);
  void attach(const std::string& switch_name, TimePoint now);

  struct Invoked {
    SessionId session;
    HopBatch batch;
  };

  const ProcessCosts& costs_;
  Duration hand_over_;
  Duration route_validity_;
  Outbox outbox_;
  Outbox to_client_;  // goes after what the switches get
  Process* client_ = nullptr;
  Process* route_object_ = nullptr;
  Process* qos_mapper_ = nullptr;
  std::vector<SwitchServerSite*> path_;
  std::vector<std::string> to_attach_;
  std::deque<cmgr::RouteQuery> queries_;  // asked and not answered; answers keep the order
  std::deque<ServiceSpec> services_;
  std::uint64_t next_invocation_ = 1;
  std::unordered_map<std::uint64_t, Invoked> invoked_;
  Exchanged exchanged_;
  cmgr::ConnectionManager manager_;  // last: it may call the others
};

struct ClientPlan {
  double rate = 1;  // calls per second; Poisson
  std::uint64_t calls = 1;
  callgen::HoldDistribution hold_distribution = callgen::HoldDistribution::kConstant;
  Duration hold_mean{};
  std::uint64_t seed = 1;
  std::size_t batch = 64;        // most requests in one message
  std::uint64_t warm_calls = 0;  // the first ones, whose latencies are not recorded
  std::size_t callers = 1;       // sessions, in which calls take turns
  bool one_at_a_time =
      false;  // a call begins when the one before is over; the rate is not looked at
  session::Limits session;
};

// Offers calls without regard to how earlier ones fared (unless one at a time), and releases them when
// their time is over. Each caller is a client::Requester, as in a program. Nothing is lost here, so
// that it attaches once and repeats no request.
class ClientSite final : public Process {
 public:
  ClientSite(std::string name, const ClientPlan& plan, const Machine& machine, const Costs& costs);
  // `on_arrival`: called for each call after the warm-up, when it begins.
  void connect(ManagerSite& manager, std::function<void()> on_arrival, TimePoint now);

  Duration cost_of(const Message& message) const override;
  void step(std::vector<Message>& messages, TimePoint now, std::vector<Outgoing>& out) override;
  TimePoint next_deadline() const override;

  bool over() const { return next_call_ == plan_.calls && open_ == 0; }

  struct Figures {
    std::uint64_t offered = 0;
    std::uint64_t connected = 0;
    std::uint64_t refused = 0;  // busy ones too
    std::uint64_t released = 0;
    Histogram
        setup;  // from the intended start to the outcome, of the connected ones after the warm-up
  };
  const Figures& figures() const { return figures_; }
  std::uint64_t answered() const { return figures_.connected + figures_.refused; }
  bool warm() const { return next_call_ >= plan_.warm_calls; }
  bool all_offered() const { return next_call_ == plan_.calls; }

 private:
  struct End {
    TimePoint due;
    std::uint64_t call;
    bool operator>(const End& other) const {
      return due != other.due ? due > other.due : call > other.call;
    }
  };
  struct Caller {
    client::Requester requester;
    bool stepped = false;  // something has happened since its last flush
  };
  struct Call {
    TimePoint intended;
    Duration hold;
    ConnectionId connection;
  };

  void plan_next_call(TimePoint now);
  void offer(TimePoint now);
  void judge(const Outcome& outcome, TimePoint now);
  void ask(std::uint64_t call, client::Request request);
  // Sends what the callers have to say; true: one of them was answered.
  bool flush(TimePoint now);
  Caller& caller_of(SessionId session);

  const ProcessCosts& costs_;
  ClientPlan plan_;
  Outbox outbox_;
  Process* manager_ = nullptr;
  std::vector<Caller> callers_;
  client::Actions actions_;  // kept for its memory
  std::function<void()> on_arrival_;
  callgen::Pacer pacer_;
  callgen::HoldingTime holding_;
  TimePoint began_{};
  TimePoint next_arrival_ = kNever;
  std::uint64_t next_call_ = 0;  // its number; call k's requests are 2k + 1 and 2k + 2
  std::uint64_t open_ = 0;       // begun and not over
  std::vector<Call> calls_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  Figures figures_;
};

}  // namespace xbind::model
