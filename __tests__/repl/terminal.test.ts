import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textWidth } from '../../lib/display/width.ts';
import { createHome, type Home, OLLM } from '../support/cli.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { openTerminal, type ProcessTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { startModel } from './slow-model.ts';

const PROMPT = /^>( |$)/;
const UP = '\x1b[A';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

interface Options {
  readonly args?: readonly string[];
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

function open(home: Home, { args = ['--provider', 'offline'], columns = 80, env = {} }: Options = {}): ProcessTerminal {
  return openTerminal(process.execPath, [OLLM, 'repl', ...args], {
    columns,
    rows: 30,
    cwd: home.path,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, ...env },
  });
}

interface JournalLine {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

function journalOf(home: Home, name: string): JournalLine[] {
  return readFileSync(home.journal(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JournalLine);
}
const inputsOf = (journal: readonly JournalLine[]) =>
  journal.filter(({ type }) => type === 'turn.started').map(({ data }) => data.input);
const lastReply = (journal: readonly JournalLine[]) =>
  journal.findLast(({ type, data }) => type === 'message.added' && data.role === 'assistant')?.data;

describe('the REPL on a terminal', () => {
  it('names provider and session, takes turns, commands, blocks and pastes, and leaves at Ctrl+D', async () => {
    using home = createHome();
    await using terminal = open(home, { args: ['--provider', 'offline', '--name', 'talk'] });
    await terminal.waitFor('Provider: offline');
    await terminal.waitFor('Session talk, new.');
    await terminal.waitFor(PROMPT);
    terminal.type('find checksum\r');
    await terminal.waitFor('not a language model');
    await terminal.waitFor(PROMPT);

    terminal.type('/usa\t\r');
    await terminal.waitFor('1 answered');
    await terminal.waitFor(PROMPT);

    terminal.type('"""\rfirst line\r/quit\r"""\r');
    await terminal.waitFor('not a language model');
    await terminal.waitFor(PROMPT);

    terminal.paste('/quit\n/clear');
    await terminal.waitFor('[pasted 1: 2 lines]');
    terminal.type('\r');
    await terminal.waitFor('not a language model');
    await terminal.waitFor(PROMPT);

    terminal.type('/contxt\r');
    await terminal.waitFor('Did you mean /context?');
    await terminal.waitFor(PROMPT);
    terminal.type('//etc/hosts\r');
    await terminal.waitFor('not a language model');
    await terminal.waitFor(PROMPT);

    terminal.type(CTRL_D);
    await terminal.waitFor('Session talk is kept.');
    expect(await terminal.exit).toEqual({ code: 0, signal: undefined });
    const journal = journalOf(home, 'talk');
    expect(inputsOf(journal)).toEqual(['find checksum', 'first line\n/quit', '/quit\n/clear', '/etc/hosts']);
    expect(journal.at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'eof' } });
  });

  it('remembers the input of the previous run, continues the session, and leaves at the second Ctrl+C', async () => {
    using home = createHome();
    {
      await using first = open(home, { args: ['--provider', 'offline', '--name', 'talk'] });
      await first.waitFor(PROMPT);
      first.type('a question\r');
      await first.waitFor('not a language model');
      await first.waitFor(PROMPT);
      first.type(' a secret\r');
      await first.waitFor('not a language model');
      await first.waitFor(PROMPT);
      first.type('/quit\r');
      expect((await first.exit).code).toBe(0);
    }
    await using second = open(home, { args: ['--resume', 'talk'] });
    await second.waitFor('Session talk, resumed.');
    await second.waitFor(PROMPT);
    second.type(`${UP}${UP}`);
    await second.waitFor('a question');
    second.type(CTRL_C);
    await second.waitUntil((lines) => lines.at(-1)?.trimEnd() === '>', 'an empty prompt');
    // In one write: however slow the machine is, there is no time between the two.
    second.type(`${CTRL_C}${CTRL_C}`);
    await second.waitFor('Press Ctrl+C again to leave.');
    await second.waitFor(PROMPT);
    expect(await second.exit).toEqual({ code: 0, signal: undefined });
  });

  it('cancels a turn at Ctrl+C, keeps the part that arrived and the typed text, and shows the tokens', async () => {
    using home = createHome();
    await using model = await startModel({ text: 'The beginning of **an answer**', ends: false });
    await using terminal = open(home, {
      args: ['--provider', 'ollama', '--name', 'talk'],
      env: { OLLAMA_HOST: model.url },
    });
    await terminal.waitFor('4.1k window');
    await terminal.waitFor(PROMPT);
    terminal.type('go on for ever\r');
    await terminal.waitFor('The beginning of an answer');
    terminal.type('/title typed ahead');
    terminal.type(`${CTRL_C} and after`);
    await terminal.waitUntil((lines) => lines.includes('Cancelled. The part that arrived is kept.'), 'the end');
    await terminal.waitFor(/^> \/title typed ahead and after$/);
    terminal.type('\r');
    await terminal.waitFor('typed ahead and after');
    await terminal.waitFor(PROMPT);
    terminal.type('/quit\r');
    expect((await terminal.exit).code).toBe(0);
    const journal = journalOf(home, 'talk');
    expect(lastReply(journal)).toMatchObject({
      finish: 'cancelled',
      parts: [{ type: 'text', text: 'The beginning of **an answer**' }],
    });
    expect(journal.find(({ type }) => type === 'turn.ended')?.data.status).toBe('cancelled');
    expect(journal.findLast(({ type }) => type === 'session.titled')?.data.title).toBe('typed ahead and after');
  });

  it('keeps text that is typed during an answer for the next prompt', async () => {
    using home = createHome();
    await using model = await startModel({
      text: `${Array.from({ length: 150 }, (_, index) => `word${index} `).join('')}END`,
      ends: true,
    });
    await using terminal = open(home, { args: ['--provider', 'ollama'], env: { OLLAMA_HOST: model.url } });
    await terminal.waitFor(PROMPT);
    terminal.type('talk\r');
    await terminal.waitFor('word1 ');
    terminal.type('/title kept for later\r');
    await terminal.waitFor(/^> \/title kept for later$/);
    await terminal.waitFor('kept for later');
    await terminal.waitFor('150/4.1k tokens');
    await terminal.waitFor(PROMPT);
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
  });

  it('fits 40 columns, also after a resize, and uses no colours with NO_COLOR', async () => {
    using home = createHome();
    await using terminal = open(home, { env: { NO_COLOR: '1' } });
    await terminal.waitFor(PROMPT);
    terminal.resize(40, 20);
    terminal.type('/help all\r');
    await terminal.waitFor('Ctrl+D');
    await terminal.waitFor(PROMPT);
    const lines = terminal.lines();
    const help = lines.slice(lines.indexOf('Conversation'));
    expect(help.length).toBeGreaterThan(20);
    for (const line of help) expect(textWidth(line)).toBeLessThanOrEqual(40);
    expect(terminal.raw()).not.toMatch(/\x1b\[[0-9;]*m/);
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
  });

  it('keeps the line and the streaming answer intact when the window changes', async () => {
    using home = createHome();
    const words = Array.from({ length: 120 }, (_, index) => `word${index}`);
    await using model = await startModel({ text: `${words.join(' ')} END`, ends: true });
    await using terminal = open(home, {
      args: ['--provider', 'ollama', '--name', 'talk'],
      env: { OLLAMA_HOST: model.url },
    });
    await terminal.waitFor(PROMPT);
    const typed = 'one two three four five six seven eight nine';
    terminal.type(typed);
    await terminal.waitFor('eight nine');
    terminal.resize(20, 15);
    terminal.type(' ten');
    await terminal.waitFor('ten');
    terminal.type('\r');
    await terminal.waitFor('word20');
    terminal.resize(50, 15);
    await terminal.waitFor('END');
    await terminal.waitFor(PROMPT);
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
    const journal = journalOf(home, 'talk');
    expect(inputsOf(journal)).toEqual([`${typed} ten`]);
    const shown = terminal.lines().join(' ');
    for (const word of words) expect(shown).toContain(word);
  });

  it('draws a long line once, however often the window changes', async () => {
    using home = createHome();
    await using terminal = open(home);
    await terminal.waitFor(PROMPT);
    // The rows after the first are set in.
    const joined = (lines: readonly string[]) => lines.join('').replaceAll(' ', '');
    terminal.type(`FIRST ${'word '.repeat(60)}.`);
    // Echoes for the old width must not arrive after the window has changed: the text typed ends with a visible sign.
    await terminal.waitUntil((lines) => joined(lines).endsWith('word.'), 'the whole line');
    for (const columns of [45, 120, 30, 80]) {
      const before = terminal.raw().length;
      terminal.resize(columns, 24);
      await terminal.waitUntil(() => terminal.raw().length > before, 'that it is drawn again');
      terminal.type(` at${columns}.`);
      await terminal.waitUntil((lines) => joined(lines).includes(`at${columns}.`), 'what was typed then');
      const shown = terminal.lines().join('\n');
      expect(shown.split('FIRST')).toHaveLength(2);
      expect(shown).toContain('Provider');
    }
  });

  it('closes the session in order when the terminal is closed in the middle of an answer', async () => {
    using home = createHome();
    await using model = await startModel({ text: 'Half an answer', ends: false });
    const terminal = open(home, { args: ['--provider', 'ollama', '--name', 'talk'], env: { OLLAMA_HOST: model.url } });
    await terminal.waitFor(PROMPT);
    terminal.type('talk\r');
    await terminal.waitFor('Half an answer');
    terminal.hangUp();
    await terminal.exit;
    const journal = journalOf(home, 'talk');
    expect(lastReply(journal)).toMatchObject({
      finish: 'cancelled',
      parts: [{ type: 'text', text: 'Half an answer' }],
    });
    expect(journal.at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'signal', signal: 'SIGHUP' } });
  });

  it('leaves in order at SIGTERM, with its exit code', async () => {
    using home = createHome();
    await using terminal = open(home, { args: ['--provider', 'offline', '--name', 'talk'] });
    await terminal.waitFor(PROMPT);
    terminal.kill('SIGTERM');
    expect((await terminal.exit).code).toBe(143);
    expect(journalOf(home, 'talk').at(-1)).toMatchObject({
      type: 'session.closed',
      data: { reason: 'signal', signal: 'SIGTERM' },
    });
    expect(terminal.raw()).toContain('\x1b[?2004l');
  });

  it('continues after kill -9 in the middle of an answer, and names the interrupted turn', async () => {
    using home = createHome();
    await using model = await startModel({ text: 'Never finished', ends: false });
    {
      await using first = open(home, {
        args: ['--provider', 'ollama', '--name', 'talk'],
        env: { OLLAMA_HOST: model.url },
      });
      await first.waitFor(PROMPT);
      first.type('talk\r');
      await first.waitFor('Never finished');
      first.kill('SIGKILL');
      await first.exit;
    }
    await using second = open(home, { args: ['--resume', 'talk', '--provider', 'offline'] });
    await second.waitFor('Session talk, resumed.');
    await second.waitFor(/interrupted|crash|was left open|not closed/);
    await second.waitFor(PROMPT);
    second.type('/history\r');
    await second.waitFor('user: talk');
    await second.waitFor(PROMPT);
    second.type(CTRL_D);
    expect((await second.exit).code).toBe(0);
    expect(journalOf(home, 'talk').find(({ type }) => type === 'turn.ended')?.data.status).toBe('interrupted');
  });

  it('takes a paste of 20 MiB as one message', async () => {
    using home = createHome();
    await using terminal = open(home, { args: ['--provider', 'offline', '--name', 'talk'] });
    await terminal.waitFor(PROMPT);
    terminal.paste(`${'x'.repeat(1023)}\n`.repeat(20 * 1024));
    await terminal.waitFor('[pasted 1: 20480 lines]');
    terminal.type('\r');
    await terminal.waitFor('not a language model');
    await terminal.waitFor(PROMPT);
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
    const [message] = journalOf(home, 'talk').filter(
      ({ type, data }) => type === 'message.added' && data.role === 'user',
    );
    expect(message?.data.parts).toMatchObject([{ type: 'file' }]);
  });

  it('stops waiting at Ctrl+C for a server that lists no models, after /model, /provider or Tab', async () => {
    using home = createHome();
    await using server = await startFaultServer({
      '/v1/models': { type: 'application/json', steps: [{ fault: 'stall' }] },
    });
    const settings = {
      providers: { compatible: { slow: { baseUrl: `${server.url}/v1`, model: 'm', contextWindow: 4096 } } },
    };
    writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(settings));
    await using terminal = open(home, { args: ['--provider', 'slow', '--name', 'talk'] });
    await terminal.waitFor(PROMPT);
    const giveUp = async (line: string) => {
      const before = server.requests.length;
      terminal.type(line);
      await until(() => server.requests.length > before);
      terminal.type(CTRL_C);
      await server.allClosed();
    };
    for (const line of ['/model\r', '/provider slow other\r']) {
      await giveUp(line);
      await terminal.waitFor('Stopped');
      await terminal.waitFor(PROMPT);
    }
    await giveUp('/model \t');
    terminal.type('/title still here\r');
    await terminal.waitFor('still here');
    await terminal.waitFor(PROMPT);
    terminal.type(CTRL_D);
    expect((await terminal.exit).code).toBe(0);
    expect(journalOf(home, 'talk').some(({ type }) => type === 'model.changed')).toBe(false);
  });
});
