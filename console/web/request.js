// The form that asks for a call: first whether it would fit, then, where the console is writable, for
// the call itself. A refusal says why, with the numbers and what would fit.
import { h, badge, duration, number, problemView, rich, table } from './format.js';
import { about, get, post, rows, target } from './store.js';

const pathText = (path) => path.hops.map((hop) => hop.switch).join(' → ');

export class Request {
  constructor(element, manager) {
    this.manager = manager;
    this.result = h('div', { class: 'stack', 'aria-live': 'polite' }, h('p', { class: 'muted' }, 'Nothing has been asked yet.'));
    this.service = h('select', { name: 'service' });
    this.ends = h('datalist', { id: 'ends' });
    this.submit = h('button', { type: 'submit', class: 'primary' }, 'Set up the call');
    this.readonly = h('p', { class: 'muted small', hidden: true }, 'This console only shows. Start xbind-console with --writable to set up calls here.');
    this.form = this.makeForm();
    element.append(h('div', { class: 'columns even' }, h('div', { class: 'card' }, h('h2', {}, 'Ask for a call'), this.form),
      h('div', { class: 'card' }, h('h2', {}, 'Answer'), this.result)));
  }

  makeForm() {
    const end = (name, title) => h('label', {}, title, h('input', { name, list: 'ends', required: true, autocomplete: 'off', spellcheck: 'false' }));
    const kind = (value, title, checked) => h('label', { class: 'check' }, h('input', { type: 'radio', name: 'kind', value, checked }), title);
    this.rate = h('input', { name: 'cells_per_s', inputmode: 'numeric', pattern: '[0-9]+', value: '1000' });
    this.rateField = h('label', {}, 'Cells/s', this.rate);
    this.serviceField = h('label', { hidden: true }, 'Service', this.service);
    return h('form', { class: 'fields', onsubmit: (event) => { event.preventDefault(); this.connect(); }, onchange: () => this.showKind() },
      end('from', 'From'), end('to', 'To'), this.ends,
      h('fieldset', { class: 'wide' }, h('legend', {}, 'What it takes'), kind('rate', 'a rate', true), kind('service', 'a service of the catalogue', false)),
      this.rateField, this.serviceField,
      h('label', {}, 'Hold for seconds (0: connect at once)', h('input', { name: 'hold_s', inputmode: 'numeric', pattern: '[0-9]+', value: '0' })),
      h('label', { class: 'check wide' }, h('input', { type: 'checkbox', name: 'both' }), 'both directions'),
      h('div', { class: 'buttons wide' }, h('button', { type: 'button', id: 'check-fit', onclick: () => this.check() }, 'Would it fit?'), this.submit),
      h('div', { class: 'wide' }, this.readonly));
  }

  open(parameters) {
    for (const name of ['from', 'to', 'cells_per_s']) if (parameters.get(name)) this.form.elements[name].value = parameters.get(name);
    this.readServices();
    this.update();
  }

  update() {
    this.submit.disabled = !about.writable;
    this.readonly.hidden = about.writable;
    const ends = rows('switches').filter((one) => one.endpoint).map((one) => one.switch);
    if (ends.join() !== this.known) {
      this.known = ends.join();
      this.ends.replaceChildren(...ends.map((value) => h('option', { value })));
    }
  }

  showKind() {
    const service = this.form.elements.kind.value === 'service';
    this.rateField.hidden = service;
    this.serviceField.hidden = !service;
  }

  async readServices() {
    if (this.service.options.length > 0) return;
    try {
      const { services } = await get('/api/v1/services');
      this.service.replaceChildren(...services.map((one) => h('option', { value: one.service }, `${one.service} (${number(one.takes.cells_per_s)} cells/s, ${one.category})`)));
    } catch (problem) {
      this.service.replaceChildren(h('option', { value: '' }, `not known: ${problem.detail}`));
    }
  }

  wish() {
    const fields = this.form.elements;
    const wish = { manager: this.manager(), from: fields.from.value.trim(), to: fields.to.value.trim() };
    if (fields.kind.value === 'service') wish.service = this.service.value;
    else wish.cells_per_s = Number(this.rate.value);
    return wish;
  }

  async ask(question, show) {
    if (!this.form.reportValidity()) return;
    this.result.replaceChildren(h('p', { class: 'muted' }, 'asking …'));
    try {
      this.result.replaceChildren(show(await question()));
    } catch (problem) {
      this.result.replaceChildren(this.refusal(problem));
    }
  }

  check() { return this.ask(() => get(target('/api/v1/fit', this.wish())), (fit) => this.fitView(fit)); }

  connect() {
    if (!about.writable) return null;
    const wish = { ...this.wish(), both: this.form.elements.both.checked, hold_s: Number(this.form.elements.hold_s.value) };
    return this.ask(() => post('/api/v1/calls', wish), (outcome) => h('div', { class: 'verdict good' },
      h('h2', {}, outcome.outcome === 'held' ? 'Held' : 'Connected'),
      h('p', {}, 'Call ', h('a', { href: `#call/${encodeURIComponent(wish.manager)}/${outcome.id}` }, outcome.id),
        outcome.ingress_label ? `, ingress label ${outcome.ingress_label}, egress label ${outcome.egress_label}` : ', reserved and not yet connected')));
  }

  fitView(fit) {
    if (!fit.fits) return this.whyNot(fit.explanation?.cause ?? 'It would not fit', fit.short_of, fit.explanation, fit);
    return h('div', { class: 'stack' },
      h('div', { class: 'verdict good' }, h('h2', {}, 'It fits'),
        h('p', {}, `over ${pathText(fit.path)}, which takes ${number(fit.takes.cells_per_s)} cells/s of every link.`),
        h('p', { class: 'muted' }, `${number(fit.copies)} of such calls fit on all its paths together.`)),
      this.paths(fit));
  }

  refusal(problem) {
    if (!problem.explanation && !problem.error?.refusal) return problemView(problem);
    return this.whyNot(problem.title, problem.detail, problem.explanation, problem.fit, problem.error?.refusal);
  }

  // cause, constraint, numbers, alternative
  whyNot(cause, sentence, explanation, fit, refusal) {
    const unknown = !refusal && fit?.verdict === 'unknown';
    const shortage = fit?.paths?.find((path) => path.shortage)?.shortage;
    const numbers = refusal && (refusal.asked > 0 || refusal.free > 0) ? refusal : shortage;
    return h('div', { class: 'stack' },
      h('div', { class: 'verdict bad', id: 'refusal' },
        h('h2', {}, unknown ? 'Not known' : `Refused: ${cause}`),
        h('p', {}, sentence ?? ''),
        refusal?.retry_after_ms > 0 ? h('p', {}, `Try again in ${duration(refusal.retry_after_ms)}.`) : null,
        numbers ? compare(numbers) : null),
      explanation ? h('div', { class: 'stack' }, h('p', {}, rich(explanation.meaning)), explanation.numbers ? h('p', { class: 'muted small' }, explanation.numbers) : null, h('p', {}, h('strong', {}, 'What to do: '), rich(explanation.remedy))) : null,
      fit ? this.alternative(fit) : null,
      fit ? this.paths(fit) : null);
  }

  alternative(fit) {
    if (fit.fits) return h('p', {}, `Now it would fit, over ${pathText(fit.path)}.`);
    if (!(fit.most_cells_per_s > 0)) return h('p', {}, `No path ${fit.unread.length > 0 ? 'is known to have' : 'has'} room for any rate.`);
    return h('p', { id: 'alternative' }, h('strong', {}, 'What fits now: '), `${number(fit.most_cells_per_s)} cells/s. `,
      h('button', { type: 'button', class: 'link', onclick: () => {
        this.form.elements.kind.value = 'rate';
        this.rate.value = String(fit.most_cells_per_s);
        this.showKind();
        this.check();
      } }, 'Ask for that'));
  }

  shortOf(path) {
    if (path.shortage) return `${path.shortage.cause} at ${path.shortage.element.replace(/ (\d+)$/, '\u00a0$1')}`;
    return path.unknown.length > 0 ? `unknown: ${path.unknown.join(', ')}` : badge('fits', 'good');
  }

  paths(fit) {
    if (!fit.paths?.length) return null;
    return h('div', {}, h('h3', {}, 'Paths'), table([
      { title: 'Path', cell: (path) => h('span', {}, path.hops.map((hop, at) => [at > 0 ? ' → ' : '', h('span', { class: 'nowrap' }, hop.switch)])) },
      { title: 'Most that fits', number: true, cell: (path) => number(path.most_cells_per_s) },
      { title: 'Short of', cell: (path) => this.shortOf(path) },
    ], fit.paths), fit.unread.length > 0 ? h('p', { class: 'muted small' }, `Did not answer, and count as without room: ${fit.unread.join(', ')}.`) : null);
  }
}

// Asked against free, as bars.
function compare(numbers) {
  const most = Math.max(numbers.asked, numbers.free, 1);
  const bar = (title, value, kind) => {
    const filled = h('div', { class: `fill ${kind}` });
    filled.style.width = `${(100 * value) / most}%`;
    return [h('span', {}, title), h('div', { class: 'track' }, filled), h('span', { class: 'nowrap' }, number(value))];
  };
  return h('div', { class: 'stages' }, bar('asked', numbers.asked, 'asked'), bar('free', numbers.free, 'free'));
}
