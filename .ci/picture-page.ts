// Makes the pictures of docs/page.md: a home with a few sessions, a real server, a real Chromium. With a directory as
// its argument it makes every view and state there, at three widths, in light and dark, for people to look through.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { writeManySessions } from '../__tests__/support/many-sessions.ts';
import { startSpokenModel } from '../__tests__/support/spoken-model.ts';
import { gardenIn, said, talk } from './garden.ts';

const ROOT = join(import.meta.dirname, '..');
const OLLM = join(ROOT, 'bin/ollm.js');
const [everything] = process.argv.slice(2);
const PICTURES = everything ?? join(ROOT, 'docs/pictures');
const home = mkdtempSync(join(tmpdir(), 'ollm-pictures-'));
const project = join(home, 'projects/garden');
mkdirSync(project, { recursive: true });
mkdirSync(PICTURES, { recursive: true });
/** The variables of a program in this home. */
const homeOf = (HOME: string) => ({ PATH: process.env.PATH, HOME, OLLM_HOME: join(HOME, '.ollm'), LANG: 'C.UTF-8' });
const env = homeOf(home);
const model = await startSpokenModel();
mkdirSync(env.OLLM_HOME);
writeFileSync(
  join(env.OLLM_HOME, 'config.yaml'),
  `provider: box\nmodel: maple-2\nproviders:\n  compatible:\n    box: {baseUrl: "${model.url}/v1", contextWindow: 20000}\n`,
);

const CLAUDE = '5f3c0000-1111-4222-8333-444455556666';
const GONE = '5f9d0000-1111-4222-8333-444455556666';
const [TEN_HOURS_MS, DAY_MS] = [36_000_000, 86_400_000];

/** A session of Claude Code. A file written just now would be left for the next sync. */
function foreign(id: string, writtenAt: Date, records: readonly object[]): string {
  const file = join(home, '.claude/projects', project.replace(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`);
  const base = { sessionId: id, cwd: project, gitBranch: 'main', version: '2.1.0', isSidechain: false };
  const lines = records.map((record, at) =>
    JSON.stringify({ ...base, uuid: `${id.slice(0, 4)}-${at}`, parentUuid: null, ...record }),
  );
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
  utimesSync(file, writtenAt, writtenAt);
  return file;
}

const asked = (content: string) => ({ type: 'user', message: { role: 'user', content } });
const answered = (text: string, more: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }], ...more },
});

/** A conversation, a message of it a day. */
function foreignTalk(id: string, ...texts: readonly string[]): string {
  const records = texts.map((text, at) => ({
    ...(at % 2 === 0 ? asked(text) : answered(text)),
    timestamp: new Date(Date.UTC(2026, 0, 1 + at) + TEN_HOURS_MS),
  }));
  return foreign(id, new Date('2026-01-05'), records);
}

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
    const time = new Date(Date.now() - ((at * 5) % 14) * DAY_MS - at * 600_000);
    const timestamp = time.toISOString();
    const model = models[(at * 3) % 4]!;
    const usage = {
      input_tokens: 2000 + 900 * at,
      cache_read_input_tokens: 20_000 * (1 + (at % 5)),
      cache_creation_input_tokens: 9000,
      output_tokens: 1500 + 700 * (at % 4),
    };
    const message = { id: `m${at}`, type: 'message', model, usage, stop_reason: 'end_turn' };
    const cost = { type: 'cost-state', totalCostUSD: 0.21 + 0.13 * (at % 5), startTime: time.getTime() };
    foreign(`5f3c0000-1111-4222-8333-${String(at).padStart(12, '0')}`, time, [
      { ...asked(`${tasks[at % 6]}, part ${1 + Math.floor(at / 6)}`), uuid: `u${at}`, timestamp },
      { ...answered('Done.', message), uuid: `a${at}`, parentUuid: `u${at}`, timestamp },
      // What a local model takes has no price.
      ...(model.startsWith('local') ? [] : [cost]),
    ]);
  }
}

/** Runs ollm, in one of the other homes if it is named. */
function run(of: NodeJS.ProcessEnv, args: readonly string[], lines: readonly object[] = []): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [OLLM, ...args], {
    input: lines.map((line) => JSON.stringify(line)).join('\n'),
    env: of,
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
  const sealed = { ...env, OLLM_RETENTION__ENCRYPT_AT_REST: 'true', OLLM_RETENTION__KEY_FILE: keyFile };
  for (const [id, lines] of Object.entries(gardenIn(project))) {
    run(id === 'diary' ? sealed : env, ['append', id, '--create'], lines);
  }
  const journal = join(env.OLLM_HOME, 'session-data/damaged.jsonl');
  const text = readFileSync(journal, 'utf8');
  writeFileSync(journal, `${text.replace('the gate', 'the gaze')}{"seq":9,"ts":"2026`);
  const trees = ['The cherry, the pear and both apples.', 'And the walnut?', 'It bears nuts.'];
  foreignTalk(CLAUDE, 'Which trees are fruit trees?', ...trees);
  const gone = foreignTalk(GONE, 'Paint the bench', 'Which colour?', 'White', 'Done.');
  writeTwoWeeks();
  run(env, ['import', `claude:${GONE}`]);
  // A file that changed in these two seconds is not yet known for sure by its time.
  spawnSync('sleep', ['2.5']);
  run(env, ['sync']);
  rmSync(gone);
  run(env, ['sync']);
}

interface Shot {
  readonly path: string;
  /** The element that must be visible before the picture is taken. */
  readonly wait: string;
  readonly act?: (page: Page) => Promise<unknown>;
  /** The home of its server, if not the one with a bit of everything. */
  readonly home?: 'none' | 'one' | 'many';
}

const WATERING = { path: '/s/watering', wait: '.flow article' };
const foreignPath = (id: string) => `/s/${encodeURIComponent(`claude:${id}`)}`;
const clicks = (selector: string) => (page: Page) => page.locator(selector).first().click();
/** The page after its server stopped answering. */
const disconnected = (isShown: (notice: Locator) => Locator): Shot => ({
  ...WATERING,
  async act(page) {
    await page.clock.install();
    await page.getByRole('textbox', { name: 'Message' }).fill('Also the herbs, please.');
    await page.context().setOffline(true);
    for (const path of ['**/health', '**/events?*']) await page.route(path, (route) => route.abort());
    const shown = isShown(page.locator('.connection-notice'));
    for (let seconds = 0; seconds < 120 && !(await shown.isVisible()); seconds += 1) await page.clock.runFor(1000);
    await shown.waitFor();
  },
});

const SHOTS: Readonly<Record<string, Shot>> = {
  sessions: { path: '/', wait: '.session-row' },
  first: { path: '/', wait: '.state', home: 'none' },
  one: { path: '/', wait: '.session-row', home: 'one' },
  many: {
    path: '/',
    wait: '.session-row',
    home: 'many',
    act: (page) => page.getByText(/10,00[01] sessions/).waitFor({ timeout: 60_000 }),
  },
  long: { path: '/s/long#50002', wait: '.gutter.target', home: 'many', act: (page) => page.locator('.map').waitFor() },
  search: { path: '/search?q=watering', wait: 'a.hit' },
  'search-nothing': { path: '/search?q=zeppelin', wait: '.state' },
  new: { path: '/new', wait: '.new-form' },
  'cost-all': { path: '/cost', wait: '.plain-table' },
  conversation: { path: '/s/watering', wait: '.map' },
  call: {
    path: '/s/watering',
    wait: '.call[data-state=failed] .command',
    act: (page) => page.locator('.call[data-state=failed]').scrollIntoViewIfNeeded(),
  },
  cost: { path: '/s/watering?tab=cost', wait: '.chart' },
  at: { path: '/s/watering?at=12', wait: '.notice' },
  changes: { path: '/s/watering?tab=changes', wait: '.file-changes', act: clicks('.author .link') },
  time: { path: '/s/watering?tab=time&at=20', wait: '.waterfall' },
  compare: { path: '/compare?a=watering&b=pruning', wait: '.pair-turn' },
  year: { path: '/year', wait: '.ranked' },
  palette: {
    ...WATERING,
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('wa');
      const option = page.getByRole('option', { name: /Water less/ });
      await option.first().waitFor();
    },
  },
  undone: { path: '/s/undone', wait: '.undone', act: clicks('.undone .compaction-line') },
  find: {
    ...WATERING,
    async act(page) {
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox', { name: 'Find in this session' }).fill('rain');
      await page.getByText(/\d of \d/).waitFor();
    },
  },
  slash: { ...WATERING, act: (page) => page.getByRole('textbox', { name: 'Message' }).fill('/') },
  compacted: { path: '/s/compacted', wait: '.compaction-line', act: clicks('.compaction-line') },
  streaming: {
    path: '/s/streams',
    wait: 'article.prompt',
    async act(page) {
      await model.say('The apples of this garden ripen from **August** to October:\n\n- Gravensteiner\n- Cox\n\n');
      await model.say('The last of them keep until');
      await page.locator('.streaming').waitFor();
    },
  },
  hostile: { path: '/s/hostile', wait: '.flow article' },
  languages: { path: '/s/languages', wait: '.flow article' },
  asks: { path: '/s/asks', wait: '.question' },
  damaged: { path: '/s/damaged', wait: '.damage' },
  encrypted: { path: '/s/diary', wait: '.state' },
  held: { path: '/s/held', wait: '.notice' },
  gone: { path: foreignPath(GONE), wait: '.notice' },
  foreign: { path: foreignPath(CLAUDE), wait: '.flow article' },
  'not-here': { path: '/s/nowhere', wait: '.state' },
  'needs-a-link': { path: '/join#used', wait: '.state' },
  loading: {
    path: '/new',
    wait: '.new-form',
    async act(page) {
      await page.route('**/api/llm/sessions?*', () => {});
      await clicks('a[href="/"]:visible')(page);
      await page.locator('.skeleton').first().waitFor();
    },
  },
  failed: {
    path: '/new',
    wait: '.new-form',
    async act(page) {
      const error = { code: 'INTERNAL', message: 'A fault in ollm itself: its log says more.' };
      const answer = { status: 500, json: { success: false, error } };
      await page.route('**/api/llm/stats?*', (route) => route.fulfill(answer));
      await clicks('a[href="/cost"]:visible')(page);
      await page.locator('.state').waitFor();
    },
  },
  keys: { path: '/', wait: '.session-row', act: (page) => page.keyboard.press('?') },
  menu: { ...WATERING, act: (page) => page.getByRole('button', { name: 'More' }).click() },
  reconnecting: disconnected((notice) => notice),
  offline: disconnected((notice) => notice.getByRole('button', { name: 'Try now' })),
};

/** What docs/page.md shows: names of shots, at a width of the window and in its colours. */
const SHOWN: readonly (readonly [name: string, width: number, scheme: 'light' | 'dark', file?: string])[] = [
  ...shownAt(1280, 'light', 'conversation cost find undone many long cost-all changes compare year'),
  ...shownAt(1280, 'dark', 'call time'),
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
const EVERYTHING = Object.keys(SHOTS).flatMap((name) =>
  [320, 768, 1440].flatMap((width) =>
    (['light', 'dark'] as const).map((scheme) => [name, width, scheme, `${name}-${width}-${scheme}`] as const),
  ),
);

const started: ChildProcess[] = [];

/** Starts ollm. `printed` resolves with its first output. */
async function start(of: NodeJS.ProcessEnv, ...args: readonly string[]) {
  const child = spawn(process.execPath, [OLLM, ...args], { env: of, cwd: project, stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  return { child, printed: once(child.stdout, 'data').then(String) };
}

async function serve(of: NodeJS.ProcessEnv) {
  const { printed } = await start(of, 'serve', '--port', '0', '--json');
  const { address, tokenFile } = JSON.parse(await printed) as { address: string; tokenFile: string };
  const token = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, origin: address };
  const headers = { ...token, 'content-type': 'application/json' };
  const post = async (path: string, body: object = {}) => {
    const answer = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { data: { path: string } };
  };
  return { address, post };
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

try {
  seed();
  const holder = await start(env, 'append', 'held');
  holder.child.stdin.write(`${JSON.stringify(said('user', 'Also peas.'))}\n`);
  await holder.printed;
  const full = await serve(env);
  const rows = (count: number) =>
    talk(
      ...Array.from({ length: count }, (_, at) =>
        at % 2 ? `Yes: row ${at >> 1}.` : `Is there room in row ${at >> 1}?`,
      ),
    );
  const [none, one, many] = ['none', 'one', 'many'].map((name) => homeOf(join(home, name)));
  run(one!, ['append', 'first-steps', '--create'], rows(4));
  await writeManySessions(many!.HOME, many!.OLLM_HOME, { count: 10_000, ownEvery: 125, newestMs: Date.now() });
  run(many!, ['append', 'long', '--create'], rows(100_000));
  run(many!, ['sync']);
  const servers = { none: await serve(none!), one: await serve(one!), many: await serve(many!) };
  const dangerous = 'bash {"command":"rm -r old-shed && git push --force"}';
  await full.post('/api/llm/sessions/asks/turns', { answerer: 'offline', prompt: dangerous });
  await full.post('/api/llm/sessions/streams/turns', { answerer: 'box', prompt: 'When do which apples ripen?' });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  const only = process.argv[3]?.split(',');
  for (const [name, width, scheme, file = name] of everything === undefined ? SHOWN : EVERYTHING) {
    if (only !== undefined && !only.includes(name)) continue;
    const shot = SHOTS[name]!;
    await picture(browser, shot.home === undefined ? full : servers[shot.home], shot, [width, scheme, file]);
  }
  await browser.close();
} finally {
  const ended = started.map((child) => child.exitCode ?? once(child, 'close'));
  for (const child of started) child.kill();
  await Promise.all(ended);
  await model[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
}
