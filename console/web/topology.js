// The map of the network: a force layout that starts from a circle, so that the same network always
// looks the same. Each half of a link shows the load out of its end.
import { h, s, percent, number, facts, badge } from './format.js';
import { rows, row } from './store.js';

const kMargin = { wide: { x: 74, y: 46 }, narrow: { x: 44, y: 40 } };  // room for the names
const kWide = 480;  // a narrower map has one load a link, the greater
const kFew = 12;  // links; of more, only those show their load that carry much
const kMuch = 0.5;
const kCrowded = 60;  // switches; of more, only the chosen one shows its name

export const load = (rate, free) => (rate > 0 ? Math.min(1, Math.max(0, (rate - free) / rate)) : 0);
const step = (part) => (part <= 0.001 ? 0 : part < 0.3 ? 1 : part < 0.6 ? 2 : part < 0.8 ? 3 : part < 0.95 ? 4 : 5);

// Names and pairs of names -> Map(name -> {x, y}).
export function layout(names, pairs, size) {
  const places = new Map(names.map((name, at) => {
    const angle = (2 * Math.PI * at) / names.length - Math.PI / 2;
    return [name, { x: Math.cos(angle), y: Math.sin(angle) }];
  }));
  if (names.length < 3) return spread(places, size);
  const ideal = 1.6 / Math.sqrt(names.length);
  const rounds = names.length > 200 ? 60 : 250;
  const all = [...places.values()];
  for (let round = 0; round < rounds; ++round) {
    const heat = 0.12 * (1 - round / rounds);
    for (const one of all) { one.dx = 0; one.dy = 0; }
    for (let i = 0; i < all.length; ++i) {
      for (let j = i + 1; j < all.length; ++j) push(all[i], all[j], ideal);
    }
    for (const [from, to] of pairs) pull(places.get(from), places.get(to), ideal);
    for (const one of all) {
      const length = Math.hypot(one.dx, one.dy) || 1;
      const far = Math.min(length, heat) / length;
      one.x += one.dx * far;
      one.y += one.dy * far;
    }
  }
  return spread(places, size);
}

function push(one, other, ideal) {
  const x = one.x - other.x;
  const y = one.y - other.y;
  const square = Math.max(x * x + y * y, 1e-6);
  const force = (ideal * ideal) / square;
  one.dx += x * force; one.dy += y * force;
  other.dx -= x * force; other.dy -= y * force;
}

function pull(one, other, ideal) {
  if (!one || !other || one === other) return;
  const x = one.x - other.x;
  const y = one.y - other.y;
  const force = Math.hypot(x, y) / ideal;
  one.dx -= x * force; one.dy -= y * force;
  other.dx += x * force; other.dy += y * force;
}

// Fills the drawing; a network in a line keeps its shape.
function spread(places, size) {
  const all = [...places.values()];
  const bounds = (key) => [Math.min(...all.map((p) => p[key])), Math.max(...all.map((p) => p[key]))];
  const margin = size.width < kWide ? kMargin.narrow : kMargin.wide;
  const [left, right] = bounds('x');
  const [upper, lower] = bounds('y');
  const across = (size.width - 2 * margin.x) / Math.max(right - left, 1e-9);
  const down = (size.height - 2 * margin.y) / Math.max(lower - upper, 1e-9);
  const even = Math.min(across, down);
  // Each direction may be stretched a little more than the other.
  const wide = Math.min(across, even * 2);
  const high = Math.min(down, even * 2);
  for (const place of all) {
    place.x = size.width / 2 + (place.x - (left + right) / 2) * wide;
    place.y = size.height / 2 + (place.y - (upper + lower) / 2) * high;
  }
  return places;
}

// Where the load of the half from `a` to `b` stands: at that part of it, beside the line, on its upper or right side.
function beside(a, b, part) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const across = { x: (b.y - a.y) / length, y: -(b.x - a.x) / length };
  const side = across.y < -0.3 || (across.y < 0.3 && across.x > 0) ? 1 : -1;
  const upright = side * across.x > 0.6;  // beside, it begins at the line; above, it stands over it
  // Half of the widest line, and as much of the text as reaches towards it.
  const far = upright ? 12 : 9 + 17 * Math.abs(across.x) + 7 * Math.abs(across.y);
  return { x: a.x + (b.x - a.x) * part + side * across.x * far, y: a.y + (b.y - a.y) * part + side * across.y * far + 4,
    'text-anchor': upright ? 'start' : 'middle' };
}

// Where the name of a switch stands: on the side without its links.
function nameBeside(name, place, neighbours, radius, size) {
  const x = neighbours.reduce((sum, one) => sum + place.x - one.x, 0);
  const y = neighbours.reduce((sum, one) => sum + place.y - one.y, 0);
  const far = radius + 7;
  const width = 7.5 * name.length + far;
  const room = x > 0 ? place.x + width < size.width : place.x - width > 0;
  if (room && Math.abs(x) > 1.2 * Math.abs(y)) {
    return x > 0 ? { x: place.x + far, y: place.y + 6, 'text-anchor': 'start' } : { x: place.x - far, y: place.y + 6, 'text-anchor': 'end' };
  }
  return { x: place.x, y: y > 0 ? place.y + far + 12 : place.y - far, 'text-anchor': 'middle' };
}

export class Topology {
  constructor(onSwitch) {
    this.svg = s('svg', { class: 'map', role: 'group', 'aria-label': 'Map of the network' });
    this.details = h('div', {});
    this.shape = '';
    this.chosen = null;
    this.onSwitch = onSwitch;
    this.element = h('div', { class: 'stack' }, this.svg,
      h('p', { class: 'legend' },
        h('span', {}, h('i', { class: 'swatch load-0' }), 'idle'),
        h('span', {}, h('i', { class: 'swatch load-2' }), 'in use'),
        h('span', {}, h('i', { class: 'swatch load-3' }), 'from 60 %'),
        h('span', {}, h('i', { class: 'swatch load-4' }), 'from 80 %'),
        h('span', {}, h('i', { class: 'swatch load-5' }), 'from 95 %'),
        h('span', {}, h('i', { class: 'swatch cut' }), 'down'),
        h('span', {}, h('i', { class: 'swatch drained' }), 'drained'),
        h('span', {}, '● switch with a host')));
  }

  update() {
    const switches = rows('switches');
    const links = rows('links');
    // Drawn in the size that it is shown in, so that a small window has readable texts, too.
    const width = Math.round((this.svg.clientWidth || 800) / 40) * 40;
    const size = { width, height: width < kWide ? Math.min(420, Math.max(300, 24 * switches.length)) : Math.round(Math.min(560, 0.62 * width)) };
    const shape = JSON.stringify([size, switches.map((one) => [one.switch, one.endpoint]), links.map((one) => one.link)]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.draw(switches, links, size);
    }
    for (const one of links) this.show(one);
    for (const one of switches) {
      const node = this.nodes.get(one.switch);
      node.classList.toggle('unknown', one.unknown);
      node.querySelector('title').textContent = `${one.switch}${one.unknown ? ', in an unknown state' : ''}`;
    }
    this.showDetails();
  }

  draw(switches, links, size) {
    const places = layout(switches.map((one) => one.switch),
      links.map((one) => [one.end.switch, one.other_end.switch]), size);
    this.svg.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    this.links = new Map();
    this.nodes = new Map();
    this.svg.replaceChildren();
    for (const one of links) this.svg.append(this.drawLink(one, places, links.length <= kFew && size.width >= kWide));
    const dense = switches.length > (size.width < kWide ? 8 : 30);
    this.svg.classList.toggle('dense', dense);
    this.svg.classList.toggle('crowded', switches.length > kCrowded);
    this.quiet = links.length > kFew;
    const neighbours = new Map(switches.map((one) => [one.switch, []]));
    for (const one of links) {
      neighbours.get(one.end.switch)?.push(places.get(one.other_end.switch) ?? places.get(one.end.switch));
      neighbours.get(one.other_end.switch)?.push(places.get(one.end.switch) ?? places.get(one.other_end.switch));
    }
    for (const one of switches) {
      this.svg.append(this.drawNode(one, places.get(one.switch), neighbours.get(one.switch), dense ? 7 : 11, size));
    }
    if (switches.length === 0) {
      this.svg.append(s('text', { x: size.width / 2, y: size.height / 2, 'text-anchor': 'middle' }, 'no switch is known yet'));
    }
  }

  drawLink(one, places, both) {
    const from = places.get(one.end.switch) ?? { x: 0, y: 0 };
    const to = places.get(one.other_end.switch) ?? { x: 0, y: 0 };
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    const half = (a, b) => s('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: 'half' });
    const label = (a, part) => s('text', { class: 'percent', ...beside(a, middle, part) });
    const drawn = { halves: [half(from, middle), half(to, middle)], labels: both ? [label(from, 0.6), label(to, 0.6)] : [label(from, 1)] };
    drawn.title = s('title');
    drawn.group = s('g', {
      class: 'link', tabindex: 0, role: 'button', 'aria-label': `link ${one.link}`,
      onclick: () => this.choose({ link: one.link }),
      onkeydown: (event) => { if (event.key === 'Enter') this.choose({ link: one.link }); },
    }, drawn.title, s('line', { class: 'hit', x1: from.x, y1: from.y, x2: to.x, y2: to.y }), drawn.halves, drawn.labels);
    this.links.set(one.link, drawn);
    return drawn.group;
  }

  drawNode(one, place, neighbours, radius, size) {
    const node = s('g', {
      class: 'node', tabindex: 0, role: 'button', 'aria-label': `switch ${one.switch}`,
      onclick: () => this.choose({ switch: one.switch }),
      onkeydown: (event) => { if (event.key === 'Enter') this.choose({ switch: one.switch }); },
    }, s('title'), s('circle', { cx: place.x, cy: place.y, r: radius }),
    one.endpoint ? s('circle', { class: 'host', cx: place.x, cy: place.y, r: radius / 2.6 }) : null,
    s('text', nameBeside(one.switch, place, neighbours, radius, size), one.switch));
    this.nodes.set(one.switch, node);
    return node;
  }

  show(one) {
    const drawn = this.links.get(one.link);
    const loads = [load(one.cells_per_s, one.free_cells_per_s), load(one.cells_per_s, one.free_back_cells_per_s)];
    drawn.halves.forEach((half, at) => {
      half.setAttribute('class', `half load-${step(loads[at])}`);
      half.setAttribute('stroke-width', 4 + 8 * loads[at]);
    });
    drawn.labels.forEach((label, at) => {
      const shown = drawn.labels.length === 1 ? Math.max(...loads) : loads[at];
      label.textContent = one.state === 'up' ? (shown > (this.quiet ? kMuch : 0.0005) ? percent(shown) : '') : at === 0 ? one.state : '';
    });
    for (const state of ['down', 'drained', 'unknown']) drawn.group.classList.toggle(state, one.state.includes(state));
    drawn.title.textContent = `${one.end.switch} → ${one.other_end.switch} ${percent(loads[0])}, back ${percent(loads[1])}, ${one.state}`;
  }

  choose(what) {
    this.chosen = what;
    for (const [name, drawn] of this.links) drawn.group.classList.toggle('chosen', name === what.link);
    for (const [name, node] of this.nodes) node.classList.toggle('chosen', name === what.switch);
    this.showDetails();
  }

  showDetails() {
    const link = this.chosen?.link ? row('links', this.chosen.link) : null;
    const node = this.chosen?.switch ? row('switches', this.chosen.switch) : null;
    if (link) this.details.replaceChildren(linkDetails(link));
    else if (node) this.details.replaceChildren(this.switchDetails(node));
    else this.details.replaceChildren(h('p', { class: 'muted' }, 'Choose a switch or a link of the map.'));
  }

  switchDetails(node) {
    const lines = rows('links').filter((one) => one.end.switch === node.switch || one.other_end.switch === node.switch);
    return h('div', { class: 'stack' },
      h('div', { class: 'bar' }, h('h3', {}, node.switch), node.unknown ? badge('unknown', 'warn') : badge('known', 'good')),
      facts([['links', lines.length], ['host', node.endpoint ? 'yes: calls begin and end here' : 'none']]),
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => this.onSwitch(node.switch) }, 'Calls through it')));
  }
}

export const linkBadge = (state) =>
  badge(state, state === 'up' ? 'good' : state.includes('down') ? 'bad' : 'warn');

function linkDetails(link) {
  const way = (from, to, free) => [`${from.switch} port ${from.port} → ${to.switch}`,
    `${percent(load(link.cells_per_s, free))} taken, ${number(free)} cells/s free`];
  return h('div', { class: 'stack' },
    h('div', { class: 'bar' }, h('h3', {}, `${link.end.switch} – ${link.other_end.switch}`), linkBadge(link.state)),
    facts([['rate', `${number(link.cells_per_s)} cells/s`],
      way(link.end, link.other_end, link.free_cells_per_s),
      way(link.other_end, link.end, link.free_back_cells_per_s),
      ['delay', link.delay_us > 0 ? `${number(link.delay_us)} µs` : null]]));
}
