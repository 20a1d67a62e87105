// Makes the pictures of docs/page.md: a home with a few sessions, a real server, a real Chromium. With a directory as
// its argument it makes every view and state there, at three widths, in light and dark, for people to look through.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { HOSTILE } from '../__tests__/support/hostile-texts.ts';
import { writeManySessions } from '../__tests__/support/many-sessions.ts';
import { startSpokenModel } from '../__tests__/support/spoken-model.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OLLM = join(ROOT, 'bin/ollm.js');
const [everything] = process.argv.slice(2);
const PICTURES = everything ?? join(ROOT, 'docs/pictures');
const home = mkdtempSync(join(tmpdir(), 'ollm-pictures-'));
const project = join(home, 'projects/garden');
mkdirSync(project, { recursive: true });
mkdirSync(PICTURES, { recursive: true });
const env = { PATH: process.env.PATH, HOME: home, OLLM_HOME: join(home, '.ollm'), LANG: 'C.UTF-8' };
const envOf = (name: string) => ({ ...env, HOME: join(home, name), OLLM_HOME: join(home, name, '.ollm') });
const model = await startSpokenModel();
mkdirSync(env.OLLM_HOME);
writeFileSync(
  join(env.OLLM_HOME, 'config.yaml'),
  `provider: box\nmodel: maple-2\nproviders:\n  compatible:\n    box: {baseUrl: "${model.url}/v1", contextWindow: 20000}\n`,
);

type Line = { readonly type: string; readonly turn?: number; readonly data: object };
const said = (role: string, text: string): Line => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], trusted: true },
});
/** A conversation of these texts, the user first. */
const talk = (...texts: readonly string[]): Line[] =>
  texts.map((text, at) => said(at % 2 === 0 ? 'user' : 'assistant', text));
let calls = 0;
function call(name: string, args: object, status: string, llmContent: string, durationMs: number): Line[] {
  calls += 1;
  const callId = `call-${calls}`;
  const requested = { type: 'tool.requested', data: { callId, name, args } };
  const finished = { callId, status, result: { llmContent }, durationMs, trusted: false };
  if (status === 'denied')
    return [
      requested,
      { type: 'tool.decided', data: { callId, decision: 'deny', by: 'policy', rule: 'bash(rm *)' } },
      { type: 'tool.finished', data: { callId, status, result: { llmContent }, trusted: false } },
    ];
  return [
    requested,
    { type: 'tool.decided', data: { callId, decision: 'allow', by: 'policy', rule: name } },
    {
      type: 'tool.started',
      data: { callId, sandbox: 'bubblewrap', network: false, envRemoved: ['API_KEY'], cwd: project },
    },
    { type: 'tool.finished', data: finished },
  ];
}
const used = (inputTokens: number, cachedTokens: number, totalCost: number): Line => ({
  type: 'usage.reported',
  data: { inputTokens, outputTokens: 420, cachedTokens, totalCost, source: 'provider', model: 'maple-2' },
});
const titled = (title: string): Line => ({ type: 'session.titled', data: { title, by: 'user' } });
const EDIT = {
  path: 'src/watering.ts',
  old_string: 'const hours = 6;\nreturn hours;',
  new_string: 'const hours = rainToday() ? 12 : 6;\nreturn hours;',
};

const SESSIONS: Readonly<Record<string, readonly Line[]>> = {
  watering: [
    titled('Water less often when it rains'),
    { type: 'turn.started', turn: 1, data: { input: 'user' } },
    said('user', 'The beds are watered every six hours, also when it rains. Can you change that?'),
    ...call(
      'file_read',
      { path: 'src/watering.ts' },
      'ok',
      Array.from({ length: 48 }, (_, at) => `line ${at}`).join('\n'),
      4,
    ),
    ...call('file_edit', EDIT, 'ok', 'Replaced one place.', 9),
    used(9_400, 6_100, 0.031),
    ...call(
      'bash',
      { command: 'npm test -- watering' },
      'error',
      'FAIL src/watering.test.ts\n  ✕ waits six hours\n    expected 6, received 12\n\nexit code 1',
      2_140,
    ),
    used(11_800, 9_200, 0.024),
    said(
      'assistant',
      "The test still runs with yesterday’s weather. It should say which weather it means:\n\n1. **Dry**: six hours, as before\n2. **Rain**: twelve hours\n\n```ts\nit.each([[false, 6], [true, 12]])('rain %p waits %d hours', (rain, hours) => {\n  expect(waitHours({ rain })).toBe(hours);\n});\n```",
    ),
    { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 3, durationMs: 41_000 } },
    { type: 'turn.started', turn: 2, data: { input: 'user' } },
    said('user', 'Good. Do the same for the greenhouse, and show me both as a table.'),
    ...call(
      'bash',
      { command: 'npm test -- watering greenhouse' },
      'ok',
      'PASS src/watering.test.ts\nPASS src/greenhouse.test.ts',
      3_010,
    ),
    used(14_900, 11_700, 0.029),
    said(
      'assistant',
      'Both pass now.\n\n| bed | dry | rain |\n|---|---:|---:|\n| roses | 6 h | 12 h |\n| tomatoes, greenhouse | 4 h | 4 h |\n\nThe greenhouse does not look at the rain: it has a roof.',
    ),
    { type: 'turn.ended', turn: 2, data: { status: 'completed', steps: 2, durationMs: 22_000 } },
  ],
  pruning: [
    titled('When to prune which tree'),
    ...talk('When should I prune the cherry?', 'In summer, after the harvest.'),
  ],
  undone: [
    titled('A name for the shed'),
    { type: 'turn.started', turn: 1, data: { input: 'user' } },
    ...talk('How should we call the shed?', 'The workshop.'),
    { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 1_400 } },
    { type: 'turn.started', turn: 2, data: { input: 'user' } },
    ...talk('Paint the name on the door in green.', 'Done: in green.'),
    { type: 'turn.ended', turn: 2, data: { status: 'completed', steps: 1, durationMs: 900 } },
    { type: 'branch.moved', data: { head: 5, reason: 'undo' } },
    { type: 'turn.started', turn: 3, data: { input: 'user' } },
    said('user', 'No, in blue.'),
    ...call('bash', { command: 'rm -rf old-door' }, 'denied', 'A rule forbids this call.', 0),
    said('assistant', 'Then the old door stays. The name is in blue.'),
    { type: 'turn.ended', turn: 3, data: { status: 'completed', steps: 2, durationMs: 2_100 } },
  ],
  languages: [
    titled('متى تُسقى الورود؟ 什么时候浇水 🌹'),
    { type: 'turn.started', turn: 1, data: { input: 'user' } },
    ...talk(
      'متى تُسقى الورود في الصيف، وكم مرة في الأسبوع؟ رقم السرير هو 42.',
      'في الصباح الباكر:\n\n1. **الورود**: مرتين في الأسبوع\n2. الطماطم في `greenhouse.ts`: كل يوم\n\n```ts\nconst hours = 12; // ساعات\n```',
      '番茄呢？温室里没有雨，也要每天浇水吗？',
      '要。温室里没有雨，所以每天早上浇一次水。\n\n| 床 | 晴天 | 雨天 |\n|---|---:|---:|\n| 玫瑰 | 六小时 | 十二小时 |\n| 番茄 🍅 | 四小时 | 四小时 |',
      '👩🏽‍🌾🌦️ and 🏴󠁧󠁢󠁷󠁬󠁳󠁿? Ça va, naïve façade, Ünïcödé, ‮txt.exe',
      'Yes: 👍🏿.',
    ),
    { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 12_000 } },
  ],
  damaged: [
    titled('What the storm broke'),
    ...talk(
      'List what the storm broke.',
      'Two panes of the greenhouse and the gate.',
      'And what is insured?',
      'The panes are. The gate is not.',
    ),
  ],
  held: [titled('Order seeds for spring'), ...talk('Which seeds are missing?', 'Beans and chard.')],
  diary: [titled('A diary'), said('user', 'Nothing of this can be read without the key.')],
  asks: [titled('Clear the shed')],
  streams: [titled('A year of apples')],
  compacted: [
    titled('Plan the year in the garden'),
    { type: 'turn.started', turn: 1, data: { input: 'user' } },
    ...talk(
      'Which beds rest this year?',
      'The third and the fifth: both had cabbage twice.',
      'And which get potatoes?',
      'The first, which had beans, and half of the second.',
    ),
    { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 2, durationMs: 9_000 } },
    { type: 'turn.started', turn: 2, data: { input: 'user' } },
    said('user', 'What follows the potatoes?'),
    {
      type: 'compaction.completed',
      data: {
        ...{ strategy: 'summarize', summaryTokens: { count: 31, method: 'unknown' }, by: 'user' },
        ...{ covers: { from: 1, to: 7 }, keptFrom: 8, tokensBefore: 81_000, tokensAfter: 12_400 },
        summary: 'Beds three and five rest: they had cabbage twice. Potatoes go into the first and half of the second.',
      },
    },
    said('assistant', 'Spinach, from the end of August.'),
    { type: 'turn.ended', turn: 2, data: { status: 'completed', steps: 1, durationMs: 3_000 } },
  ],
  hostile: [
    titled('<script>alert(1)</script> \u202etxt.exe'),
    ...HOSTILE.slice(0, 6).map((text, at) => said(at % 2 === 0 ? 'user' : 'assistant', text)),
    ...call('bash', { command: `echo "\u001b[2J<img src=x onerror=alert(1)>"` }, 'error', '\u001b[31m<b>red</b>', 20),
  ],
  compost: [
    titled('Why the compost smells'),
    ...talk('The compost smells of ammonia.', 'Too much nitrogen: add straw.'),
  ],
};

const CLAUDE = '5f3c0000-1111-4222-8333-444455556666';
const foreign = (id: string, texts: readonly string[]): string =>
  texts
    .map((content, at) => {
      const type = at % 2 === 0 ? 'user' : 'assistant';
      const base = { sessionId: id, cwd: project, gitBranch: 'main', version: '2.1.0', isSidechain: false };
      const timestamp = `2026-01-0${1 + at}T10:00:00.000Z`;
      const message =
        at % 2 === 0 ? { role: 'user', content } : { role: 'assistant', content: [{ type: 'text', text: content }] };
      return `${JSON.stringify({ ...base, type, uuid: `${id.slice(0, 4)}-${at}`, parentUuid: null, timestamp, message })}\n`;
    })
    .join('');
const foreignFile = (id: string): string =>
  join(home, '.claude/projects', project.replace(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`);

/** Two weeks of Claude Code, so that the charts of costs are not empty. */
function writeTwoWeeks(): void {
  const models = ['claude-opus-4-6', 'claude-sonnet-4-6', 'claude-haiku-4-5', 'local-oak'];
  const tasks = [
    'Prune the plum',
    'Count the seeds',
    'Mend the gate',
    'Label the beds',
    'Order straw',
    'Draw the pond',
  ];
  for (let at = 0; at < 24; at += 1) {
    const id = `5f3c0000-1111-4222-8333-${String(at).padStart(12, '0')}`;
    const time = new Date(Date.now() - ((at * 5) % 14) * 86_400_000 - at * 600_000).toISOString();
    const base = {
      sessionId: id,
      cwd: project,
      gitBranch: 'main',
      version: '2.1.0',
      isSidechain: false,
      timestamp: time,
    };
    const task = `${tasks[at % tasks.length]}, part ${1 + Math.floor(at / tasks.length)}`;
    const usage = {
      input_tokens: 2000 + 900 * at,
      cache_read_input_tokens: 20_000 * (1 + (at % 5)),
      cache_creation_input_tokens: 9000,
      output_tokens: 1500 + 700 * (at % 4),
    };
    const message = { id: `m${at}`, type: 'message', role: 'assistant', model: models[(at * 3) % 4], usage };
    const records = [
      { ...base, type: 'user', uuid: `u${at}`, parentUuid: null, message: { role: 'user', content: task } },
      {
        ...base,
        type: 'assistant',
        uuid: `a${at}`,
        parentUuid: `u${at}`,
        message: { ...message, content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' },
      },
      // What a local model takes has no price.
      ...((at * 3) % 4 === 3
        ? []
        : [{ type: 'cost-state', sessionId: id, totalCostUSD: 0.21 + 0.13 * (at % 5), startTime: Date.parse(time) }]),
    ];
    mkdirSync(dirname(foreignFile(id)), { recursive: true });
    writeFileSync(foreignFile(id), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    // A file written just now is left for the next sync.
    utimesSync(foreignFile(id), new Date(time), new Date(time));
  }
}

function run(
  args: readonly string[],
  { input = '', more = {} }: { input?: string; more?: NodeJS.ProcessEnv } = {},
): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [OLLM, ...args], {
    input,
    env: { ...env, ...more },
    cwd: project,
    encoding: 'utf8',
    // A line for each event.
    maxBuffer: 64 * 1024 * 1024,
  });
  // A sync reports the skipped sessions: the damaged and the encrypted one.
  if (status !== 0 && args[0] !== 'sync') throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
}

function seed(): void {
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  for (const [id, lines] of Object.entries(SESSIONS)) {
    const more = id === 'diary' ? { OLLM_RETENTION__ENCRYPT_AT_REST: 'true', OLLM_RETENTION__KEY_FILE: keyFile } : {};
    run(['append', id, '--create'], { input: lines.map((line) => JSON.stringify(line)).join('\n'), more });
  }
  const journal = join(home, '.ollm/session-data/damaged.jsonl');
  const text = readFileSync(journal, 'utf8');
  writeFileSync(journal, text.replace('the gate', 'the gaze'));
  appendFileSync(journal, '{"seq":9,"ts":"2026');
  const gone = '5f9d0000-1111-4222-8333-444455556666';
  for (const [id, ...texts] of [
    [
      CLAUDE,
      'Which trees are fruit trees?',
      'The cherry, the pear and both apples.',
      'And the walnut?',
      'It bears nuts.',
    ],
    [gone, 'Paint the bench', 'Which colour?', 'White', 'Done.'],
  ] as const) {
    mkdirSync(dirname(foreignFile(id)), { recursive: true });
    writeFileSync(foreignFile(id), foreign(id, texts));
    utimesSync(foreignFile(id), new Date('2026-01-05'), new Date('2026-01-05'));
  }
  writeTwoWeeks();
  run(['import', `claude:${gone}`]);
  // A file that changed in these two seconds is not yet known for sure by its time.
  spawnSync('sleep', ['2.5']);
  run(['sync']);
  rmSync(foreignFile(gone));
  run(['sync']);
}

interface Shot {
  readonly name: string;
  readonly path: string;
  /** The text that must be visible before the picture is taken. */
  readonly wait: string;
  readonly act?: (page: Page) => Promise<unknown>;
  /** The home of its server, if not the one with a bit of everything. */
  readonly home?: 'none' | 'one' | 'many';
}

const SHOTS: readonly Shot[] = [
  { name: 'sessions', path: '/', wait: '.session-row' },
  { name: 'first', path: '/', wait: '.state', home: 'none' },
  { name: 'one', path: '/', wait: '.session-row', home: 'one' },
  {
    name: 'many',
    path: '/',
    wait: '.session-row',
    home: 'many',
    act: (page) => page.getByText('10,000 sessions').or(page.getByText('10,001 sessions')).waitFor({ timeout: 60_000 }),
  },
  {
    name: 'long',
    path: '/s/long#50002',
    wait: '.gutter.target',
    home: 'many',
    act: (page) => page.locator('.map').waitFor(),
  },
  { name: 'search', path: '/search?q=watering', wait: 'a.hit' },
  { name: 'search-nothing', path: '/search?q=zeppelin', wait: '.state' },
  { name: 'new', path: '/new', wait: '.new-form' },
  { name: 'cost-all', path: '/cost', wait: '.plain-table' },
  { name: 'conversation', path: '/s/watering', wait: '.map' },
  {
    name: 'call',
    path: '/s/watering',
    wait: '.call[data-state=failed] .command',
    act: (page) => page.locator('.call[data-state=failed]').scrollIntoViewIfNeeded(),
  },
  { name: 'cost', path: '/s/watering?tab=cost', wait: '.chart' },
  { name: 'at', path: '/s/watering?at=12', wait: '.notice' },
  {
    name: 'changes',
    path: '/s/watering?tab=changes',
    wait: '.file-changes',
    act: (page) => page.locator('.author .link').first().click(),
  },
  { name: 'time', path: '/s/watering?tab=time&at=20', wait: '.waterfall' },
  { name: 'compare', path: '/compare?a=watering&b=pruning', wait: '.pair-turn' },
  { name: 'year', path: '/year', wait: '.ranked' },
  {
    name: 'palette',
    path: '/s/watering',
    wait: '.flow article',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('wa');
      await page
        .getByRole('option', { name: /Water less/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'undone',
    path: '/s/undone',
    wait: '.undone',
    act: (page) => page.locator('.undone .compaction-line').click(),
  },
  {
    name: 'find',
    path: '/s/watering',
    wait: '.flow article',
    act: async (page) => {
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox', { name: 'Find in this session' }).fill('rain');
      await page.getByText(/\d of \d/).waitFor();
    },
  },
  {
    name: 'slash',
    path: '/s/watering',
    wait: '.flow article',
    act: (page) => page.getByRole('textbox', { name: 'Message' }).fill('/'),
  },
  {
    name: 'compacted',
    path: '/s/compacted',
    wait: '.compaction-line',
    act: (page) => page.locator('.compaction-line').first().click(),
  },
  {
    name: 'streaming',
    path: '/s/streams',
    wait: 'article.prompt',
    act: async (page) => {
      await model.say('The apples of this garden ripen from **August** to October:\n\n- Gravensteiner\n- Cox\n\n');
      await model.say('The last of them keep until');
      await page.locator('.streaming').waitFor();
    },
  },
  { name: 'hostile', path: '/s/hostile', wait: '.flow article' },
  { name: 'languages', path: '/s/languages', wait: '.flow article' },
  { name: 'asks', path: '/s/asks', wait: '.question' },
  { name: 'damaged', path: '/s/damaged', wait: '.damage' },
  { name: 'encrypted', path: '/s/diary', wait: '.state' },
  { name: 'held', path: '/s/held', wait: '.notice' },
  { name: 'gone', path: `/s/${encodeURIComponent('claude:5f9d0000-1111-4222-8333-444455556666')}`, wait: '.notice' },
  { name: 'foreign', path: `/s/${encodeURIComponent(`claude:${CLAUDE}`)}`, wait: '.flow article' },
  { name: 'not-here', path: '/s/nowhere', wait: '.state' },
  { name: 'needs-a-link', path: '/join#used', wait: '.state' },
  {
    name: 'loading',
    path: '/new',
    wait: '.new-form',
    act: async (page) => {
      await page.route('**/api/llm/sessions?*', () => {});
      await page.locator('a[href="/"]:visible').first().click();
      await page.locator('.skeleton').first().waitFor();
    },
  },
  {
    name: 'failed',
    path: '/new',
    wait: '.new-form',
    act: async (page) => {
      const error = { code: 'INTERNAL', message: 'A fault in ollm itself: its log says more.' };
      await page.route('**/api/llm/stats?*', (route) =>
        route.fulfill({ status: 500, json: { success: false, error } }),
      );
      await page.locator('a[href="/cost"]:visible').first().click();
      await page.locator('.state').waitFor();
    },
  },
  { name: 'keys', path: '/', wait: '.session-row', act: (page) => page.keyboard.press('?') },
  {
    name: 'menu',
    path: '/s/watering',
    wait: '.flow article',
    act: (page) => page.getByRole('button', { name: 'More' }).click(),
  },
  ...(['reconnecting', 'offline'] as const).map(
    (name): Shot => ({
      name,
      path: '/s/watering',
      wait: '.flow article',
      act: async (page) => {
        await page.clock.install();
        await page.getByRole('textbox', { name: 'Message' }).fill('Also the herbs, please.');
        await page.context().setOffline(true);
        await page.route('**/health', (route) => route.abort());
        await page.route('**/events?*', (route) => route.abort());
        const notice = page.locator('.connection-notice');
        const shown = name === 'offline' ? notice.getByRole('button', { name: 'Try now' }) : notice;
        for (let seconds = 0; seconds < 120 && !(await shown.isVisible()); seconds += 1) await page.clock.runFor(1000);
        await shown.waitFor();
      },
    }),
  ),
];

/** What docs/page.md shows: names of shots, at a width of the window and in its colours. */
const SHOWN: readonly (readonly [name: string, width: number, scheme: 'light' | 'dark', file?: string])[] = [
  ...shownAt(1280, 'light', 'sessions conversation cost find undone many long cost-all changes compare year'),
  ...shownAt(1280, 'dark', 'call search time'),
  ...shownAt(
    768,
    'light',
    'slash asks languages damaged encrypted held gone loading failed reconnecting offline streaming compacted hostile one new at palette first',
  ),
  ['conversation', 768, 'dark', 'conversation-dark'],
  ['conversation', 320, 'light', 'phone'],
];
function shownAt(width: number, scheme: 'light' | 'dark', names: string) {
  return names.split(' ').map((name) => [name, width, scheme] as const);
}
const EVERYTHING = SHOTS.map(({ name }) => name).flatMap((name) =>
  [320, 768, 1440].flatMap((width) =>
    (['light', 'dark'] as const).map((scheme) => [name, width, scheme, `${name}-${width}-${scheme}`] as const),
  ),
);

async function serve(of: NodeJS.ProcessEnv) {
  const server = spawn(process.execPath, [OLLM, 'serve', '--port', '0', '--json'], {
    env: of,
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => server.stdout.once('data', (bytes) => resolve(String(bytes))));
  const { address, tokenFile } = JSON.parse(line) as { address: string; tokenFile: string };
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, origin: address };
  const post = async (path: string, body: object = {}) => {
    const answer = await fetch(address + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { data: { path: string } };
  };
  return { server, address, post };
}

async function picture(
  browser: Browser,
  { address, post }: Awaited<ReturnType<typeof serve>>,
  { path, wait, act }: Shot,
  [width, scheme, file]: readonly [number, 'light' | 'dark', string],
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height: width < 400 ? 640 : width > 1300 ? 900 : 760 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const { data } = await post('/api/auth/codes');
  await page.goto(address + data.path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.goto(address + path);
  try {
    await page.locator(wait).first().waitFor({ timeout: 15_000 });
    await act?.(page);
  } catch (error) {
    console.error(`${file}: ${String(error).split('\n')[0]}`);
  }
  // Nothing is under the pointer, after any click.
  await page.mouse.move(width - 2, 2);
  // Fonts and images are loaded, and everything is drawn.
  await page.evaluate('document.fonts.ready');
  await page.evaluate('new Promise((done) => setTimeout(done, 300))').catch(() => {});
  await page.screenshot({ path: join(PICTURES, `page-${file}.png`) });
  const wider = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  if (wider > 0) console.error(`${file} is ${wider} pixels wider than its window.`);
  await context.close();
}

mkdirSync(PICTURES, { recursive: true });
seed();
const holder = spawn(process.execPath, [OLLM, 'append', 'held'], {
  env,
  cwd: project,
  stdio: ['pipe', 'pipe', 'inherit'],
});
holder.stdin.write(`${JSON.stringify(said('user', 'Also peas.'))}\n`);
await new Promise((resolve) => holder.stdout.once('data', resolve));
const full = await serve(env);
const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) =>
    JSON.stringify(
      said(
        at % 2 ? 'assistant' : 'user',
        `${at % 2 ? 'Yes: row' : 'Is there room in row'} ${at >> 1}${at % 2 ? '.' : '?'}`,
      ),
    ),
  ).join('\n');
run(['append', 'first-steps', '--create'], { input: lines(4), more: envOf('one') });
await writeManySessions(envOf('many').HOME, envOf('many').OLLM_HOME, {
  count: 10_000,
  ownEvery: 125,
  newestMs: Date.now(),
});
run(['append', 'long', '--create'], { input: lines(100_000), more: envOf('many') });
run(['sync'], { more: envOf('many') });
const servers = { none: await serve(envOf('none')), one: await serve(envOf('one')), many: await serve(envOf('many')) };
try {
  await full.post('/api/llm/sessions/asks/turns', {
    answerer: 'offline',
    prompt: 'bash {"command":"rm -r old-shed && git push --force"}',
  });
  await full.post('/api/llm/sessions/streams/turns', { answerer: 'box', prompt: 'When do which apples ripen?' });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  const only = process.argv[3]?.split(',');
  for (const [name, width, scheme, file = name] of everything === undefined ? SHOWN : EVERYTHING) {
    if (only !== undefined && !only.includes(name)) continue;
    const shot = SHOTS.find((each) => each.name === name)!;
    await picture(browser, shot.home === undefined ? full : servers[shot.home], shot, [width, scheme, file]);
  }
  await browser.close();
} finally {
  const children = [holder, ...[full, ...Object.values(servers)].map(({ server }) => server)];
  const ended = children.map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of children) child.kill();
  await Promise.all(ended);
  await model[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
}
