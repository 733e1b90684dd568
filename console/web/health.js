// Health: the alarms, and every daemon with its last answer.
import { h, badge, number, since, table } from './format.js';
import { row, rows } from './store.js';

const kKinds = { names: 'name service', cmgr: 'manager', switchserver: 'SwitchServer', routeobject: 'RouteObject', qosmapper: 'QOSMapper' };
const kOrder = ['names', 'cmgr', 'routeobject', 'qosmapper', 'switchserver'];
const kStates = { up: 'good', asking: 'info', silent: 'bad', unreachable: 'bad', failed: 'warn', gone: 'warn' };

export const daemonName = (one) => (one.kind === 'names' ? 'name service' : `${kKinds[one.kind] ?? one.kind} ${one.name}`);

// What is wrong, the worst first: {level, title, text, since_ms}.
export function alarms() {
  const found = [];
  for (const one of rows('daemons')) {
    if (one.state === 'up' || one.state === 'asking') continue;
    found.push({ level: one.state === 'gone' || one.state === 'failed' ? 'warn' : 'bad', title: `${daemonName(one)} is ${one.state}`,
      text: one.error?.text ?? 'its name is no longer bound', advice: one.error?.advice, since_ms: one.since_ms });
  }
  for (const one of rows('links')) {
    if (one.state === 'up') continue;
    found.push({ level: one.state.includes('down') ? 'bad' : 'warn', title: `link ${one.end.switch} – ${one.other_end.switch} is ${one.state}`,
      text: `port ${one.end.port} of ${one.end.switch}, port ${one.other_end.port} of ${one.other_end.switch}` });
  }
  for (const one of rows('switches')) {
    if (one.unknown) found.push({ level: 'warn', title: `the state of ${one.switch} is unknown`, text: 'no new call uses it; calls leave it where another path exists' });
  }
  return found.sort((a, b) => (a.level === b.level ? 0 : a.level === 'bad' ? -1 : 1));
}

export function alarmList(limit) {
  const all = alarms();
  if (all.length === 0) return h('p', { class: 'muted' }, 'None: every daemon answers, every link is up.');
  return h('ul', { class: 'list' }, all.slice(0, limit).map((one) => h('li', { class: one.level },
    h('strong', {}, one.title), one.since_ms ? h('span', { class: 'muted small' }, ` for ${since(one.since_ms)}`) : null,
    h('div', { class: 'small' }, one.text), one.advice ? h('div', { class: 'muted small' }, one.advice) : null)),
  all.length > limit ? h('li', {}, h('a', { href: '#health' }, `${number(all.length - limit)} more`)) : null);
}

export class Health {
  constructor(element) {
    this.alarms = h('div', {});
    this.daemons = h('div', {});
    element.append(h('div', { class: 'card' }, h('h2', {}, 'Alarms'), this.alarms),
      h('div', { class: 'card' }, h('h2', {}, 'Daemons'), this.daemons));
  }

  update() {
    this.alarms.replaceChildren(alarmList(100));
    const all = rows('daemons').sort((a, b) => kOrder.indexOf(a.kind) - kOrder.indexOf(b.kind) || a.name.localeCompare(b.name, 'en', { numeric: true }));
    this.daemons.replaceChildren(table([
      { title: 'Daemon', cell: (one) => daemonName(one) },
      { title: 'State', cell: (one) => badge(one.state, kStates[one.state]) },
      { title: 'For', number: true, cell: (one) => since(one.since_ms) },
      { title: 'Memory', number: true, cell: (one) => (one.rss_mib > 0 ? `${number(one.rss_mib)} MiB` : '–') },
      { title: 'Address', cell: (one) => one.address },
      { title: 'Remark', cell: (one) => this.remark(one) },
    ], all));
  }

  remark(one) {
    if (one.error) return one.error.text;
    if (one.state === 'up' && one.answer_ms > 0) return `answers in ${one.answer_ms} ms`;
    if (one.kind === 'switchserver' && row('switches', one.name)?.unknown) return 'its switch is in an unknown state';
    return '';
  }
}
