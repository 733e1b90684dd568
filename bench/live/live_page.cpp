#include "bench/live/live_page.hpp"

namespace xbind::callgen {

std::string_view live_page() {
  static constexpr std::string_view kPage = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>xbind-callgen: live</title>
<style>
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1f23; --soft: #5d6670;
  --rule: #d9dde2; --card: #f5f7f9; --a: #0072b2; --b: #b35900; --c: #00795a; --bad: #a01c1c; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15181c; --ink: #e4e7ea; --soft: #9aa4ae; --rule: #343a41; --card: #1d2126;
    --a: #6bb5ea; --b: #f0a860; --c: #5cc9a4; --bad: #f2a0a0; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: 0; }
h2 { font-size: 1rem; margin: 0 0 .25rem; }
#command { max-height: 4.6em; overflow-y: auto; }
.soft { color: var(--soft); font-size: .9rem; margin: .1rem 0 1rem; }
#state { padding: .1rem .5rem; border-radius: 4px; background: var(--card); font-size: 1rem;
  border: 1px solid var(--rule); }
.numbers { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr));
  gap: .5rem; margin: 0 0 1rem; }
.numbers div { background: var(--card); border-radius: 6px; padding: .5rem .75rem; }
dt { color: var(--soft); font-size: .8rem; }
dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: 1rem; }
section { min-width: 0; border: 1px solid var(--rule); border-radius: 6px; padding: .75rem; }
svg { width: 100%; height: 13rem; display: block; }
svg text { fill: var(--soft); font-size: 11px; }
.legend span { display: inline-block; margin-right: 1rem; font-size: .85rem; }
.legend i { display: inline-block; width: .8rem; height: .25rem; margin-right: .35rem;
  vertical-align: middle; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td { padding: .2rem 0; border-bottom: 1px solid var(--rule); }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
  padding-left: 1rem; }
</style>
</head>
<body>
<h1>xbind-callgen <span id="state" role="status">starting</span></h1>
<p class="soft" id="command"></p>
<dl class="numbers" id="numbers"></dl>
<div class="charts">
<section><h2>Calls a second</h2><div class="legend" id="l0"></div><div id="c0"></div></section>
<section><h2>Setup latency in ms</h2><div class="legend" id="l1"></div><div id="c1"></div></section>
<section><h2>Calls up</h2><div class="legend" id="l2"></div><div id="c2"></div></section>
<section><h2>Calls by result</h2><table><tbody id="results"></tbody></table></section>
</div>
<script>
'use strict';
const charts = [
  [['asked', 'asked_per_s', '--soft'], ['offered', 'offered_per_s', '--a'],
   ['connected', 'connected_per_s', '--c'], ['refused', 'refused_per_s', '--bad']],
  [['p50', 'p50_ms', '--c'], ['p90', 'p90_ms', '--a'], ['p99', 'p99_ms', '--b']],
  [['up', 'up', '--a']]];
// As the report rounds: about three digits, and blanks between thousands.
function rounded(x) {
  if (x === null || x === undefined) return '\u2013';
  if (x === 0) return '0';
  if (x < 0.1) return x.toFixed(3);
  if (x < 9.995) return x.toFixed(2);
  if (x < 99.95) return x.toFixed(1);
  return counted(x);
}
function counted(x) {
  return String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
function element(name, text, parent) {
  const made = document.createElement(name);
  made.textContent = text;
  if (parent) parent.append(made);
  return made;
}
function shape(parent, name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}
function nice(top) {
  const ten = Math.pow(10, Math.floor(Math.log10(top)));
  for (const step of [1, 2, 5, 10]) if (step * ten >= top) return step * ten;
}
function tick(x) { return x >= 100 ? counted(x) : String(+x.toPrecision(2)); }
function chart(at, lines, samples) {
  const place = document.getElementById('c' + at);
  const width = Math.max(200, place.clientWidth), height = 208, left = 52, low = 22;
  const svg = shape(document.createDocumentFragment(), 'svg',
    {viewBox: `0 0 ${width} ${height}`, role: 'img'});
  const times = samples.at_s;
  const values = lines.flatMap(line => samples[line[1]]).filter(x => x !== null);
  const top = nice(Math.max(1e-3, ...values)), end = Math.max(1, times[times.length - 1] || 1);
  const x = t => left + (width - left - 8) * t / end;
  const y = v => height - low - (height - low - 10) * v / top;
  for (const part of [0, .5, 1]) {
    shape(svg, 'path', {d: `M${left} ${y(part * top)}H${width - 8}`, stroke: 'var(--rule)'});
    shape(svg, 'text', {x: left - 6, y: y(part * top) + 4, 'text-anchor': 'end'},
      tick(part * top));
    shape(svg, 'text', {x: x(part * end), y: height - 6,
      'text-anchor': part === 0 ? 'start' : part === 1 ? 'end' : 'middle'},
      rounded(part * end) + ' s');
  }
  for (const [, key, colour] of lines) {
    let path = '', pen = false;
    samples[key].forEach((value, i) => {
      if (value !== null) path += (pen ? 'L' : 'M') + x(times[i]).toFixed(1) + ' ' +
        y(value).toFixed(1) + (pen ? '' : 'h.1');
      pen = value !== null;
    });
    shape(svg, 'path', {d: path, fill: 'none', stroke: `var(${colour})`, 'stroke-width': 1.8,
      'stroke-linejoin': 'round', 'stroke-linecap': 'round'});
  }
  place.replaceChildren(svg);
}
function show(run) {
  const state = document.getElementById('state');
  if (state.textContent !== run.state) state.textContent = run.state;
  document.getElementById('command').textContent = run.command;
  const samples = run.samples, last = key => samples[key][samples[key].length - 1];
  const numbers = [['time', rounded(run.elapsed_s) + ' s'],
    ['rate asked', rounded(run.rate_per_s)], ['rate offered', rounded(last('offered_per_s'))],
    ['calls up', counted(run.calls.up)],
    ['refused %', rounded(run.calls.refused_share && 100 * run.calls.refused_share)],
    ['p50 ms', rounded(run.setup_ms.p50)], ['p99 ms', rounded(run.setup_ms.p99)]];
  document.getElementById('numbers').replaceChildren(...numbers.map(([name, value]) => {
    const box = document.createElement('div');
    element('dt', name, box);
    element('dd', value, box);
    return box;
  }));
  charts.forEach((lines, at) => chart(at, lines, samples));
  const calls = run.calls;
  const rows = [['offered', calls.sent], ['connected', calls.connected],
    ...Object.entries(run.refusals).map(([cause, count]) => ['refused: ' + cause, count]),
    ['busy', calls.busy], ['unanswered', calls.unanswered], ['under way', calls.under_way]];
  document.getElementById('results').replaceChildren(...rows.map(([name, count]) => {
    const row = document.createElement('tr');
    element('td', name, row);
    element('td', counted(count), row);
    return row;
  }));
}
charts.forEach((lines, at) => lines.forEach(([name, , colour]) => {
  const one = element('span', name, document.getElementById('l' + at));
  const mark = document.createElement('i');
  mark.style.background = `var(${colour})`;
  one.prepend(mark);
}));
let run = null, missed = 0;
async function look() {
  try {
    run = await (await fetch('live.json', {cache: 'no-store'})).json();
    missed = 0;
    show(run);
  } catch (gone) {
    if (++missed > 2) document.getElementById('state').textContent =
      run ? 'over: the run no longer answers' : 'no answer';
  }
  setTimeout(look, 1000);
}
addEventListener('resize', () => { if (run) show(run); });
look();
</script>
</body>
</html>
)html";
  return kPage;
}

}  // namespace xbind::callgen
