// The list of calls: a filter, an order, pages. The rows come from the console's last reading of the
// manager; a change of the section "calls" fetches the page again.
import { h, badge, number, table, problemView } from './format.js';
import { get, row, rows, target } from './store.js';

const kLimit = 50;
const kStates = ['any', 'routing', 'reserving', 'held', 'committing', 'connected', 'switching-over', 'lingering',
  'modifying', 'lowering', 'restoring', 'undoing', 'releasing', 'prepared', 'incomplete'];
const kNewest = 'id,reverse';
const kOrders = [[kNewest, 'newest first'], ['id', 'oldest first'], ['cells', 'highest rate'], ['from', 'from'], ['to', 'to'], ['client', 'client']];

export const stateBadge = (state, condition) => {
  if (state === 'incomplete') return badge(state, 'warn');
  if (condition === 'down') return badge(`${state}, path down`, 'bad');
  if (condition === 'unknown') return badge(`${state}, path unknown`, 'warn');
  if (state === 'connected') return badge(state, 'good');
  return badge(state, ['undoing', 'releasing', 'gone'].includes(state) ? '' : 'info');
};

export class Calls {
  constructor(element, manager) {
    this.manager = manager;
    this.after = [];  // of the pages before
    this.filters = new URLSearchParams();
    this.version = null;
    this.fetching = false;
    this.again = false;
    this.form = this.makeForm();
    this.summary = h('p', { class: 'muted', role: 'status' });
    this.list = h('div', {});
    this.pager = h('div', { class: 'buttons' });
    element.append(h('div', { class: 'card' }, this.form), h('div', { class: 'card stack' }, this.summary, this.list, this.pager));
  }

  makeForm() {
    const text = (name, title) => h('label', {}, title, h('input', { name, autocomplete: 'off', spellcheck: 'false' }));
    const choice = (name, title, options) => h('label', {}, title, h('select', { name }, options.map(([value, words]) => h('option', { value }, words))));
    const form = h('form', { class: 'filters', onsubmit: (event) => { event.preventDefault(); this.apply(); }, onchange: () => this.apply() },
      text('from', 'From'), text('to', 'To'), text('switch', 'Through switch'), text('client', 'Client'),
      choice('state', 'State', kStates.map((one) => [one, one])), choice('sort', 'Order', kOrders),
      h('label', {}, 'From cells/s', h('input', { name: 'min_cells_per_s', inputmode: 'numeric', pattern: '[0-9]*' })),
      h('button', { type: 'submit' }, 'Show'));
    return form;
  }

  // From the address: "#calls?switch=node-1".
  open(parameters) {
    for (const field of this.form.elements) {
      if (field.name) field.value = parameters.get(field.name) ?? (field.name === 'state' ? 'any' : field.name === 'sort' ? kNewest : '');
    }
    this.filters = parameters;
    this.after = [];
    this.fetch();
  }

  apply() {
    const words = new URLSearchParams();
    for (const [name, value] of new FormData(this.form)) {
      if (value !== '' && value !== 'any' && !(name === 'sort' && value === kNewest)) words.set(name, value);
    }
    const next = String(words) === '' ? '#calls' : `#calls?${words}`;
    if (location.hash === next) this.open(words);
    else location.hash = next;
  }

  // Called whenever something has changed and this view is visible.
  update(changed) {
    const version = row('calls', this.manager())?.version;
    if (changed.has('calls') && version !== this.version) this.fetch();
    else if (this.unknown && changed.has('managers')) this.fetch();
  }

  async fetch() {
    this.unknown = rows('managers').length === 0;
    if (this.unknown) {
      this.summary.textContent = 'No manager has answered yet.';
      return;
    }
    if (this.fetching) { this.again = true; return; }
    this.fetching = true;
    this.again = false;
    this.version = row('calls', this.manager())?.version;
    const filters = { sort: kNewest, ...Object.fromEntries(this.filters) };
    if (filters.sort.endsWith(',reverse')) Object.assign(filters, { sort: filters.sort.split(',')[0], reverse: true });
    try {
      this.show(await get(target('/api/v1/calls', { ...filters, manager: this.manager(), limit: kLimit, after: this.after.at(-1) })));
    } catch (problem) {
      if (problem.name === 'unknown-after') this.after = [];
      this.summary.textContent = '';
      this.list.replaceChildren(problemView(problem));
      this.pager.replaceChildren();
    }
    this.fetching = false;
    if (this.again) this.fetch();
  }

  show(page) {
    const first = this.after.length * kLimit;
    const states = Object.entries(row('calls', this.manager())?.states ?? {});
    this.summary.replaceChildren(
      page.chosen === 0 ? 'No call matches.' : `${number(first + 1)} to ${number(first + page.calls.length)} of ${number(page.chosen)} calls`,
      page.left_out > 0 ? `, ${number(page.left_out)} further ones are not read` : '',
      states.length > 0 ? ` · in all: ${states.map(([state, count]) => `${number(count)} ${state}`).join(', ')}` : '');
    this.list.replaceChildren(page.calls.length === 0 ? '' : table([
      { title: 'Call', cell: (call) => h('a', { href: `#call/${encodeURIComponent(page.manager)}/${call.id}` }, call.id) },
      { title: 'State', cell: (call) => stateBadge(call.state, call.condition) },
      { title: 'From', cell: (call) => call.from },
      { title: 'To', cell: (call) => `${call.to || '–'}${call.leaves > 0 ? ` and ${call.leaves} more` : ''}` },
      { title: 'Client', cell: (call) => call.client },
      { title: 'Cells/s', number: true, cell: (call) => number(call.cells_per_s) + (call.reverse_cells_per_s > 0 ? ` + ${number(call.reverse_cells_per_s)}` : '') },
      { title: 'Hops', number: true, cell: (call) => number(call.hops) },
    ], page.calls));
    this.pager.replaceChildren(
      h('button', { type: 'button', disabled: this.after.length === 0, onclick: () => { this.after.pop(); this.fetch(); } }, 'Previous'),
      h('button', { type: 'button', disabled: page.next_after === null, onclick: () => { this.after.push(page.next_after); this.fetch(); } }, 'Next'));
  }

  // The section is only published while calls are asked for.
  keep() {
    if (rows('calls').length === 0 || Date.now() - (this.kept ?? 0) > 4000) {
      this.kept = Date.now();
      this.fetch();
    }
  }
}
