// One call: its path with labels, the stages of its setup, what the ledgers of its switches have.
import { h, badge, duration, facts, number, problemView, rich, table } from './format.js';
import { about, get, remove, target } from './store.js';
import { stateBadge } from './calls.js';

const address = (manager, id) => `/api/v1/calls/${encodeURIComponent(manager)}/${encodeURIComponent(id)}`;
const rate = (demand) => `${number(demand.cells_per_s)} cells/s${demand.buffer_cells > 0 ? `, ${number(demand.buffer_cells)} cells of buffer` : ''}`;

export class Call {
  constructor(element) {
    this.element = element;
    this.shown = '';
  }

  async open(manager, id) {
    if (manager !== this.manager || id !== this.id) {
      this.manager = manager;
      this.id = id;
      this.shown = '';
      this.ledgers = h('div', { class: 'stack' }, h('div', {}, h('button', { type: 'button', onclick: () => this.readLedgers() }, 'Read the ledgers of its switches')));
      this.buttons = this.makeButtons();
      this.trace = h('div', { class: 'stack' }, h('p', { class: 'muted' }, 'The trace is read …'));
      this.traced = '';
    }
    this.read = Date.now();
    try {
      this.show(await get(address(manager, id)));
    } catch (problem) {
      this.element.replaceChildren(this.back(), h('div', { class: 'card' }, problemView(problem)));
      this.shown = '';
    }
  }

  update(changed) {
    if (Date.now() - (this.read ?? 0) < 2000 && !changed.has('about')) return;
    this.open(this.manager, this.id);
  }

  back() { return h('p', {}, h('a', { href: '#calls' }, '← All calls')); }

  show(document) {
    const text = JSON.stringify([document, about.writable]);
    if (text === this.shown) return;
    this.shown = text;
    const { call, line } = document;
    this.readTrace(`${call.state} ${call.generation}`);
    this.element.replaceChildren(this.back(),
      h('div', { class: 'card stack' },
        h('div', { class: 'bar' }, h('h2', {}, `Call ${call.id}`), stateBadge(call.state, call.condition)),
        h('p', {}, call.state === 'incomplete' ? `${line.meaning}.` : `${line.meaning}${call.condition === 'up' ? '' : `; its path is ${call.condition} at ${call.element}: ${line.why_it_stays}`}`),
        call.state === 'incomplete' ? h('p', {}, badge('missing', 'warn'), ` ${call.missing}. What to do: `, rich(line.explanation.remedy)) : null,
        facts([['from', call.from], ['to', [call.to, ...call.leaves].filter(Boolean).join(', ')], ['client', `${call.client}, request ${call.request}`],
          ['takes', rate(call.takes)], ['back', call.reverse.cells_per_s > 0 ? rate(call.reverse) : null],
          ['other paths', call.reroutes > 0 ? `moved ${number(call.reroutes)} times` : null], ['generation', number(call.generation)],
          ['frames', [call.from_frames, call.to_frames].filter(Boolean).join(' → ')]]),
        h('p', {}, h('a', { href: `#events?text=${encodeURIComponent(call.id)}` }, 'Its events')),
        about.writable ? this.buttons : null),
      h('div', { class: 'card stack' }, h('h2', {}, 'Path'), this.legs(call)),
      h('div', { class: 'card stack' }, h('h2', {}, 'Time line of its setup'), stages(line)),
      h('div', { class: 'card stack' }, h('h2', {}, 'Trace'), this.trace),
      h('div', { class: 'card stack' }, h('h2', {}, 'Ledgers'), this.ledgers));
  }

  legs(call) {
    const legs = [...new Set(call.hops.map((hop) => hop.leg))];
    const name = (leg) => (leg === 0 ? 'forward' : leg === 1 && call.reverse.cells_per_s > 0 ? 'back' : `leaf ${leg}`);
    return legs.map((leg) => h('div', {}, legs.length > 1 ? h('h3', {}, name(leg)) : null,
      h('ol', { class: 'path' }, call.hops.filter((hop) => hop.leg === leg).map((hop) => h('li', {},
        h('span', { class: 'hop' }, hop.switch,
          h('small', {}, `in ${hop.input_port}, label ${hop.input_label ?? '–'}`),
          h('small', {}, `out ${hop.output_port}, label ${hop.output_label ?? '–'}`)))))));
  }

  makeButtons() {
    const release = h('button', { type: 'button', class: 'danger', onclick: () => this.release(release) }, 'Release this call');
    this.outcome = h('span', { role: 'status' });
    return h('div', { class: 'buttons' }, release, this.outcome);
  }

  async release(button) {
    if (button.textContent !== 'Really release it') {
      button.textContent = 'Really release it';
      return;
    }
    button.disabled = true;
    try {
      const outcome = await remove(address(this.manager, this.id));
      this.outcome.replaceChildren(badge(outcome.outcome, 'good'));
    } catch (problem) {
      this.outcome.replaceChildren(problemView(problem));
    }
  }

  // Again when the call has come to another state: spans are added while it lives.
  async readTrace(state) {
    if (state === this.traced) return;
    this.traced = state;
    try {
      const { trace, why } = await get(`${address(this.manager, this.id)}/trace`);
      this.trace.replaceChildren(...(trace ? spans(trace) : [h('p', { class: 'muted' }, rich(`${why.text}. ${why.advice}`))]));
    } catch (problem) {
      this.trace.replaceChildren(problemView(problem));
    }
  }

  async readLedgers() {
    this.ledgers.replaceChildren(h('p', { class: 'muted' }, 'The switches of the path are read …'));
    try {
      const document = await get(target(`${address(this.manager, this.id)}/ledgers`, {}));
      const hops = document.ledgers.flatMap((ledger) => (ledger.hops.length === 0 ? [{ switch: ledger.switch, error: ledger.error }] : ledger.hops.map((hop) => ({ switch: ledger.switch, ...hop }))));
      this.ledgers.replaceChildren(table([
        { title: 'Switch', cell: (hop) => hop.switch },
        { title: 'Stage', cell: (hop) => (hop.stage ? badge(hop.stage, hop.stage === 'committed' ? 'good' : 'info') : badge(hop.error?.name ?? 'has no hop of it', 'warn')) },
        { title: 'In', cell: (hop) => (hop.stage ? `port ${hop.input_port}, ${hop.input_label}` : hop.error?.text ?? '') },
        { title: 'Out', cell: (hop) => (hop.stage ? `port ${hop.output_port}, ${hop.output_label}` : '') },
        { title: 'Takes', number: true, cell: (hop) => (hop.takes ? rate(hop.takes) : '') },
        { title: 'Contract', cell: (hop) => (hop.contract ? `${hop.contract.category}, PCR ${number(hop.contract.pcr_cells_per_s)}` : '') },
      ], hops));
    } catch (problem) {
      this.ledgers.replaceChildren(problemView(problem));
    }
  }
}

// The stages follow one another without a gap. The call's own times give the lengths, if they are
// recorded, else the means of all setups. A manager that has restarted may know neither.
export function stages(line) {
  const own = line.stages.some((one) => one.ns !== null);
  const mean = (one) => (one.count_of_all > 0 ? one.ns_of_all / one.count_of_all : null);
  const inMs = (ns) => (ns === null ? null : ns / 1e6);
  const parts = line.stages.filter((one) => one.stage !== 'total')
    .map((one) => ({ ...one, ms: inMs(own ? one.ns : mean(one)) }));
  const total = parts.reduce((sum, one) => sum + (one.ms ?? 0), 0) || 1;
  const words = { done: 'good', 'under way': 'info', 'to come': '' };
  const bars = parts.map((one) => {
    const filled = h('div', { class: 'fill' });
    filled.style.width = `${(100 * (one.ms ?? 0)) / total}%`;
    return [h('span', {}, one.stage), h('div', { class: 'track' }, filled),
      h('span', { class: 'nowrap small' }, one.ms === null ? '–' : duration(one.ms), ' ', badge(one.progress, words[one.progress]))];
  });
  const whose = own ? 'the times are its own.'
    : parts.some((one) => one.ms !== null) ? 'the times are the means of all setups of its manager.'
      : 'no times are known: its manager has counted no setup since it started.';
  return [h('p', { class: 'muted small' }, `How far this call is; ${whose}`), h('div', { class: 'stages' }, bars)];
}

// The spans of each operation, one below the other, placed by when they began.
function spans(trace) {
  const shown = [];
  for (const span of trace.spans) {
    if (span.depth === 0) shown.push({ begin: BigInt(span.begin_ns), rows: [] });
    shown.at(-1)?.rows.push(span);
  }
  const missing = trace.missing.map((one) => h('p', { class: 'muted small' }, `${one.switch} could not be asked: ${one.why}`));
  return [...shown.map(operation), ...missing];
}

function operation({ begin, rows }) {
  const offset = (span) => Number(BigInt(span.begin_ns) - begin) / 1e6;
  const took = (span) => (span.duration_ns ?? 0) / 1e6;
  const whole = Math.max(...rows.map((span) => offset(span) + took(span)), 1e-6);
  return h('div', { class: 'stages trace' }, rows.map((span) => {
    const bar = h('div', { class: `fill${span.cause ? ' failed' : span.process.startsWith('xbind-switchserver') ? ' asked' : ''}` });
    bar.style.marginLeft = `${Math.max(0, (100 * offset(span)) / whole)}%`;
    bar.style.width = `${(100 * took(span)) / whole}%`;
    const name = h('span', { title: span.process }, span.name, span.switch ? h('small', {}, ` ${span.switch}`) : '');
    name.style.paddingLeft = `${span.depth}em`;
    return [name, h('div', { class: 'track' }, bar),
      h('span', { class: 'nowrap small' }, span.duration_ns === null ? 'under way' : duration(took(span)), span.cause ? badge(span.cause, 'bad') : '', span.note ? ` ${span.note}` : '')];
  }));
}
