// What the console knows, kept up to date by its event stream. Views subscribe and are told at most
// once a frame which sections have changed.

export const sections = new Map();  // name -> Map(key -> row)
export const about = { writable: false };
export const connection = { state: 'wait', text: 'connecting' };

const listeners = new Set();
let changed = new Set();
let scheduled = false;
let source = null;
let retry = null;

export const rows = (section) => [...(sections.get(section)?.values() ?? [])];
export const row = (section, key) => sections.get(section)?.get(key);
export function subscribe(listener) { listeners.add(listener); }

function tell(section) {
  changed.add(section);
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    const now = changed;
    changed = new Set();
    for (const listener of listeners) listener(now);
  });
}

function state(value, text) {
  connection.state = value;
  connection.text = text;
  tell('connection');
}

function takeSnapshot(event) {
  sections.clear();
  for (const [name, all] of Object.entries(JSON.parse(event.data).sections)) {
    sections.set(name, new Map(Object.entries(all)));
    tell(name);
  }
  tell('snapshot');
  state('up', 'live');
}

function takeChange(event) {
  const change = JSON.parse(event.data);
  if (!sections.has(change.section)) sections.set(change.section, new Map());
  const section = sections.get(change.section);
  for (const [key, value] of Object.entries(change.set)) section.set(key, value);
  for (const key of change.gone) section.delete(key);
  tell(change.section);
}

// Whether the server is there, and what it says about itself.
async function readAbout() {
  try {
    Object.assign(about, await get('/api/v1'));
    tell('about');
  } catch { /* the stream says that the server is away */ }
}

// A browser has six connections to a host for all its pages, and the stream holds one. So a page has
// it only while somebody can see it.
export function disconnect() {
  clearTimeout(retry);
  source?.close();
  source = null;
  state('wait', 'held while hidden');
}

export function connect() {
  clearTimeout(retry);
  source?.close();
  source = new EventSource('/api/v1/events');
  source.addEventListener('open', readAbout);
  source.addEventListener('snapshot', takeSnapshot);
  source.addEventListener('change', takeChange);
  source.addEventListener('error', () => {
    state('down', 'no connection, trying again');
    // A browser gives up after an answer that is no stream, such as "too many streams".
    if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, 3000);
  });
}

// Answers the document, or throws the problem: {title, status, detail, name, advice, ...}.
export async function get(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, cache: 'no-store' });
  } catch {
    throw { title: 'no answer', name: 'no-answer', detail: 'the console does not answer', advice: 'is xbind-console running?' };
  }
  const body = await answer.json();
  if (!answer.ok) throw body;
  return body;
}
export const post = (path, body) =>
  get(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
export const remove = (path) => get(path, { method: 'DELETE' });

// "/api/v1/calls?from=a", without empty values.
export function target(path, parameters) {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '' && value !== null && value !== undefined && value !== false) words.set(name, value);
  }
  return String(words) === '' ? path : `${path}?${words}`;
}
