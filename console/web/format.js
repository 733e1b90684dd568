// Elements, numbers and words. Texts of the network always become text nodes, never markup.

const kSvg = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value') element.value = value;
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const s = (name, attributes, ...children) => fill(document.createElementNS(kSvg, name), attributes, children);

const kWhole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const kOne = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const kThree = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

// 1234567 -> "1,234,567", 12.34 -> "12.3", 0.0123 -> "0.0123"
export function number(value) {
  if (value === null || value === undefined) return '–';
  if (Number.isInteger(value) || Math.abs(value) >= 100) return kWhole.format(value);
  return Math.abs(value) >= 1 ? kOne.format(value) : kThree.format(value);
}
// 12300 -> "12.3k", for axes
export function short(value) {
  if (Math.abs(value) >= 1e6) return `${kThree.format(value / 1e6)}M`;
  if (Math.abs(value) >= 1e4) return `${kThree.format(value / 1e3)}k`;
  return number(value);
}
export const percent = (part) => `${part > 0 && part < 0.1 ? kOne.format(100 * part) : kWhole.format(100 * part)} %`;

export function duration(ms) {
  if (ms < 1) return `${number(Math.round(1000 * ms))} µs`;
  if (ms < 1000) return `${kThree.format(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
}
// "12:34:56.789 UTC"; of another day with its date before it. UTC, as in xbindctl and in every log.
export function clock(ms) {
  const [date, time] = new Date(ms).toISOString().slice(0, -1).split('T');
  return date === new Date().toISOString().slice(0, date.length) ? `${time} UTC` : `${date} ${time} UTC`;
}
export const since = (ms) => duration(Math.max(0, Date.now() - ms));

// A sentence in which `words between backticks` are what to type.
export function rich(text) {
  return String(text ?? '').split('`').map((part, at) => (at % 2 === 1 ? h('code', {}, part) : part));
}

export function badge(text, kind) {
  return h('span', { class: `badge ${kind ?? ''}` }, text);
}

// A table; columns are {title, number?, cell(row)}; `row` may set attributes of a row.
export function table(columns, rows, options = {}) {
  return h('div', { class: 'table' }, h('table', { class: 'cards' },
    options.caption ? h('caption', { class: 'muted small' }, options.caption) : null,
    h('thead', {}, h('tr', {}, columns.map((column) =>
      h('th', { scope: 'col', class: column.number ? 'number' : null }, column.title)))),
    h('tbody', {}, rows.map((row) => h('tr', options.row?.(row) ?? {}, columns.map((column) =>
      h('td', { class: column.number ? 'number' : null, 'data-label': column.title }, column.cell(row))))))));
}

export function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

// What a refused request says, for the page: {title, detail, advice}.
export function problemView(problem) {
  return h('div', { class: 'verdict bad' },
    h('h2', {}, problem.title ?? problem.name),
    h('p', {}, rich(problem.detail)),
    problem.advice ? h('p', { class: 'muted' }, rich(problem.advice)) : null);
}
