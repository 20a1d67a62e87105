// What a user types while a turn runs: seen, edited, queued, given to the running turn, and in the journal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { chunk, end } from '../providers/compatible/dialect.ts';
import { createHome, type Home, OLLM } from '../support/cli.ts';
import { type Answer, startFaultServer } from '../support/fault-server.ts';
import { openTerminal, type Terminal, type TerminalOptions } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { until } from '../support/until.ts';

const PROMPT = /^>( |$)/;
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_S = '\x13';
const LEFT = '\x1b[D';

const REPL = ['repl', '--provider', 'box', '--name', 'talk'];

const says = (content: string, until: Promise<unknown> = Promise.resolve()): Answer => ({
  type: 'text/event-stream',
  steps: [chunk({ content }), { until }, end('stop')],
});
const calls = (name: string, args: object, until: Promise<unknown>): Answer => ({
  type: 'text/event-stream',
  steps: [
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name, arguments: JSON.stringify(args) } }] }),
    { until },
    end('tool_calls'),
  ],
});

const open = (home: Home, url: string, columns = 80): Terminal => openTerminalHere(REPL, placeOf(home, url, columns));

function placeOf(home: Home, url: string, columns: number): TerminalOptions {
  const settings = { providers: { compatible: { box: { baseUrl: `${url}/v1`, model: 'm', contextWindow: 8192 } } } };
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(settings));
  const env = { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path };
  return { columns, rows: 20, cwd: home.path, env };
}

interface JournalLine {
  readonly type: string;
  readonly turn?: number;
  readonly data: { readonly role?: string; readonly parts?: readonly { readonly text?: string }[] };
}

/** Turn and text of each message of the user's. */
function userMessages(home: Home): string[] {
  return readFileSync(home.journal('talk'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine)
    .filter(({ type, data }) => type === 'message.added' && data.role === 'user')
    .map(({ turn, data }) => `${turn} ${data.parts?.map(({ text }) => text).join('')}`);
}

async function model(...answers: readonly Answer[]) {
  return startFaultServer({ '/v1/chat/completions': answers });
}
const last = (wanted: RegExp) => (lines: readonly string[]) => wanted.test(lines.at(-1)!);
const shows = (wanted: string) => (lines: readonly string[]) => lines.some((line) => line.includes(wanted));

describe('text typed while a turn runs', () => {
  it.each([40, 80, 120])('is shown and can be edited at %i columns, and is sent next', async (columns) => {
    using home = createHome();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await model(says('First answer.', promise), says('Second answer.'));
    await using terminal = open(home, server.url, columns);
    await terminal.waitFor(PROMPT);
    terminal.type('one\r');
    await terminal.waitUntil(shows('First answer.'), 'the answer');
    terminal.type(`tw${LEFT}`);
    terminal.type('X\x7f');
    await terminal.waitUntil(last(/^› tw$/), 'the draft');
    terminal.type('\x1b[Co\r');
    await terminal.waitUntil(last(/^ {2}1 two$/), 'what is queued');
    terminal.type('three');
    await terminal.waitUntil(last(/^› three$/), 'the next draft');
    resolve();
    await terminal.waitUntil(shows('> two'), 'what was queued');
    await terminal.waitUntil(shows('Second answer.'), 'the second answer');
    await terminal.waitUntil(last(/^> three$/), 'the draft in the prompt');
    expect(terminal.lines().join('\n')).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏›]/);
    expect(userMessages(home)).toEqual(['1 one', '2 two']);
  });

  it('steers the turn at Ctrl+S: the next request contains it, as a message of that turn', async () => {
    using home = createHome();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await model(calls('list_files', { path: '.' }, promise), says('As you say.'));
    await using terminal = open(home, server.url);
    await terminal.waitFor(PROMPT);
    terminal.type('look\r');
    await terminal.waitUntil(shows('list_files'), 'the call');
    terminal.type(`in French${CTRL_S}`);
    await terminal.waitUntil(last(/^ {2}↳ in French$/), 'what steers');
    resolve();
    await terminal.waitUntil(shows('As you say.'), 'the answer');
    await terminal.waitUntil(last(/^>( |$)/), 'the prompt');
    expect(terminal.lines()).toContain('> in French');
    expect(userMessages(home)).toEqual(['1 look', '1 in French']);
    const request = server.requests.at(-1)?.body as { readonly messages: readonly { readonly role: string }[] };
    expect(request.messages.at(-1)).toMatchObject({ role: 'user', content: 'in French' });
  });

  it('is sent as the next message if the turn makes no further request', async () => {
    using home = createHome();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await model(says('First answer.', promise), says('Second answer.'));
    await using terminal = open(home, server.url);
    await terminal.waitFor(PROMPT);
    terminal.type('one\r');
    await terminal.waitUntil(shows('First answer.'), 'the answer');
    terminal.type(`too late${CTRL_S}`);
    await terminal.waitUntil(last(/^ {2}↳ too late$/), 'what steers');
    resolve();
    await terminal.waitUntil(shows('Second answer.'), 'the second answer');
    await terminal.waitUntil(last(/^>( |$)/), 'the prompt');
    expect(userMessages(home)).toEqual(['1 one', '2 too late']);
  });

  it('rests after Ctrl+C until the user continues, and /queue shows and removes it until then', async () => {
    using home = createHome();
    await using server = await model(says('First', new Promise(() => {})), says('Second answer.'));
    await using terminal = open(home, server.url);
    await terminal.waitFor(PROMPT);
    terminal.type('one\r');
    await terminal.waitUntil(shows('First'), 'the answer');
    terminal.type('two\rthree\r/queue\r');
    await terminal.waitUntil(shows('  2  three'), 'the list');
    terminal.type('/queue rm 1\r');
    await terminal.waitUntil(shows('Message 1 is removed.'), 'the removal');
    terminal.type(`a draft${CTRL_C}`);
    await terminal.waitUntil(shows('1 message not sent yet'), 'the end');
    await terminal.waitUntil(last(/^> a draft$/), 'the draft in the prompt');
    expect(server.requests.filter(({ path }) => path.endsWith('completions'))).toHaveLength(1);
    terminal.type(`${CTRL_C}`);
    await terminal.waitUntil(last(/^>$/), 'the empty prompt');
    terminal.type('\r');
    await terminal.waitUntil(shows('Second answer.'), 'the second answer');
    await terminal.waitUntil(last(/^>$/), 'the empty prompt');
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
    expect(userMessages(home)).toEqual(['1 one', '2 three']);
  });

  it('may be a message of several lines, and the running turn is redrawn when the window changes', async () => {
    using home = createHome();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await model(says('First answer.', promise), says('Second answer.'));
    await using terminal = open(home, server.url);
    await terminal.waitFor(PROMPT);
    terminal.type('one\r');
    await terminal.waitUntil(shows('First answer.'), 'the answer');
    terminal.type('"""\rtwo\r');
    await terminal.waitUntil(last(/^…( |$)/), 'the open block');
    terminal.resize(50, 15);
    terminal.type('three\r"""\r');
    await terminal.waitUntil(last(/^ {2}1 """ two three """$/), 'what is queued');
    resolve();
    await terminal.waitUntil(shows('Second answer.'), 'the second answer');
    await terminal.waitUntil(last(/^>( |$)/), 'the prompt');
    expect(userMessages(home)).toEqual(['1 one', '2 two\nthree']);
  });
});

describe('a queued message of a killed program', () => {
  it('is not offered if a guest of the server wrote it', async () => {
    using home = createHome();
    await home.append('talk', [{ type: 'message.added', data: { role: 'user', parts: [], trusted: true } }]);
    const app = await createApp({ env: { ...process.env, OLLM_HOME: home.path }, cwd: home.path, command: 'test' });
    const writer = await app.store.openWriter('talk');
    const queuedAt = new Date().toISOString();
    const added = [
      { promptId: 'p-1', text: 'of the owner', queuedAt },
      { promptId: 'p-2', text: 'of a guest', queuedAt, permissions: 'guest' as const, author: 'guest 1' },
    ];
    await writer.append({ type: 'queue.changed', data: { added } });
    await writer.close();
    await app.close();
    const { stderr } = await home.run(['repl', '--name', 'talk'], { input: '' });
    expect(stderr).toContain('1 message of yours was not sent before:');
    expect(stderr).not.toContain('of a guest');
  });

  const AWS = 'AKIAIOSFODNN7EXAMPLE';

  it.each([40, 80])(
    'is in the journal without secrets, and offered when the session continues, at %i columns',
    async (columns) => {
      using home = createHome();
      await using server = await model(says('First', new Promise(() => {})), says('Second answer.'));
      {
        await using terminal = openTerminal(process.execPath, [OLLM, ...REPL], placeOf(home, server.url, columns));
        await terminal.waitFor(PROMPT);
        terminal.type('one\r');
        await terminal.waitUntil(shows('First'), 'the answer');
        terminal.type(`use ${AWS}\rsecond thing\r/usage\rmore`);
        terminal.type(`now${CTRL_S}`);
        await until(() => queued(home) === 3);
        terminal.kill('SIGKILL');
        await terminal.exit;
      }
      expect(readFileSync(home.journal('talk'), 'utf8')).not.toContain(AWS);
      const first = await home.run(['repl', '--name', 'talk'], { input: '' });
      expect(first.stderr).toContain('3 messages of yours were not sent before:');
      expect(first.stdout).toBe('');
      await using terminal = open(home, server.url, columns);
      await terminal.waitFor('3 messages of yours were not sent');
      await terminal.waitFor('1 use [redacted');
      await terminal.waitFor(PROMPT);
      expect(userMessages(home)).toEqual(['1 one']);
      terminal.type('/queue rm 1\r');
      await terminal.waitFor('Message 1 is removed.');
      terminal.type('/queue edit 1\r');
      await terminal.waitUntil(last(/^> second thing$/), 'the message in the line');
      terminal.type('!\r');
      await terminal.waitFor('Second answer.');
      await terminal.waitUntil(last(/^>( |$)/), 'the prompt');
      terminal.type('\r');
      await terminal.waitFor('Second answer.');
      await terminal.waitUntil(last(/^>( |$)/), 'the prompt');
      expect(userMessages(home)).toEqual(['1 one', '2 second thing!', '3 morenow']);
      terminal.type(CTRL_D);
      await terminal.exit;
      const piped = await home.run(['repl', '--provider', 'offline', '--name', 'talk'], { input: '' });
      expect(piped.stderr).not.toContain('not sent before');
    },
  );

  it('returns to the empty line at the up arrow, while the turn still runs', async () => {
    using home = createHome();
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await model(says('First answer.', promise), says('Second answer.'));
    await using terminal = open(home, server.url);
    await terminal.waitFor(PROMPT);
    terminal.type('one\r');
    await terminal.waitUntil(shows('First answer.'), 'the answer');
    terminal.type('two\r');
    await terminal.waitUntil(last(/^ {2}1 two$/), 'what is queued');
    terminal.type('\x1b[A');
    await terminal.waitUntil(last(/^› two$/), 'the message in the line');
    terminal.type('!\r');
    await terminal.waitUntil(last(/^ {2}1 two!$/), 'what is queued');
    resolve();
    await terminal.waitUntil(shows('Second answer.'), 'the second answer');
    await terminal.waitUntil(last(/^>( |$)/), 'the prompt');
    expect(userMessages(home)).toEqual(['1 one', '2 two!']);
  });
});

/** Messages that the journal says were queued. */
function queued(home: Home): number {
  return readFileSync(home.journal('talk'), 'utf8').split('"queuedAt"').length - 1;
}
