// The page: which view is shown, which manager is looked at, and the key figures. Views are drawn
// only while they are visible.
import { duration, h, number, percent, table } from './format.js';
import { about, connect, connection, disconnect, get, row, rows, sections, subscribe, target } from './store.js';
import { Topology, load, linkBadge } from './topology.js';
import { Chart } from './charts.js';
import { Calls } from './calls.js';
import { Call } from './call.js';
import { Request } from './request.js';
import { Events } from './events.js';
import { Health, alarmList, openAlarms } from './health.js';

const kSamples = 600;  // as many as the console keeps
const id = (name) => document.getElementById(name);
const history = new Map();  // manager -> samples

// ===== the manager that is looked at =====

let chosenManager = 'default';
const managers = () => rows('managers').map((one) => one.manager);
const manager = () => (managers().includes(chosenManager) || managers().length === 0 ? chosenManager : managers()[0]);

function showManagers() {
  const all = managers();
  const select = id('manager');
  select.parentElement.hidden = all.length < 2;
  if (all.join() === showManagers.known && select.value === manager()) return;
  showManagers.known = all.join();
  select.replaceChildren(...all.map((value) => h('option', { value }, value)));
  select.value = manager();
}

// ===== samples for the curves =====

const sampled = new Set();  // managers whose history has been fetched

async function fetchHistory(name) {
  if (sampled.has(name) || !managers().includes(name)) return;
  sampled.add(name);
  try {
    history.set(name, (await get(target('/api/v1/history', { manager: name }))).samples);
  } catch {
    sampled.delete(name);  // there is none yet
  }
}

function takeSamples() {
  for (const { manager: name, sample } of rows('managers')) {
    if (name === manager()) fetchHistory(name);
    const samples = history.get(name) ?? [];
    if (samples.at(-1)?.at_ms === sample.at_ms) continue;
    samples.push(sample);
    if (samples.length > kSamples) samples.shift();
    history.set(name, samples);
  }
}

// ===== network =====

class Network {
  constructor(element) {
    this.figures = h('div', { class: 'figures' });
    this.map = new Topology((name) => { location.hash = `#calls?switch=${encodeURIComponent(name)}`; });
    this.alarms = h('div', {});
    this.busiest = h('div', {});
    this.rates = new Chart('Calls', '/s', [
      { title: 'set up', value: (sample) => sample.connected_per_s },
      { title: 'refused', value: (sample) => sample.refused_per_s },
      { title: 'released', value: (sample) => sample.released_per_s }]);
    element.append(this.figures,
      h('div', { class: 'columns' },
        h('div', { class: 'card' }, h('h2', {}, 'Network'), this.map.element),
        h('div', { class: 'stack' }, h('div', { class: 'card' }, h('h2', {}, 'Chosen'), this.map.details),
          h('div', { class: 'card' }, h('h2', {}, 'Alarms'), this.alarms))),
      h('div', { class: 'halves' }, this.rates.element, h('div', { class: 'card' }, h('h2', {}, 'Busiest links'), this.busiest)));
  }

  open() { fetchHistory(manager()); }

  update() {
    this.figures.replaceChildren(...keyFigures());
    this.map.update();
    this.alarms.replaceChildren(alarmList(5));
    this.rates.update(history.get(manager()) ?? []);
    const use = (one) => Math.max(load(one.cells_per_s, one.free_cells_per_s), load(one.cells_per_s, one.free_back_cells_per_s));
    const busiest = rows('links').sort((a, b) => use(b) - use(a)).slice(0, 6);
    this.busiest.replaceChildren(busiest.length === 0 ? h('p', { class: 'muted' }, 'No link is known yet.') : table([
      { title: 'Link', cell: (one) => h('button', { type: 'button', class: 'link', onclick: () => this.map.choose({ link: one.link }) }, `${one.end.switch} – ${one.other_end.switch}`) },
      { title: 'State', cell: (one) => linkBadge(one.state) },
      { title: 'Taken', number: true, cell: (one) => percent(load(one.cells_per_s, one.free_cells_per_s)) },
      { title: 'Back', number: true, cell: (one) => percent(load(one.cells_per_s, one.free_back_cells_per_s)) },
    ], busiest));
  }
}

function figure(title, value, bad) {
  return h('div', { class: `figure${bad ? ' bad' : ''}` }, h('span', {}, title), h('strong', {}, value));
}

function keyFigures() {
  const sample = row('managers', manager())?.sample;
  const daemons = rows('daemons');
  const up = daemons.filter((one) => one.state === 'up').length;
  const links = rows('links');
  const linksUp = links.filter((one) => one.state === 'up').length;
  return [
    figure('calls', number(sample?.connections)),
    figure('set up a second', number(sample?.connected_per_s)),
    figure('refused a second', number(sample?.refused_per_s), sample?.refused_per_s > 0),
    figure('mean setup time', sample?.setup_ms ? duration(sample.setup_ms) : '–'),
    figure('links up', `${linksUp} of ${links.length}`, linksUp < links.length),
    figure('daemons up', `${up} of ${daemons.length}`, up < daemons.length),
  ];
}

// ===== load =====

class Load {
  constructor(element) {
    const chart = (...words) => new Chart(...words);
    this.charts = [
      chart('Throughput', '/s', [
        { title: 'set up', value: (sample) => sample.connected_per_s },
        { title: 'refused', value: (sample) => sample.refused_per_s },
        { title: 'released', value: (sample) => sample.released_per_s }]),
      chart('Latency', 'ms', [
        { title: 'setup', value: (sample) => sample.setup_ms },
        { title: 'release', value: (sample) => sample.release_ms }]),
      chart('Calls', '', [{ title: 'calls', value: (sample) => sample.connections }]),
      chart('Commands in a message (T)', '', [{ title: 'T', value: (sample) => sample.threshold }]),
      chart('Labels in the cache', '', [
        { title: 'cached', value: (sample) => sample.labels_cached },
        { title: 'wanted', value: (sample) => sample.labels_wanted }]),
      chart('Labels from the cache', '%', [
        { title: 'of those needed', value: (sample) => (sample.label_hits === null ? null : 100 * sample.label_hits) }], { max: 100 }),
    ];
    this.settings = h('p', { class: 'muted' });
    this.stages = h('div', {});
    this.refusals = h('div', {});
    this.caches = h('div', {});
    element.append(h('div', { class: 'halves' }, this.charts.map((one) => one.element)),
      h('div', { class: 'halves' }, h('div', { class: 'card' }, h('h2', {}, 'Where the time goes'), this.stages),
        h('div', { class: 'card' }, h('h2', {}, 'Refused for'), this.refusals)),
      h('div', { class: 'card' }, h('h2', {}, 'Caches'), this.settings, this.caches));
  }

  open() { fetchHistory(manager()); }

  update() {
    const samples = history.get(manager()) ?? [];
    for (const one of this.charts) one.update(samples);
    const now = row('managers', manager());
    const settings = now?.settings;
    this.settings.textContent = settings
      ? `Commands are gathered in mode ${settings.mode}: up to ${number(settings.threshold)} in a message now, and at most ${number(settings.flush_timeout_ms)} ms.` : '';
    // A stage that begins and ends in one step takes no time.
    this.stages.replaceChildren(list((now?.figures.stages ?? []).filter((one) => one.mean_us > 0), 'Nothing ended in the last second.', [
      { title: 'Operation', cell: (one) => one.operation }, { title: 'Stage', cell: (one) => one.stage },
      { title: 'Count', number: true, cell: (one) => number(one.count) },
      { title: 'Mean', number: true, cell: (one) => duration(one.mean_us / 1000) }]));
    this.refusals.replaceChildren(list(now?.figures.refusals ?? [], 'Nothing was refused in the last second.', [
      { title: 'Cause', cell: (one) => one.cause }, { title: 'A second', number: true, cell: (one) => number(one.per_s) }]));
    const caches = rows('caches').filter((one) => one.manager === manager());
    this.caches.replaceChildren(list(caches.slice(0, 60), 'There are none yet.', [
      { title: 'Cache', cell: (one) => one.cache }, { title: 'Of', cell: (one) => one.element },
      { title: 'Size', number: true, cell: (one) => number(one.size) },
      { title: 'Wanted', number: true, cell: (one) => (one.wanted > 0 ? number(one.wanted) : '–') },
      { title: 'Hits', number: true, cell: (one) => number(one.hits) },
      { title: 'Misses', number: true, cell: (one) => number(one.misses) }]),
    caches.length > 60 ? h('p', { class: 'muted small' }, `and ${number(caches.length - 60)} more`) : '');
  }
}

const list = (all, nothing, columns) => (all.length === 0 ? h('p', { class: 'muted' }, nothing) : table(columns, all));

// ===== views =====

const views = {
  network: new Network(id('view-network')),
  calls: new Calls(id('view-calls'), manager),
  call: new Call(id('view-call')),
  load: new Load(id('view-load')),
  health: new Health(id('view-health')),
  events: new Events(id('view-events')),
  request: new Request(id('view-request'), manager),
};
let current = null;

// "#calls?switch=a", "#call/default/29849"
function show() {
  const [path, words] = location.hash.slice(1).split('?');
  const [name, ...steps] = path.split('/').map(decodeURIComponent);
  const chosen = name in views ? name : 'network';
  for (const each of Object.keys(views)) id(`view-${each}`).hidden = each !== chosen;
  const tab = chosen === 'call' ? 'calls' : chosen;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#${tab}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  current = views[chosen];
  if (chosen === 'call') current.open(...steps);
  else current.open?.(new URLSearchParams(words ?? ''));
  current.update?.(new Set(sections.keys()));
}

function showConnection() {
  id('live-dot').className = `dot ${connection.state}`;
  id('live-text').textContent = connection.text;
  const count = openAlarms().length;
  id('alarm-count').hidden = count === 0;
  id('alarm-count').textContent = count;
  id('alarm-count').title = `${count} alarms that nobody has acknowledged`;
  id('about').textContent = about.version
    ? `xbind-console ${about.version} ${about.revision ?? ''} · ${about.writable ? 'writable' : 'read-only'} · every ${number(about.interval_ms)} ms` : '';
}

subscribe((changed) => {
  if (changed.has('snapshot')) sampled.clear();  // samples have been missed
  takeSamples();
  showConnection();
  showManagers();
  current?.update?.(changed);
});
setInterval(() => { if (current === views.calls && !document.hidden) views.calls.keep(); }, 2000);
id('manager').addEventListener('change', (event) => { chosenManager = event.target.value; show(); });
addEventListener('hashchange', () => { show(); id('main').focus({ preventScroll: true }); });
const follow = () => (document.hidden ? disconnect() : connect());
document.addEventListener('visibilitychange', follow);
addEventListener('pagehide', disconnect);
addEventListener('pageshow', (event) => { if (event.persisted) follow(); });
show();
follow();
