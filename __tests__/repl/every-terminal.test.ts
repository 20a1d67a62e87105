// Each feature of the REPL in one walk, at three widths, on a terminal that cannot move its cursor, and through a pipe.
// What each does in detail is in the tests next to this one.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { textWidth } from '../../lib/display/width.ts';
import { createHome, type Home, OLLM, parseLines } from '../support/cli.ts';
import { pressKey } from '../support/press-key.ts';
import { BELL, openTerminal, type Terminal } from '../support/terminal.ts';
import { type ModelReply, startToolModel } from './tool-model.ts';

const [CTRL_C, CTRL_D, CTRL_R, CTRL_S] = ['\x03', '\x04', '\x12', '\x13'] as const;
const [ESCAPE, SHIFT_TAB] = ['\x1b', '\x1b[Z'] as const;
const NOTICE = /\x1b\]9;ollm: /g;
const canConfine = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

const FILES = {
  'project/.git/HEAD': 'ref: refs/heads/main\n',
  'project/src/greet.ts': 'export const hi = 1;\n',
  '.ollm/commands/zoo.md': '---\ndescription: Counts animals\n---\nCount the $1.',
  '.ollm/skills/bears/SKILL.md': '---\ndescription: Counts bears\n---\nCount twice.',
  '.ollm/history': '"fix the mast"\n',
  '.ollm/config.yaml': JSON.stringify({ repl: { notify: 'osc9', bellAfterSeconds: 1 } }),
};

function homeWithFiles(files: Readonly<Record<string, string>> = {}): Home {
  const home = createHome();
  for (const [path, content] of Object.entries({ ...FILES, ...files })) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), content, { mode: 0o600 });
  }
  return home;
}

const call = (name: string, args: object): ModelReply => ({ calls: [{ name, args: { ...args } }] });
const EDIT = call('file_edit', { path: 'src/greet.ts', old_string: 'hi = 1', new_string: 'hi = 2' });
const WRITE = call('file_write', { path: 'plan.txt', content: 'no' });
const CODE = '```ts\nconst hi = 2;\n```';
const contentOf = (home: Home) => readFileSync(join(home.path, 'project/src/greet.ts'), 'utf8');

/** The user's requests, in order. */
function messagesIn({ path }: Home): string[] {
  return parseLines(readFileSync(join(path, '.ollm/session-data/talk.jsonl'), 'utf8'))
    .filter(({ type, data }) => type === 'message.added' && (data as { role: string }).role === 'user')
    .map(({ data }) => (data as unknown as { parts: { text: string }[] }).parts.map(({ text }) => text).join(''));
}

interface Place {
  readonly columns: number;
  readonly isDumb: boolean;
}

interface Walker extends AsyncDisposable, Place {
  readonly terminal: Terminal;
  /** Waits until the screen has this once more than before the last `type`, at any width. */
  sees(wanted: string): Promise<void>;
  /** Waits for an empty prompt. */
  prompt(): Promise<void>;
  type(text: string): void;
  /** Enters a line, waits for its result and for the next prompt. */
  enter(text: string, wanted: string): Promise<void>;
  /** Answers a question with a key. */
  answer(key: string, wanted: string): Promise<void>;
}

function walk(home: Home, url: string, args: readonly string[], { columns, isDumb }: Place): Walker {
  const terminal = openTerminal(process.execPath, [OLLM, ...args], {
    columns,
    rows: 30,
    cwd: join(home.path, 'project'),
    env: {
      ...{ PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), OLLAMA_HOST: url },
      EDITOR: join(home.path, 'editor.sh'),
      ...(isDumb && { TERM: 'dumb' }),
    },
  });
  const squeezed = (text: string) => text.replaceAll(/[\s│]+/g, '');
  const count = (wanted: string) => squeezed(terminal.lines().join('')).split(squeezed(wanted)).length - 1;
  let before: (wanted: string) => number = () => 0;
  const type = (text: string) => {
    const then = squeezed(terminal.lines().join(''));
    before = (wanted) => then.split(squeezed(wanted)).length - 1;
    terminal.type(text);
  };
  const isSeen = (wanted: string) => count(wanted) > before(wanted);
  const sees = (wanted: string) => terminal.waitUntil(() => isSeen(wanted), wanted);
  const prompt = () => terminal.waitUntil((lines) => lines.at(-1) === '>', 'an empty prompt');
  return {
    ...{ terminal, columns, isDumb, sees, prompt, type },
    async enter(text, wanted) {
      type(`${text}\r`);
      await sees(wanted);
      await prompt();
    },
    async answer(key, wanted) {
      type('');
      await pressKey(terminal, key, () => isSeen(wanted));
    },
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

async function leave({ type, terminal, columns, isDumb }: Walker): Promise<void> {
  type(CTRL_D);
  expect((await terminal.exit).code).toBe(0);
  // Readline draws the line that is edited, and leaves the wrapping of it to the terminal.
  for (const line of terminal.lines()) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  if (isDumb) expect(terminal.raw()).not.toMatch(/\x1b\[\d*A/);
}

const PLACES: readonly (readonly [string, Place])[] = [
  ['40 columns', { columns: 40, isDumb: false }],
  ['80 columns', { columns: 80, isDumb: false }],
  ['120 columns', { columns: 120, isDumb: false }],
  ['a dumb terminal', { columns: 80, isDumb: true }],
];

describe.each(PLACES)('the REPL at %s', (_name, place) => {
  const { isDumb } = place;

  it('has modes, reading commands, undo of files, own commands, skills and file completion', async () => {
    using home = homeWithFiles();
    const replies = [WRITE, { text: 'Then not.' }, EDIT, { text: 'Changed.' }];
    const ls = [call('bash', { command: 'cat src/greet.ts | head -1' }), { text: 'Read.' }];
    const both = [call('bash', { command: 'make one && npm test' }), { text: 'Not run.' }];
    const make = [call('bash', { command: 'touch made.txt' }), { text: 'Made.' }];
    const counted = { text: 'Counted.' };
    const confined = (some: readonly ModelReply[]) => (canConfine ? some : []);
    await using model = await startToolModel(...replies, ...confined(ls), ...both, ...confined(make), counted);
    const args = ['repl', '--provider', 'ollama', '--mode', 'plan', '--name', 'talk'];
    await using walker = walk(home, model.url, args, place);
    const { terminal, sees, prompt, type, enter, answer } = walker;
    await sees('plan · ');
    await prompt();
    await enter('write', 'Then not.');
    expect(terminal.lines().join('\n')).not.toContain('[y]es');

    type(SHIFT_TAB);
    await sees('Mode edits: ');
    await prompt();
    await enter('edit', 'Changed.');
    expect(contentOf(home)).toBe('export const hi = 2;\n');

    if (canConfine) await enter('read', 'Read.');
    type('run\r');
    await sees('bash(make one)');
    await sees('bash(npm test)');
    await answer('v', 'All of it is above.');
    await answer('\r', 'Not run.');
    await prompt();

    if (canConfine) {
      await enter('/mode auto', 'Mode auto: ');
      await sees('auto · ');
      await enter('make', 'Made.');
      expect(existsSync(join(home.path, 'project/made.txt'))).toBe(true);
    }

    type('/revert src/greet.ts\r');
    await sees('Put it back?');
    await answer('y', 'restored: src/greet.ts');
    await prompt();
    expect(contentOf(home)).toBe('export const hi = 1;\n');

    await enter('/zoo bears', 'Counted.');
    await enter('/skills', 'SKILL.md, offered)');
    await enter('/history 1', 'You are an assistant in a terminal');

    type('see @grt\t');
    await sees('> see @src/greet.ts');
    type(CTRL_C);
    await prompt();
    type(CTRL_R);
    if (!isDumb) {
      await sees('Earlier input: ');
      type(ESCAPE);
      await prompt();
    }
    type('\x1b[A');
    await sees('> /history 1');
    type(CTRL_C);
    await prompt();
    await leave(walker);
    const [read, made] = canConfine ? [['read'], ['make']] : [[], []];
    expect(messagesIn(home)).toEqual(['write', 'edit', ...read, 'run', ...made, 'Count the bears.']);
  });

  it('sends typed-ahead messages, loses nothing at Ctrl+C, shows a notice, and the session continues', async () => {
    using home = homeWithFiles();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first: ModelReply = { text: 'First\n\n', until: promise, rest: 'answer.' };
    const stalled: ModelReply = { text: `Half\n\n${CODE}\n\n`, until: new Promise(() => {}), rest: '' };
    await using model = await startToolModel(first, { text: 'Second.' }, { text: 'Third.' }, stalled);
    {
      await using walker = walk(home, model.url, ['repl', '--provider', 'ollama', '--name', 'talk'], place);
      const { terminal, sees, prompt, type, enter } = walker;
      await prompt();
      type('one\r');
      await sees('First');
      if (!isDumb) await sees(' s · writing, ');
      type('two\r');
      if (!isDumb) await sees('  1 two');
      type(`now${CTRL_S}`);
      if (!isDumb) await sees('↳ now');
      if (!isDumb) {
        type('zero\r');
        await sees('  2 zero');
        type('/queue rm 2\r');
        await sees('Message 2 is removed.');
        type('/queue edit 1\r');
        await sees('› two');
        type(' bears\r');
        await sees('  1 two bears');
        type('/queue\r');
        await sees('1  two bears');
      }
      type('');
      resolve();
      await sees('Third.');
      await prompt();

      const before = terminal.raw().match(NOTICE)?.length ?? 0;
      await enter('!sleep 1.2', 'It printed nothing');
      await terminal.waitUntil(() => (terminal.raw().match(NOTICE)?.length ?? 0) > before, 'the notice');

      type('stop\r');
      await sees('Half');
      type(`three${CTRL_C}`);
      await sees('Cancelled.');
      await terminal.waitUntil((lines) => lines.at(-1) === '> three', 'what was typed');
      type(CTRL_C);
      await prompt();
      await leave(walker);
    }
    expect(messagesIn(home)).toEqual(
      isDumb ? ['one', 'two', 'now', '!sleep 1.2', 'stop'] : ['one', 'now', 'two bears', '!sleep 1.2', 'stop'],
    );
    {
      await using walker = walk(home, model.url, ['-c'], place);
      await walker.sees('Session talk, resumed.');
      await walker.sees('> stop');
      await walker.sees('Half');
      // A code block of an answer that is shown again has its colors from the beginning.
      if (!isDumb) expect(walker.terminal.raw()).toMatch(/\x1b\[\d+mconst\x1b\[/);
      await walker.prompt();
      await leave(walker);
    }
    await using walker = walk(home, model.url, ['resume'], place);
    if (isDumb) {
      expect((await walker.terminal.exit).code).toBe(2);
      return;
    }
    await walker.sees('Which session? 1');
    walker.type('\r');
    await walker.sees('Session talk, resumed.');
    await walker.prompt();
    await leave(walker);
  });

  it('shows waiting, repeated requests and thinking, and has vi keys, a light theme, an editor and quiet notices', async () => {
    const repl = { keys: 'vi', theme: 'light', notify: 'off', bellAfterSeconds: 1 };
    const editor = '#!/bin/sh\nsed -i "s/no, thanks/yes, please/" "$1"\n';
    using home = homeWithFiles({ '.ollm/config.yaml': JSON.stringify({ repl }), 'editor.sh': editor });
    chmodSync(join(home.path, 'editor.sh'), 0o700);
    const [arrives, isThought] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const thinks: ModelReply = { thinking: 'Bears first', text: '', until: isThought.promise, rest: CODE };
    const write = call('file_write', { path: 'plan.txt', content: 'no, thanks' });
    await using model = await startToolModel(
      { ...thinks, after: arrives.promise },
      { status: 429, headers: { 'retry-after': '1' } },
      write,
      { text: 'Written.' },
    );
    await using walker = walk(home, model.url, ['repl', '--provider', 'ollama', '--name', 'talk'], place);
    const { terminal, sees, prompt, type, answer } = walker;
    await prompt();
    type('think\r');
    if (!isDumb) await sees(' s · waiting for the model');
    arrives.resolve();
    if (!isDumb) await sees(' s · thinking: Bears first');
    isThought.resolve();
    await sees('const hi = 2;');
    await prompt();
    if (isDumb) expect(terminal.raw()).not.toMatch(/waiting for the model|thinking:|\x1b\[38/);
    else expect(terminal.raw()).toContain('\x1b[38;5;');

    type('write\r');
    if (!isDumb) await sees(' s · Attempt 2 of 4');
    await sees('no, thanks');
    await sees('[e]dit');
    await answer('e', 'yes, please');
    await answer('y', '→ yes');
    await sees('Written.');
    await prompt();
    expect(readFileSync(join(home.path, 'project/plan.txt'), 'utf8')).toBe('yes, please');

    type(`three bears${ESCAPE}`);
    await sees('< three bears');
    type('bcwzoos');
    await sees('> three zoos');
    type(CTRL_C);
    await prompt();
    type('!sleep 1.2\r');
    await sees('It printed nothing');
    await prompt();
    await leave(walker);
    expect(terminal.raw()).not.toMatch(NOTICE);
    expect(terminal.raw()).not.toMatch(BELL);
  });
});

it('through a pipe the REPL does everything that needs no answer, draws nothing, and restores no file unasked', async () => {
  using home = homeWithFiles();
  const run = call('bash', { command: 'make one' });
  await using model = await startToolModel(WRITE, { text: 'Then not.' }, EDIT, { text: 'Changed.' }, run, {
    text: 'Not run.',
  });
  const input = ['write', '/mode edits', 'edit', 'run', '/revert src/greet.ts', '/skills', '/history 1', '!sleep 1.2'];
  const { stdout, stderr, exitCode } = await home.run(['repl', '--provider', 'ollama', '--mode', 'plan'], {
    input: input.map((line) => `${line}\n`).join(''),
    cwd: join(home.path, 'project'),
    env: { HOME: home.path, OLLM_HOME: join(home.path, '.ollm'), OLLAMA_HOST: model.url },
  });
  expect(stdout).toMatch(/Then not\.[\s\S]*Changed\.[\s\S]*Not run\.[\s\S]*SKILL\.md, offered\)/);
  expect(stdout).toContain('You are an assistant in a terminal');
  expect(stderr).toContain('Mode plan');
  expect(stdout + stderr).toMatch(/restore: src\/greet\.ts/);
  expect(contentOf(home)).toBe('export const hi = 2;\n');
  expect(stdout + stderr).not.toMatch(/[\x1b\x07]/);
  expect(stdout + stderr).not.toContain(' s · ');
  expect(exitCode).toBe(7);
});
