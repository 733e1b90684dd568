// The events of all daemons, the newest first: live, with a filter. The console keeps the newest
// ones; which they are does not depend on who looks.
import { h, badge, clock, number, table } from './format.js';
import { rows } from './store.js';

const kShown = 100;
const kSubjects = ['calls', 'links', 'switches', 'sessions', 'alarms'];
const kGood = ['connected', 'modified', 'mended', 'link-up', 'link-undrained', 'switch-up', 'switch-undrained', 'alarm-cleared'];
const kBad = ['refused', 'broken', 'link-down', 'switch-down', 'alarm-raised'];
const kPlain = ['released'];
const kWarn = ['busy', 'path-unknown', 'incomplete', 'link-drained', 'switch-drained', 'session-ended'];

const kindOf = (event) => (kGood.includes(event) ? 'good' : kBad.includes(event) ? 'bad' : kWarn.includes(event) ? 'warn' : kPlain.includes(event) ? '' : 'info');

// What happened, in the words of `xbindctl events`; the call is a link beside it.
function words(event) {
  return [
    event.from ? `${event.from} → ${event.to}` : '',
    event.subject === 'calls' ? `client ${event.about}` : event.about,
    event.alarm_kind.replaceAll('-', ' '),
    event.cause ?? '',
    event.element ? `at ${event.element}` : '',
    event.asked > 0 || event.free > 0 ? `asked ${number(event.asked)}, free ${number(event.free)}` : '',
    event.text,
  ].filter(Boolean).join(', ');
}

function call(event) {
  if (!event.connection) return '';
  const [kind, name] = event.daemon.split('/');
  return kind === 'cmgr' ? h('a', { href: `#call/${encodeURIComponent(name)}/${event.connection}` }, event.connection) : event.connection;
}

const textOf = (event) => `${event.daemon} ${event.event} ${event.connection ?? ''} ${words(event)}`.toLowerCase();

export class Events {
  constructor(element) {
    this.paused = false;
    this.held = [];
    this.boxes = kSubjects.map((name) => h('input', { type: 'checkbox', name, onchange: () => this.apply() }));
    this.text = h('input', { name: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'daemon, call, switch, cause …', oninput: () => this.apply() });
    this.pause = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.toggle() }, 'Pause');
    this.summary = h('p', { class: 'muted small', role: 'status' });
    this.list = h('div', { class: 'events' });
    element.append(
      h('div', { class: 'card' }, h('form', { class: 'bar', onsubmit: (event) => event.preventDefault() },
        h('fieldset', {}, h('legend', {}, 'Events of'), this.boxes.map((box, i) => h('label', { class: 'check' }, box, kSubjects[i]))),
        h('label', { class: 'grow' }, 'Contains', this.text), this.pause)),
      h('div', { class: 'card stack' }, this.summary, this.list));
  }

  // From the address: "#events?subject=calls&text=node-1".
  open(parameters) {
    const chosen = parameters.getAll('subject').filter((one) => kSubjects.includes(one));
    for (const box of this.boxes) box.checked = chosen.length === 0 || chosen.includes(box.name);
    this.text.value = parameters.get('text') ?? '';
    this.draw();
  }

  // The address names the filter, so that it can be kept and passed on.
  apply() {
    const parameters = new URLSearchParams();
    const chosen = this.boxes.filter((box) => box.checked);
    if (chosen.length < this.boxes.length) for (const box of chosen) parameters.append('subject', box.name);
    if (this.text.value.trim() !== '') parameters.set('text', this.text.value.trim());
    history.replaceState(null, '', String(parameters) === '' ? '#events' : `#events?${parameters}`);
    this.draw();
  }

  toggle() {
    this.paused = !this.paused;
    this.held = this.paused ? rows('events') : [];
    this.pause.textContent = this.paused ? 'Go on' : 'Pause';
    this.pause.setAttribute('aria-pressed', String(this.paused));
    this.draw();
  }

  update(changed) {
    if (changed.has('event_logs') || (changed.has('events') && !this.paused)) this.draw();
  }

  draw() {
    const subjects = this.boxes.filter((box) => box.checked).map((box) => box.name);
    const wanted = this.text.value.trim().toLowerCase();
    const all = this.paused ? this.held : rows('events');
    const found = all.filter(({ event }) => subjects.includes(event.subject) && (wanted === '' || textOf(event).includes(wanted)))
      .sort((a, b) => b.event.at_ms - a.event.at_ms || Number(b.id) - Number(a.id));
    const missed = rows('event_logs').reduce((sum, one) => sum + one.left_out, 0);
    this.summary.textContent = [
      found.length > kShown ? `The newest ${kShown} of ${number(found.length)} that match` : `${number(found.length)} of ${number(all.length)} events`,
      this.paused ? 'paused' : '',
      missed > 0 ? `${number(missed)} came too fast to be shown` : '',
    ].filter(Boolean).join(' · ');
    this.list.replaceChildren(found.length === 0 ? h('p', { class: 'muted' }, all.length === 0 ? 'Nothing has happened yet.' : 'No event matches.') : table([
      { title: 'Time', cell: ({ event }) => h('span', { class: 'nowrap', title: new Date(event.at_ms).toISOString() }, clock(event.at_ms)) },
      { title: 'Event', cell: ({ event }) => badge(event.event.replaceAll('-', ' '), kindOf(event.event)) },
      { title: 'Daemon', cell: ({ event }) => event.daemon },
      { title: 'Call', cell: ({ event }) => call(event) },
      { title: 'What', cell: ({ event }) => words(event) },
    ], found.slice(0, kShown)));
  }
}
