// Makes the pictures of docs/page.md: a home with a few sessions, a real server, a real Chromium. Needs Chromium.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OLLM = join(ROOT, 'bin/ollm.js');
const PICTURES = join(ROOT, 'docs/pictures');
const home = mkdtempSync(join(tmpdir(), 'ollm-pictures-'));
const project = join(home, 'garden');
mkdirSync(project);
mkdirSync(PICTURES, { recursive: true });
const env = { PATH: process.env.PATH, HOME: home, OLLM_HOME: join(home, '.ollm'), LANG: 'C.UTF-8' };

type Line = { readonly type: string; readonly turn?: number; readonly data: object };
const said = (role: string, text: string): Line => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], trusted: true },
});
let calls = 0;
function call(name: string, args: object, status: string, llmContent: string, durationMs: number): Line[] {
  calls += 1;
  const callId = `call-${calls}`;
  return [
    { type: 'tool.requested', data: { callId, name, args } },
    { type: 'tool.decided', data: { callId, decision: 'allow', by: 'policy', rule: 'project:allow' } },
    {
      type: 'tool.started',
      data: { callId, sandbox: 'bubblewrap', network: false, envRemoved: ['API_KEY'], cwd: project },
    },
    { type: 'tool.finished', data: { callId, status, result: { llmContent }, durationMs, trusted: false } },
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
    said('user', 'When should I prune the cherry?'),
    said('assistant', 'In summer, after the harvest.'),
  ],
  compost: [
    titled('Why the compost smells'),
    said('user', 'The compost smells of ammonia.'),
    said('assistant', 'Too much nitrogen: add straw.'),
  ],
};

for (const [id, lines] of Object.entries(SESSIONS)) {
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  const { status, stdout, stderr } = spawnSync(process.execPath, [OLLM, 'append', id, '--create'], {
    input,
    env,
    cwd: project,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${id}: ${stdout}${stderr}`);
}
spawnSync(process.execPath, [OLLM, 'sync'], { env, cwd: project });

const server = spawn(process.execPath, [OLLM, 'serve', '--port', '0', '--json'], {
  env,
  cwd: project,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const line = await new Promise<string>((resolve) => server.stdout.once('data', (bytes) => resolve(String(bytes))));
  const { address, tokenFile } = JSON.parse(line) as { address: string; tokenFile: string };
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, origin: address };
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  const views = [
    ['sessions', '/', 1280, 'light'],
    ['conversation', '/s/watering', 1280, 'light'],
    ['conversation-dark', '/s/watering', 768, 'dark'],
    ['phone', '/s/watering', 320, 'light'],
    ['cost', '/s/watering?tab=cost', 1280, 'light'],
    ['search', '/search?q=watering', 1280, 'dark'],
  ] as const;
  for (const [name, path, width, colorScheme] of views) {
    const context = await browser.newContext({
      viewport: { width, height: width < 400 ? 640 : 760 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const { data } = (await (await fetch(`${address}/api/auth/codes`, { method: 'POST', headers })).json()) as {
      data: { path: string };
    };
    await page.goto(address + data.path);
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    await page.goto(address + path);
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(PICTURES, `page-${name}.png`) });
    await context.close();
  }
  await browser.close();
} finally {
  server.kill();
  rmSync(home, { recursive: true, force: true });
}
