// Health: the alarms, and every daemon with its last answer.
import { h, badge, number, problemView, rich, since, table } from './format.js';
import { about, post, row, rows } from './store.js';

const kKinds = { names: 'name service', cmgr: 'manager', switchserver: 'SwitchServer', routeobject: 'RouteObject', qosmapper: 'QOSMapper' };
const kSeverities = ['critical', 'major', 'minor', 'warning'];
const kOrder = ['names', 'cmgr', 'routeobject', 'qosmapper', 'switchserver'];
const kStates = { up: 'good', asking: 'info', silent: 'bad', unreachable: 'bad', failed: 'warn', gone: 'warn' };

export const daemonName = (one) => (one.kind === 'names' ? 'name service' : `${kKinds[one.kind] ?? one.kind} ${one.name}`);

// What is wrong, the worst first: the alarms of the daemons, and daemons that do not answer.
// {id, level, title, text, advice, since_ms, acknowledged}
export function alarms() {
  const found = rows('alarms').map((one) => ({
    id: one.id, severity: one.severity, level: ['critical', 'major'].includes(one.severity) ? 'bad' : 'warn',
    title: `${one.kind.replaceAll('-', ' ')}: ${one.about}`, text: one.times > 1 ? `${one.cause} (${number(one.times)} times)` : one.cause,
    advice: one.repair, since_ms: one.raised_ms, acknowledged: one.acknowledged }));
  for (const one of rows('daemons')) {
    if (one.state === 'up' || one.state === 'asking') continue;
    const mild = one.state === 'gone' || one.state === 'failed';
    found.push({ severity: mild ? 'warning' : 'critical', level: mild ? 'warn' : 'bad', title: `${daemonName(one)} is ${one.state}`,
      text: one.error?.text ?? 'its name is no longer bound', advice: one.error?.advice, since_ms: one.since_ms });
  }
  return found.sort((a, b) => Boolean(a.acknowledged) - Boolean(b.acknowledged)
    || kSeverities.indexOf(a.severity) - kSeverities.indexOf(b.severity) || b.since_ms - a.since_ms);
}

// Those that nobody has taken notice of.
export const openAlarms = () => alarms().filter((one) => !one.acknowledged);

// `action(alarm)`: a button for it, or null.
export function alarmList(limit, action = () => null) {
  const all = alarms();
  if (all.length === 0) return h('p', { class: 'muted' }, 'None.');
  return h('ul', { class: 'list' }, all.slice(0, limit).map((one) => h('li', { class: one.acknowledged ? '' : one.level },
    h('div', { class: 'bar' },
      h('span', {}, badge(one.severity, one.acknowledged ? '' : one.level), ' ', h('strong', {}, one.title)),
      h('span', { class: 'muted small' }, one.since_ms ? `for ${since(one.since_ms)}` : '', ' ', action(one))),
    h('div', { class: 'small' }, rich(one.text)), one.advice ? h('div', { class: 'muted small' }, rich(one.advice)) : null,
    one.acknowledged ? h('div', { class: 'small' }, `acknowledged by ${one.acknowledged.by}${one.acknowledged.note ? `: ${one.acknowledged.note}` : ''}`) : null)),
  all.length > limit ? h('li', {}, h('a', { href: '#health' }, `${number(all.length - limit)} more`)) : null);
}

export class Health {
  constructor(element) {
    this.alarms = h('div', {});
    this.daemons = h('div', {});
    this.outcome = h('div', { role: 'status' });
    this.by = h('input', { name: 'by', maxlength: 64, autocomplete: 'name' });
    this.note = h('input', { name: 'note', maxlength: 256, autocomplete: 'off' });
    this.form = h('form', { class: 'fields', hidden: true, onsubmit: (event) => event.preventDefault() },
      h('label', {}, 'Who acknowledges', this.by), h('label', {}, 'Note', this.note), h('div', { class: 'wide' }, this.outcome));
    element.append(h('div', { class: 'card stack' }, h('h2', {}, 'Alarms'), this.form, this.alarms),
      h('div', { class: 'card' }, h('h2', {}, 'Daemons'), this.daemons));
  }

  update() {
    this.form.hidden = !about.writable || !rows('alarms').some((one) => !one.acknowledged);
    // A button that is replaced under the pointer or the keyboard cannot be pressed.
    const shown = JSON.stringify([alarms(), about.writable]);
    if (shown !== this.shown || Date.now() - this.shownAt > 10_000) {
      this.shown = shown;
      this.shownAt = Date.now();
      this.alarms.replaceChildren(alarmList(200, (one) => this.button(one)));
    }
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

  button(alarm) {
    if (!about.writable || !alarm.id) return null;
    const words = alarm.acknowledged ? 'Take back' : 'Acknowledge';
    return h('button', { type: 'button', onclick: () => this.acknowledge(alarm) }, words);
  }

  async acknowledge(alarm) {
    if (!alarm.acknowledged && this.by.value.trim() === '') {
      this.outcome.replaceChildren('Say who you are.');
      this.by.focus();
      return;
    }
    const wish = alarm.acknowledged ? { alarm: alarm.id, undo: true } : { alarm: alarm.id, by: this.by.value.trim(), note: this.note.value.trim() };
    try {
      await post('/api/v1/alarms/acknowledge', wish);
      this.outcome.replaceChildren();
    } catch (problem) {
      this.outcome.replaceChildren(problemView(problem));
    }
  }

  remark(one) {
    if (one.error) return one.error.text;
    if (one.state === 'up' && one.answer_ms > 0) return `answers in ${one.answer_ms} ms`;
    if (one.kind === 'switchserver' && row('switches', one.name)?.unknown) return 'its switch is in an unknown state';
    return '';
  }
}
