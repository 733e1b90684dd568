// A client of the ConnectionManager that uses idl/ alone: one source for every Java ORB.
//
//   Connect NAMES FROM TO plain                        one call after another, no session
//   Connect NAMES FROM TO session CALLS [NOTICE...]    a session: batches both ways
//
// NAMES is HOST:PORT of the name service. NOTICE is "rerouted", "broken" or "mended": once its
// connections are up, the client prints "waiting for NOTICE" and waits until each of them has
// received that notice. python/connect.py prints the same lines. The exit code is 0 only if every
// answer came and was the expected one.

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import xbind.v2.*;

public final class Connect {
  static final String NOWHERE = "nowhere";
  static final ServiceSpec[] ONE_WAY = {};
  static final Attachment[] CELLS_AT_BOTH_ENDS = {};

  final ORB orb;
  final String names;
  final String from;
  final String to;
  final ConnectionManager manager;

  Connect(ORB orb, String names, String from, String to) {
    this.orb = orb;
    this.names = names;
    this.from = from;
    this.to = to;
    manager = ConnectionManagerHelper.narrow(resolve("cmgr"));
  }

  org.omg.CORBA.Object resolve(String kind) {
    return orb.string_to_object("corbaname::" + names + "#xbind/" + kind + "/default");
  }

  public static void main(String[] words) {
    try {
      ORB orb = ORB.init(new String[0], null);
      Connect client = new Connect(orb, words[0], words[1], words[2]);
      if (words[3].equals("plain")) {
        client.plain();
      } else {
        String[] notices = Arrays.copyOfRange(words, 5, words.length);
        client.session(Integer.parseInt(words[4]), notices);
      }
      System.out.flush();
      System.exit(0);
    } catch (Throwable trouble) {  // an ORB's own threads would keep the process alive
      System.out.flush();
      trouble.printStackTrace();
      System.exit(1);
    }
  }

  // --- plainly -------------------------------------------------------------------------------

  void plain() throws Exception {
    say("protocol version %d", protocol_version.value);
    routes();
    quality();
    connectAndModify();
    bothWays();
    hold();
    refusals();
    AuditReport audit = manager.manager_operations().audit_network();
    say("audit %s, %d connections", audit.clean ? "clean" : "not clean", audit.connections);
  }

  // RouteAnswer is a union with a boolean discriminator.
  void routes() throws Exception {
    RouteObject router = RouteObjectHelper.narrow(resolve("routeobject"));
    RouteAnswers found = router.find_paths(new RouteQuery[] {query(to), query(NOWHERE)});
    for (RouteAnswer answer : found.answers) {
      if (answer.discriminator()) {
        say("route over %s", Arrays.stream(answer.found().hops).map(hop -> hop.switch_name)
            .collect(Collectors.joining(", ")));
      } else {
        say("no route: %s", text(answer.why()));
      }
    }
  }

  RouteQuery query(String end) {
    RouteElement[] none = {};
    return new RouteQuery(from, end, 100, none, metric_hops.value, 0, 0, none, disjoint_no.value,
                          new RouteHop[0]);
  }

  void quality() throws Exception {
    QOSMapper mapper = QOSMapperHelper.narrow(resolve("qosmapper"));
    Demand demand = mapper.video_to_network(frames());
    say("video takes %d cells/s and %d cells of buffer", demand.cells_per_s, demand.buffer_cells);
    // CellQuality has members that may be absent.
    ServiceMapping mapping = mapper.describe_service(voice(), (byte) 3);
    say("voice: loss ratio %s, delay %s", given(mapping.whole.clr), given(mapping.whole.ctd_us));
    try {
      mapper.describe_service(named("no-such-service"), (byte) 0);
      throw new IllegalStateException("a service that is not there was described");
    } catch (UnknownService unknown) {
      say("unknown service");
    }
  }

  void connectAndModify() throws Exception {
    NewConnection made = manager.connect(from, to, cells(100));
    say("connected%s, %s", made.held ? " and held" : "", text(made.labels));
    describe(made);
    manager.modify(made.connection, cells(200), ONE_WAY);
    describe(made);
    ConnectionState[] listed = manager.list_connections(made.connection - 1, 1);
    say("listed %s", listed.length == 1 && listed[0].connection == made.connection);
    release(made);
    try {
      manager.describe(made.connection);
      throw new IllegalStateException("a released connection was described");
    } catch (UnknownConnection unknown) {
      say("unknown connection %s", unknown.connection == made.connection);
    }
  }

  void describe(NewConnection made) throws Exception {
    ConnectionState state = manager.describe(made.connection);
    say("phase %d, condition %d, %s -> %s, %d cells/s", state.phase, state.condition,
        state.from_end, state.to_end, state.resources.cells_per_s);
    for (HopState hop : state.hops) {
      say("leg %d hop %d %s: port %d label %s -> port %d label %s", hop.leg, hop.number,
          hop.switch_name, hop.input_port, text(hop.input_label), hop.output_port,
          text(hop.output_label));
    }
  }

  void bothWays() throws Exception {
    // All two-way callers share one space of request numbers; the clock makes this one unique.
    long number = System.nanoTime() & Long.MAX_VALUE;
    ServiceSpec video = new ServiceSpec();
    video.video(frames());
    NewConnection made = manager.connect_as(new ConnectRequest(number, from, to, video,
        new ServiceSpec[] {cells(100)}, (byte) 0, 0, CELLS_AT_BOTH_ENDS));
    say("connected, %s", text(made.labels));
    Outcome outcome = manager.outcome_of("(two-way)", number);
    say("remembered %s", outcome.connection == made.connection
        && outcome.body.discriminator() == OutcomeKind.outcome_connected
        && text(outcome.body.labels()).equals(text(made.labels)));
    release(made);
  }

  void hold() throws Exception {
    NewConnection made = manager.connect_as(new ConnectRequest(0, from, to, voice(), ONE_WAY,
        (byte) 0, 10000, CELLS_AT_BOTH_ENDS));
    say("held %s, %s", made.held, text(made.labels));
    made = manager.commit(made.connection);
    say("held %s, %s", made.held, text(made.labels));
    release(made);
  }

  void release(NewConnection made) throws Exception {
    say("released, %d removals owed", manager.release(made.connection).removals);
  }

  void refusals() throws Exception {
    try {
      manager.connect(from, NOWHERE, cells(100));
      throw new IllegalStateException("connected to nowhere");
    } catch (Refused refused) {
      say("refused, %s", text(refused.why));
    }
    try {
      manager.connect(from, to, cells(16777215));
      throw new IllegalStateException("connected with more than a link carries");
    } catch (Refused refused) {
      say("refused, %s", text(refused.why));
    }
    try {
      manager.list_connections(0, 0);
      throw new IllegalStateException("listed nothing");
    } catch (BadRequest bad) {
      say("bad request: %s", bad.reason);
    }
  }

  // --- in a session --------------------------------------------------------------------------

  static final int REQUESTS_IN_A_BATCH = 10;
  static final int BIDIRECTIONAL = 5;  // every fifth call

  void session(int calls, String[] notices) throws Exception {
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    poa.the_POAManager().activate();
    Observer observer = new Observer();
    OutcomeObserver self = OutcomeObserverHelper.narrow(poa.servant_to_reference(observer));
    String name = "foreign-" + ProcessHandle.current().pid();
    try {
      manager.attach_client(name, 1, protocol_version.value + 1, self);
      throw new IllegalStateException("another protocol version was taken");
    } catch (VersionMismatch mismatch) {
      say("version mismatch, offered %d, supported %d", mismatch.offered, mismatch.supported);
    }
    long epoch = manager.new_client_epoch(name);
    ClientAttachment attachment = manager.attach_client(name, epoch, protocol_version.value, self);
    observer.begin(attachment);
    Thread sender = new Thread(observer::send);
    sender.start();
    say("attached");

    Map<Long, ConnectionLabels> made = connectAll(observer, calls);
    for (String notice : notices) {
      observer.forget(notice);
      say("waiting for %s", notice);
      observer.await("a notice of each connection",
                     () -> observer.noticed(notice).equals(made.keySet()));
      say("%s: %s", notice, String.join("; ", observer.texts(notice)));
    }
    releaseAll(observer, made.keySet(), calls + 1);

    observer.end();
    sender.join();
    manager.detach_client(attachment.session);
    say("detached");
    System.err.printf("%s%n", observer.statistics());
  }

  // Submits `calls` connects and one that must be refused; the labels by connection.
  Map<Long, ConnectionLabels> connectAll(Observer observer, int calls) throws Exception {
    List<ConnectRequest> requests = new ArrayList<>();
    for (int number = 1; number <= calls + 1; number++) {
      ServiceSpec[] reverse = number % BIDIRECTIONAL == 0 ? new ServiceSpec[] {cells(50)} : ONE_WAY;
      requests.add(new ConnectRequest(number, from, number <= calls ? to : NOWHERE, cells(100),
                                      reverse, (byte) 0, 0, CELLS_AT_BOTH_ENDS));
    }
    for (int first = 0; first < requests.size(); first += REQUESTS_IN_A_BATCH) {
      int end = Math.min(first + REQUESTS_IN_A_BATCH, requests.size());
      observer.submit(batch(requests.subList(first, end), List.of()));
    }
    observer.await("an outcome of each connect", () -> observer.outcomes.size() == calls + 1);

    Map<Long, ConnectionLabels> made = new HashMap<>();
    Set<String> ingress = new HashSet<>();
    Set<String> egress = new HashSet<>();
    int bidirectional = 0;
    for (long number = 1; number <= calls; number++) {
      Outcome outcome = observer.outcomes.get(number);
      if (outcome.body.discriminator() != OutcomeKind.outcome_connected) {
        throw new IllegalStateException(
            "request " + number + " was refused: " + text(outcome.body.why()));
      }
      ConnectionLabels labels = outcome.body.labels();
      made.put(outcome.connection, labels);
      ingress.add(text(labels.forward.ingress));
      egress.add(text(labels.forward.egress));
      bidirectional += labels.back.length;
    }
    say("%d connections, %d both ways, %d ingress labels, %d egress labels", made.size(),
        bidirectional, ingress.size(), egress.size());
    Outcome refused = observer.outcomes.get(calls + 1L);
    say("refused %s, %s", refused.body.discriminator() == OutcomeKind.outcome_refused,
        text(refused.body.why()));
    return made;
  }

  void releaseAll(Observer observer, Set<Long> connections, int last) throws Exception {
    List<ReleaseRequest> requests = new ArrayList<>();
    long number = last;
    for (long connection : connections) {
      requests.add(new ReleaseRequest(++number, connection));
    }
    for (int first = 0; first < requests.size(); first += REQUESTS_IN_A_BATCH) {
      int end = Math.min(first + REQUESTS_IN_A_BATCH, requests.size());
      observer.submit(batch(List.of(), requests.subList(first, end)));
    }
    observer.await("an outcome of each release",
                   () -> observer.outcomes.size() == last + connections.size());
    int released = 0;
    long owed = 0;
    for (long request = last + 1; request <= number; request++) {
      Outcome outcome = observer.outcomes.get(request);
      if (outcome.body.discriminator() == OutcomeKind.outcome_released) {
        released++;
        owed += outcome.body.owed().removals;
      }
    }
    say("%d released, %d removals owed", released, owed);
    if (released != connections.size()) {
      throw new IllegalStateException("a release was refused");
    }
  }

  // The client's end of a session. The ORB may run several upcalls at once, so deliver_outcomes()
  // takes the lock and sorts batches by their numbers. One thread sends all frames. It calls the
  // manager without the lock.
  static final class Observer extends OutcomeObserverPOA {
    static final long TICK_MS = 50;         // longest delay of a confirmation
    static final long RESEND_MS = 300;      // interval at which an unconfirmed batch is repeated
    static final long HEARTBEAT_MS = 2000;  // longest silence; the manager allows 15 s
    static final long PATIENCE_MS = 60000;  // timeout of await()

    static final class Sent {
      final RequestBatch batch;
      long at;  // ms; 0: never

      Sent(RequestBatch batch) {
        this.batch = batch;
      }
    }

    static final class Delivery {
      final Outcome[] outcomes;
      final Notice[] notices;

      Delivery(Outcome[] outcomes, Notice[] notices) {
        this.outcomes = outcomes;
        this.notices = notices;
      }
    }

    final Map<Long, Outcome> outcomes = new HashMap<>();  // by request

    private long session;  // 0: not attached yet
    private RequestInbox inbox;
    private int credit;
    private final ArrayDeque<RequestBatch> queue = new ArrayDeque<>();  // batches without a number
    private final TreeMap<Long, Sent> unconfirmed = new TreeMap<>();    // by number
    private long numbered;  // highest batch number given
    private long applied;   // highest batch number of the manager's applied
    private final TreeMap<Long, Delivery> early = new TreeMap<>();
    private boolean owesConfirmation;
    private boolean ending;
    private String ended;  // why the manager has ended the session
    // Kind of notice: connection: text.
    private final Map<String, Map<Long, String>> notices = new HashMap<>();
    private int heldBack;
    private int repeats;
    private int resent;

    synchronized void begin(ClientAttachment attachment) {
      session = attachment.session;
      inbox = attachment.inbox;
      credit = attachment.batches_in_flight;
    }

    synchronized void submit(RequestBatch batch) {
      queue.add(batch);
      notifyAll();
    }

    synchronized void await(String what, BooleanSupplier done) throws InterruptedException {
      long deadline = now() + PATIENCE_MS;
      while (!done.getAsBoolean()) {
        if (ended != null) {
          throw new IllegalStateException("the manager has ended the session: " + ended);
        }
        if (now() > deadline) {
          throw new IllegalStateException("did not come in time: " + what);
        }
        wait(TICK_MS);
      }
    }

    synchronized void end() {
      ending = true;
      notifyAll();
    }

    synchronized void forget(String notice) {
      notices.remove(notice);
    }

    synchronized Set<Long> noticed(String notice) {
      return notices.getOrDefault(notice, Map.of()).keySet();
    }

    synchronized Set<String> texts(String notice) {
      return new HashSet<>(notices.get(notice).values());
    }

    synchronized String statistics() {
      return heldBack + " held back, " + repeats + " repeats dropped, " + resent + " sent again";
    }

    // The sender's thread.
    void send() {
      long lastFrame = now();
      while (true) {
        Map<Long, RequestBatch> frames = new TreeMap<>();
        long confirmed;
        synchronized (this) {
          if (ending) {
            return;
          }
          while (!queue.isEmpty() && unconfirmed.size() < credit) {
            unconfirmed.put(++numbered, new Sent(queue.remove()));
          }
          unconfirmed.forEach((number, sent) -> {
            if (now() - sent.at >= RESEND_MS) {
              resent += sent.at == 0 ? 0 : 1;
              sent.at = now();
              frames.put(number, sent.batch);
            }
          });
          if (frames.isEmpty() && (owesConfirmation || now() - lastFrame >= HEARTBEAT_MS)) {
            frames.put(0L, batch(List.of(), List.of()));
          }
          confirmed = applied;
          if (!frames.isEmpty()) {
            owesConfirmation = false;
          }
        }
        for (Map.Entry<Long, RequestBatch> frame : frames.entrySet()) {
          inbox.submit_requests(session, frame.getKey(), confirmed, frame.getValue());
          lastFrame = now();
        }
        synchronized (this) {
          try {
            wait(TICK_MS);
          } catch (InterruptedException interrupted) {
            return;
          }
        }
      }
    }

    @Override
    public synchronized void deliver_outcomes(long session, long seq, long confirmed,
                                              Outcome[] outcomes, Notice[] notices) {
      if (session != this.session) {
        return;  // not ours, or attach_client() has not returned yet; it will be repeated
      }
      unconfirmed.headMap(confirmed, true).clear();
      if (seq > applied && seq <= applied + credit && !early.containsKey(seq)) {
        heldBack += seq == applied + 1 ? 0 : 1;
        early.put(seq, new Delivery(outcomes, notices));
        while (early.containsKey(applied + 1)) {
          apply(early.remove(++applied));
        }
      } else if (seq != 0) {
        repeats++;
      }
      owesConfirmation |= seq != 0;
      notifyAll();
    }

    private void apply(Delivery delivery) {
      for (Outcome outcome : delivery.outcomes) {
        if (outcomes.put(outcome.request, outcome) != null) {
          ended = "request " + outcome.request + " was answered twice";
        }
      }
      for (Notice notice : delivery.notices) {
        notices.computeIfAbsent(kind(notice), ignored -> new HashMap<>())
            .put(notice.connection, text(notice));
      }
    }

    @Override
    public synchronized void client_session_ended(long session, byte why, String reason) {
      if (session == this.session) {
        ended = why + ", " + reason;
        notifyAll();
      }
    }

    static String kind(Notice notice) {
      switch (notice.body.discriminator().value()) {
        case NoticeKind._notice_broken: return "broken";
        case NoticeKind._notice_rerouted: return "rerouted";
        case NoticeKind._notice_mended: return "mended";
        case NoticeKind._notice_incomplete: return "incomplete";
        default: return "unknown";
      }
    }

    static String text(Notice notice) {
      switch (notice.body.discriminator().value()) {
        case NoticeKind._notice_broken: return Connect.text(notice.body.why());
        case NoticeKind._notice_rerouted: return "\"" + notice.body.left_element() + "\"";
        case NoticeKind._notice_incomplete: return Connect.text(notice.body.missing());
        case NoticeKind._notice_unknown: return "\"" + notice.body.unknown_switch() + "\"";
        default: return "\"\"";
      }
    }

    static long now() {
      return System.nanoTime() / 1000000 + PATIENCE_MS;  // never 0
    }
  }

  // --- values --------------------------------------------------------------------------------

  static RequestBatch batch(List<ConnectRequest> connects, List<ReleaseRequest> releases) {
    return new RequestBatch(connects.toArray(new ConnectRequest[0]),
                            releases.toArray(new ReleaseRequest[0]), new ModifyRequest[0],
                            new LeafRequest[0], new CommitRequest[0]);
  }

  static ServiceSpec cells(long perSecond) {
    ServiceSpec service = new ServiceSpec();
    service.cells(new Demand(perSecond, 0));
    return service;
  }

  static VideoFrames frames() {
    return new VideoFrames(25000, 4000);
  }

  static ServiceSpec voice() {
    return named("voice-g711");
  }

  static ServiceSpec named(String name) {
    ServiceSpec service = new ServiceSpec();
    service.terms(new ServiceTerms(name, 0, 0, 0, 0, 0, 0, 0, 0));
    return service;
  }

  static String given(long[] number) {
    return number.length == 0 ? "not promised" : Long.toString(number[0]);
  }

  static String text(LabelValue label) {
    if (label.kind == label_atm.value) {
      return (label.value >>> 16) + "/" + (label.value & 0xffff);
    }
    return label.kind == label_none.value ? "none" : Integer.toString(label.value);
  }

  static String text(ConnectionLabels labels) {
    return text(labels.forward) + Arrays.stream(labels.back).map(back -> ", back " + text(back))
        .collect(Collectors.joining());
  }

  static String text(EndLabels labels) {
    return "ingress " + text(labels.ingress) + " egress " + text(labels.egress);
  }

  static String text(Refusal why) {
    return String.format("cause %d at \"%s\", asked %d, free %d: %s", why.cause, why.element,
                         why.asked, why.free, why.reason);
  }

  static void say(String format, Object... values) {
    System.out.println(String.format(format, values));
    System.out.flush();
  }
}
