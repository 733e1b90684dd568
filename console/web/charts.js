// Curves over time. A chart has one to three series over the same samples.
import { h, s, number, short } from './format.js';

const kHeight = 170;  // until it is drawn
const kLeft = 44;
const kRight = 8;
const kTop = 10;
const kBottom = 22;

// The least of 1, 2, 5 x 10^n that is not below the value.
export function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= value * 0.999);
}

export class Chart {
  // series: [{title, value(sample)}]; unit: of all of them
  constructor(title, unit, series, digits = {}) {
    this.series = series;
    this.unit = unit;
    this.max = digits.max ?? null;
    this.svg = s('svg', { role: 'img' });
    this.legend = h('p', { class: 'legend' });
    this.title = title;
    this.element = h('div', { class: 'card chart' }, h('div', { class: 'bar' }, h('h2', {}, title), this.legend), this.svg);
  }

  update(samples) {
    const size = { width: this.svg.clientWidth || 560, height: this.svg.clientHeight || kHeight };
    this.svg.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    const last = samples.at(-1);
    this.legend.replaceChildren(...this.series.map((one, at) => h('span', {},
      h('i', { class: `swatch series-${at + 1}` }), one.title, ' ',
      h('strong', {}, last ? number(one.value(last)) : '–'), ` ${this.unit}`)));
    const top = this.max ?? ceiling(Math.max(0, ...this.series.flatMap((one) => points(samples, one.value).map(([, y]) => y ?? 0))));
    this.svg.replaceChildren(...this.grid(top, samples, size),
      ...this.series.map((one, at) => s('path', { class: `series-${at + 1}`, d: curve(samples, one.value, top, size) })));
    this.svg.setAttribute('aria-label', `${this.title}: ${this.series.map((one) => `${one.title} ${last ? number(one.value(last)) : 'unknown'} ${this.unit}`).join(', ')}`);
  }

  grid(top, samples, { width, height }) {
    const lines = [0, 0.5, 1].flatMap((part) => {
      const y = height - kBottom - part * (height - kTop - kBottom);
      return [s('line', { class: 'grid', x1: kLeft, x2: width - kRight, y1: y, y2: y }),
        s('text', { x: kLeft - 6, y: y + 4, 'text-anchor': 'end' }, short(part * top))];
    });
    const span = samples.length > 1 ? Math.round((samples.at(-1).at_ms - samples[0].at_ms) / 1000) : 0;
    lines.push(s('text', { x: kLeft, y: height - 5 }, span > 0 ? `${span} s ago` : ''),
      s('text', { x: width - kRight, y: height - 5, 'text-anchor': 'end' }, 'now'));
    return lines;
  }
}

const kPoints = 150;  // of a curve; more would be noise

// Means of neighbours, so that there are at most kPoints: [[at_ms, value or null], ...].
export function points(samples, value) {
  const size = Math.ceil(samples.length / kPoints);
  const found = [];
  for (let end = samples.length; end > 0; end -= size) {
    const group = samples.slice(Math.max(0, end - size), end);
    const values = group.map(value).filter((one) => one !== null && one !== undefined);
    const mean = values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;
    found.unshift([group.at(-1).at_ms, mean]);
  }
  return found;
}

function curve(samples, value, top, { width, height }) {
  if (samples.length < 2) return '';
  const first = samples[0].at_ms;
  const span = samples.at(-1).at_ms - first || 1;
  let path = '';
  let pen = 'M';
  for (const [at, y] of points(samples, value)) {
    if (y === null) { pen = 'M'; continue; }
    const px = kLeft + ((at - first) / span) * (width - kLeft - kRight);
    const py = height - kBottom - (Math.min(y, top) / top) * (height - kTop - kBottom);
    path += `${pen}${px.toFixed(1)} ${py.toFixed(1)}`;
    pen = 'L';
  }
  return path;
}
