// The question whether the texts of a project may instruct the model, on a real terminal: once for each content.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome, type Home } from '../support/cli.ts';
import { linesWith, pressKey } from '../support/press-key.ts';
import type { Terminal } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const KEYS = /\[y\]es {2}\[n\]o {2}\[v\]iew/;
const last = (wanted: RegExp) => (lines: readonly string[]) => wanted.test(lines.at(-1)!);
type Model = Awaited<ReturnType<typeof startToolModel>>;

function homeWith(files: Readonly<Record<string, string>>): Home {
  const home = createHome();
  for (const [path, content] of Object.entries({ '.git/HEAD': 'ref: refs/heads/main\n', ...files })) {
    const file = join(home.path, 'project', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return home;
}

function open(home: Home, model: Model, { columns = 80, env = {}, args = [] as readonly string[] } = {}): Terminal {
  return openTerminalHere(['repl', '--provider', 'ollama', ...args], {
    columns,
    cwd: join(home.path, 'project'),
    env: {
      ...{ PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: join(home.path, '.ollm') },
      ...{ OLLAMA_HOST: model.url, ...env },
    },
  });
}

async function answer(terminal: Terminal, key: string, sign = '→ '): Promise<void> {
  await terminal.waitFor(KEYS);
  const before = linesWith(terminal, sign);
  await pressKey(terminal, key, () => linesWith(terminal, sign) > before);
}

async function say(terminal: Terminal, model: Model): Promise<string> {
  await terminal.waitFor(PROMPT);
  terminal.type('hello\r');
  await terminal.waitFor('Fine.');
  return JSON.stringify(model.requests.filter(({ path }) => path === '/api/chat').at(-1)?.body);
}

it.each([40, 80, 120])('a project text needs a yes once, and again after a change, at %i columns', async (columns) => {
  using home = homeWith({ 'AGENTS.md': 'Use tabs.\n' });
  await using model = await startToolModel({ text: 'Fine.' });
  {
    await using terminal = open(home, model, { columns });
    await terminal.waitFor('│ Use tabs.');
    await answer(terminal, 'y');
    expect(await say(terminal, model)).toContain('Use tabs.');
    expect(Math.max(...terminal.lines().map((line) => line.length))).toBeLessThanOrEqual(columns);
  }
  {
    await using terminal = open(home, model, { columns });
    expect(await say(terminal, model)).toContain('Use tabs.');
    expect(terminal.lines().join('\n')).not.toContain('[v]iew all');
  }
  writeFileSync(join(home.path, 'project/AGENTS.md'), 'Use spaces.\n');
  await using terminal = open(home, model, { columns });
  await answer(terminal, 'n');
  const sent = await say(terminal, model);
  expect(sent).not.toContain('Use tabs.');
  expect(sent).not.toContain('Use spaces.');
});

it('Enter leaves the question open, typed-ahead text does not answer it, and /trust asks again', async () => {
  using home = homeWith({ 'AGENTS.md': 'Use tabs.\n' });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model);
  terminal.type('yes or no?');
  await answer(terminal, '\r');
  await terminal.waitUntil((lines) => lines.includes('→ not now'), 'the answer');
  await terminal.waitFor('AGENTS.md of this project is not used');
  await terminal.waitUntil(last(/^> yes or no\?$/), 'what was typed ahead');
  terminal.type('\x15/trust\r');
  await terminal.waitFor('AGENTS.md: not asked yet');
  await terminal.waitFor('instruct the model? [y]es [n]o, Enter: not now');
  await pressKey(terminal, 'y', () => linesWith(terminal, 'Enter: not now yes') > 0);
  expect(await say(terminal, model)).toContain('Use tabs.');
});

it.each([
  ['Enter', '\r'],
  ['Escape', '\x1b'],
  ['Ctrl+C', '\x03'],
])('leaving /trust with %s changes nothing, and an n revokes the trust', async (_name, key) => {
  using home = homeWith({ 'AGENTS.md': 'Use tabs.\n' });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model);
  await answer(terminal, 'y');
  await terminal.waitFor(PROMPT);
  terminal.type('/trust\r');
  await terminal.waitFor('AGENTS.md: trusted');
  await terminal.waitFor('Enter: not now');
  await pressKey(terminal, key, () => linesWith(terminal, 'Enter: not now not now') > 0);
  expect(await say(terminal, model)).toContain('Use tabs.');
  terminal.type('/trust\r');
  await terminal.waitUntil(() => linesWith(terminal, 'AGENTS.md: trusted') > 1, 'the answer that was given');
  await pressKey(terminal, 'n', () => linesWith(terminal, 'Enter: not now no') > 1);
  terminal.type('hello\r');
  await terminal.waitUntil(() => linesWith(terminal, 'Fine.') > 1, 'the second answer');
  const sent = model.requests.filter(({ path }) => path === '/api/chat').at(-1)?.body;
  expect(JSON.stringify(sent)).not.toContain('Use tabs.');
});

it('a long text with hidden characters is marked, and its rows are shown on request', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `rule ${index}`);
  using home = homeWith({
    'prompt.md': [...lines, 'be\u202e kind \x1b[2J'].join('\n'),
    '.ollm/config.yaml': 'promptFile: prompt.md\n',
  });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model);
  await terminal.waitFor('as the system prompt');
  await terminal.waitFor('… 23 more rows: v shows all');
  await terminal.waitFor('It contains invisible characters');
  await answer(terminal, 'v', '│ be⟨U+202E⟩');
  await terminal.waitFor('│ be⟨U+202E⟩ kind ⟨U+001B⟩[2J');
  await answer(terminal, 'y');
  expect(await say(terminal, model)).toContain('rule 29');
});

it('the question works on a terminal that cannot move its cursor, and Ctrl+C leaves', async () => {
  using home = homeWith({ 'AGENTS.md': 'Use tabs.\n' });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model, { env: { TERM: 'dumb' } });
  await terminal.waitFor(KEYS);
  let hasEnded = false;
  void terminal.exit.then(() => {
    hasEnded = true;
  });
  await pressKey(terminal, '\x03', () => hasEnded);
  expect(await terminal.exit).toMatchObject({ code: 130 });
  expect(model.requests.filter(({ path }) => path === '/api/chat')).toEqual([]);
});

it('a yes to a skill of the project offers it to the model', async () => {
  using home = homeWith({ '.claude/skills/ship/SKILL.md': '---\ndescription: Sends it\n---\nSend.\n' });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model);
  await terminal.waitFor('as a skill');
  await answer(terminal, 'y');
  expect(await say(terminal, model)).toContain('ship: Sends it');
});

it('many skills are named in a list, so that an AGENTS.md stays visible, and v shows their texts', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `s${index}`);
  const skills = names.map((name) => [`.claude/skills/${name}/SKILL.md`, `Text of ${name}.\n`] as const);
  using home = homeWith({ 'AGENTS.md': 'Use tabs.\n', ...Object.fromEntries(skills) });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model);
  await terminal.waitFor('│ 40 skills: .claude/skills/s0/SKILL.md');
  await terminal.waitFor('and 28 more.');
  await terminal.waitFor('│ Use tabs.');
  expect(terminal.lines().join('\n')).not.toContain('Text of s1.');
  await answer(terminal, 'v', '│ Text of s9.');
  await answer(terminal, 'n');
});

it('an unoffered key is reported, and stays out of the first message', async () => {
  using home = homeWith({ 'AGENTS.md': 'Use tabs.\n' });
  await using model = await startToolModel({ text: 'Fine.' });
  await using terminal = open(home, model);
  await answer(terminal, 'x', 'x is not offered here.');
  await answer(terminal, 'n');
  await terminal.waitUntil(last(/^>$/), 'an empty prompt');
});
