// The live page. It shows what two event streams say, and how well it hears them.

const byId = (id) => document.getElementById(id);
const maxRequests = 200; // older ones leave the page
const maxPoints = 60;

// follow reads an event stream until the returned function is called, and comes
// back when it is lost. tell gets ('event', name, object), and ('state', state,
// sentence) with the states connecting, live, lost and refused.
function follow(url, names, key, tell) {
  return key ? followWithKey(url, key, tell) : followOpen(url, names, tell);
}

// followOpen uses EventSource, which can send no key.
function followOpen(url, names, tell) {
  let source, timer, over = false;
  const open = () => {
    tell('state', 'connecting', 'Connecting');
    source = new EventSource(url);
    source.onopen = () => tell('state', 'live', 'Live');
    source.onerror = () => {
      // It comes back by itself, unless the answer was no stream at all.
      const gone = source.readyState === EventSource.CLOSED;
      tell('state', 'lost', 'The stream is lost. Reconnecting');
      if (gone && !over) timer = setTimeout(open, 3000);
    };
    for (const name of names) source.addEventListener(name, (e) => tell('event', name, JSON.parse(e.data)));
  };
  open();
  return () => { over = true; clearTimeout(timer); source.close(); };
}

// followWithKey reads the stream with fetch, which can send a header.
function followWithKey(url, key, tell) {
  const stop = new AbortController();
  run();
  return () => stop.abort();

  async function run() {
    for (let failures = 0; !stop.signal.aborted;) {
      tell('state', failures ? 'lost' : 'connecting', failures ? 'The stream is lost. Reconnecting' : 'Connecting');
      try {
        const answer = await fetch(url, { headers: { Authorization: 'Bearer ' + key }, cache: 'no-store', signal: stop.signal });
        if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
          tell('state', 'refused', await refusal(answer));
          return;
        }
        if (answer.ok) {
          failures = 0;
          tell('state', 'live', 'Live');
          await read(answer.body.getReader());
        }
      } catch { /* lost: the network, or a silence that was too long */ }
      if (stop.signal.aborted) return;
      failures++;
      const seconds = Math.min(2 ** (failures - 1), 15);
      tell('state', 'lost', `The stream is lost. Trying again in ${seconds} s`);
      await new Promise((done) => setTimeout(done, seconds * 1000));
    }
  }

  async function read(reader) {
    const decoder = new TextDecoder();
    let text = '', patience = 60_000;
    for (;;) {
      const { done, value } = await within(patience, reader);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop();
      if (text.length > 1 << 20) throw new Error('an event without an end');
      for (const frame of frames) {
        const name = /^event: (.*)$/m.exec(frame), data = /^data: (.*)$/m.exec(frame);
        if (!name || !data) continue;
        const object = JSON.parse(data[1]);
        // Pings come at this pace; a silence much longer is no silence but a loss.
        if (name[1] === 'stream.open') patience = object.heartbeatMs * 2.5;
        tell('event', name[1], object);
      }
    }
  }
}

async function within(milliseconds, reader) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('silence')), milliseconds); });
  try {
    return await Promise.race([reader.read(), late]);
  } catch (e) {
    reader.cancel().catch(() => {});
    throw e;
  } finally {
    clearTimeout(timer);
  }
}

async function refusal(answer) {
  try {
    return (await answer.json()).error.message;
  } catch {
    return `The gateway answered ${answer.status}`;
  }
}

function show(element, state, sentence) {
  element.dataset.state = state;
  element.textContent = sentence;
}

// How figures are written.

const whole = (n) => n.toLocaleString('en-US');
const compact = (n) => n.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 2 });
const percent = (n) => n.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 });
const dollars = (n) => (n < 0 ? '−$' : '$') + Math.abs(n).toLocaleString('en-US', { maximumSignificantDigits: 4 });
const time = (ms) => ms == null ? '–' : ms < 1000 ? `${Math.round(ms * 10) / 10} ms` : `${(ms / 1000).toFixed(2)} s`;

const figures = {
  requests: whole, totalTokens: whole, tokensProcessed: compact, requestsPerSecond: whole, activeReplicas: whole,
  medianTtftMs: (n) => `${n} ms`, cacheHitRate: percent, reuseRatio: percent,
  blendedCostPerMillion: (n) => `$${n.toFixed(2)}`, usageSource: String,
};

// amount writes dollars, shortened; the title has every digit that was sent.
function amount(slot, value, signed) {
  slot.textContent = dollars(value);
  slot.title = '$' + value.toLocaleString('en-US', { maximumSignificantDigits: 12 });
  slot.className = 'money' + (!signed ? '' : value < 0 ? ' loss' : ' gain');
}

function fill(list, object) {
  for (const slot of list.querySelectorAll('[data-figure]')) {
    const name = slot.dataset.figure, value = object[name];
    if (value === undefined) continue;
    if (name.endsWith('Usd')) {
      amount(slot, value, name === 'savedUsd');
    } else {
      slot.textContent = figures[name](value);
    }
  }
}

// The fleet.

const points = [];

follow('v1/metrics/stream', ['metrics.tick'], '', (kind, what, value) => {
  if (kind === 'state') {
    show(byId('fleet-state'), what, value);
    byId('fleet').toggleAttribute('data-stale', what === 'lost');
    return;
  }
  fill(byId('fleet'), value);
  points.push(value.requestsPerSecond);
  if (points.length > maxPoints) points.shift();
  const low = Math.min(...points), span = Math.max(...points) - low || 1;
  byId('spark').firstElementChild.setAttribute('points',
    points.map((p, i) => `${((maxPoints - points.length + i) * 120 / (maxPoints - 1)).toFixed(1)},${(26 - 24 * (p - low) / span).toFixed(1)}`).join(' '));
});

// The session.

const requests = new Map(); // by id, the oldest first
let stop = () => {};
let key = '';

function start(session) {
  stop();
  requests.clear();
  byId('requests').replaceChildren();
  byId('sums').hidden = true;
  byId('session-name').textContent = session;
  byId('empty').hidden = false;
  byId('hint').textContent = key
    ? 'No request of this session has come yet. Send one:'
    : 'Without a key this stream stays empty, as documented. Give the API key whose requests you want to see. A request in this session:';
  byId('example').hidden = false;
  byId('example').textContent = `curl -N ${location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer $MORTAR_API_KEY" \\
  -H "X-Mortar-Session-Id: ${session}" \\
  -H "Content-Type: application/json" \\
  -d '{"messages": [{"role": "user", "content": "Write a haiku about GPUs."}], "stream": true}'`;
  stop = follow('v1/telemetry/stream?session=' + encodeURIComponent(session), Object.keys(steps).concat('stream.open'), key, (kind, what, value) => {
    if (kind === 'event') {
      steps[what]?.(value);
      return;
    }
    show(byId('session-state'), what, what === 'live' && !key ? 'Open, but without a key it stays empty' : value);
    byId('sums').toggleAttribute('data-stale', what === 'lost');
    if (what === 'lost') forget();
  });
}

// What ended while nobody listened will never be told.
function forget() {
  for (const item of requests.values()) {
    if (item.dataset.state !== 'running') continue;
    item.dataset.state = 'unknown';
    item.querySelector('.ending').textContent = 'not known: the stream was lost';
  }
}

function request(id) {
  let item = requests.get(id);
  if (!item) {
    item = byId('request').content.firstElementChild.cloneNode(true);
    item.querySelector('.id').textContent = id;
    requests.set(id, item);
    byId('requests').prepend(item);
    byId('empty').hidden = true;
    if (requests.size > maxRequests) {
      const [oldest, gone] = requests.entries().next().value;
      requests.delete(oldest);
      gone.remove();
    }
  }
  return (selector, text) => {
    const element = item.querySelector(selector);
    if (text !== undefined) element.textContent = text;
    return element ?? item;
  };
}

const endings = {
  finished: ['done', 'finished'], overrun: ['done', 'ended at max_tokens'], stopped: ['cut', 'stopped'],
  disconnected: ['cut', 'the client left'], failed: ['failed', 'failed'], shutdown: ['cut', 'the gateway shut down'],
};

// What each step of a request changes.
const steps = {
  'route.decision': (e) => {
    const set = request(e.requestId);
    set('.server', e.server);
    const why = [e.reason, e.expectedReuseTokens && `expects ${whole(e.expectedReuseTokens)} cached`, e.load && `${e.load} running`];
    set('.reason', why.filter(Boolean).join(', '));
  },
  'cache.lookup': (e) => {
    const set = request(e.requestId);
    set('.tier', e.tier ? `${e.tier}, ${percent(e.reuseRatio)}` : 'miss');
    set('.cache').dataset.tier = e.tier ?? '';
    set('.bar').style.setProperty('--share', e.reuseRatio);
  },
  'latency.update': (e) => {
    const set = request(e.requestId);
    const [state, words] = endings[e.ending] ?? ['done', e.ending];
    set('.ending', `${words} after ${time(e.durationMs)}`).closest('.request').dataset.state = state;
    set('.ttft', time(e.ttftMs));
    set('.pace', e.interTokenMs == null ? '' : `then ${time(e.interTokenMs)} a token`);
  },
  'cost.update': (e) => {
    const set = request(e.requestId);
    set('.tokens dd', `${whole(e.promptTokens)} + ${whole(e.completionTokens)}`);
    amount(set('.cost dd'), e.totalUsd);
    amount(set('.saved dd'), e.savedUsd, true);
  },
  'session.metrics': (e) => {
    byId('sums').hidden = false;
    fill(byId('sums'), e);
  },
};

// The address says which session is followed.

function sessionInAddress() {
  return new URLSearchParams(location.hash.slice(1)).get('session') ?? '';
}

byId('follow').addEventListener('submit', (e) => {
  e.preventDefault();
  key = byId('key').value.trim();
  const hash = '#' + new URLSearchParams({ session: byId('session').value });
  if (location.hash === hash) {
    start(byId('session').value);
  } else {
    location.hash = hash; // hashchange does the rest
  }
});

function restart() {
  const session = sessionInAddress();
  if (!session) return;
  byId('session').value = session;
  start(session);
}
byId('skip').addEventListener('click', (e) => {
  e.preventDefault(); // the address names the session
  byId('requests').focus();
});
addEventListener('hashchange', restart);
restart();
