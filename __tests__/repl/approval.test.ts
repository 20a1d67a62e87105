import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { textWidth } from '../../lib/display/width.ts';
import { createHome, type Home, OLLM, parseLines } from '../support/cli.ts';
import type { FaultServer } from '../support/fault-server.ts';
import { linesWith, pressKey, READ_MS } from '../support/press-key.ts';
import { BELL, openTerminal, type ProcessTerminal, type Terminal, type TerminalOptions } from '../support/terminal.ts';
import { openTerminalHere } from '../support/terminal-here.ts';
import { type ModelReply, startToolModel } from './tool-model.ts';

const PROMPT = /^>( |$)/;
const QUESTION = '[y]es  [n]o';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

interface Scene<Kind extends Terminal = Terminal> extends AsyncDisposable {
  readonly home: Home;
  /** Where the project is: next to the home. */
  readonly project: string;
  readonly terminal: Kind;
  readonly model: FaultServer;
  journal(): readonly { readonly type: string; readonly data: Record<string, unknown> }[];
  /** The data of `tool.decided`. */
  decisions(): readonly Record<string, unknown>[];
}

interface SceneOptions {
  readonly replies: readonly ModelReply[];
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const scene = (options: SceneOptions): Promise<Scene> => sceneOn(openTerminalHere, options);
/** In a process of its own: for signals, and for what takes over the terminal. */
const processScene = (options: SceneOptions): Promise<Scene<ProcessTerminal>> =>
  sceneOn((args, terminal) => openTerminal(process.execPath, [OLLM, ...args], terminal), options);

async function sceneOn<Kind extends Terminal>(
  open: (args: readonly string[], options: TerminalOptions) => Kind,
  { replies, columns = 80, rows = 30, env = {} }: SceneOptions,
): Promise<Scene<Kind>> {
  const home = createHome();
  const project = mkdtempSync(join(tmpdir(), 'ollm-project-'));
  const model = await startToolModel(...replies);
  const terminal = open(['repl', '--provider', 'ollama', '--name', 'talk'], {
    columns,
    rows,
    cwd: project,
    env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path, OLLAMA_HOST: model.url, ...env },
  });
  await terminal.waitFor(PROMPT);
  const journal = () =>
    parseLines(readFileSync(home.journal('talk'), 'utf8')) as unknown as ReturnType<Scene['journal']>;
  return {
    home,
    project,
    terminal,
    model,
    journal,
    decisions: () =>
      journal()
        .filter(({ type }) => type === 'tool.decided')
        .map(({ data }) => data),
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      rmSync(project, { recursive: true, force: true });
    },
  };
}

/** Answers a question; the sign shows that it was taken. */
function answer({ terminal }: Pick<Scene, 'terminal'>, key: string, sign: string): Promise<void> {
  const before = linesWith(terminal, sign);
  return pressKey(terminal, key, () => linesWith(terminal, sign) > before);
}

/** Waits for what takes the place of rows that have moved. */
const shows = (terminal: Terminal, text: string) =>
  terminal.waitUntil((lines) => lines.some((line) => line.includes(text)), text);
/** Waits for a text that may disappear from the screen within milliseconds. */
const flashes = (terminal: Terminal, words: RegExp) =>
  terminal.waitUntil(() => words.test(terminal.raw()), String(words));
const bash = (command: string): ModelReply => ({ calls: [{ name: 'bash', args: { command } }] });
const write = (path: string, content: string): ModelReply => ({
  calls: [{ name: 'file_write', args: { path, content } }],
});
const DONE: ModelReply = { text: 'All done.' };

describe('a tool that needs approval', () => {
  it('runs once after y, and its program and output are shown', async () => {
    await using at = await scene({ replies: [bash('echo made > made.txt; echo it is made'), DONE] });
    at.terminal.type('make it\r');
    await at.terminal.waitFor('bash asks to run:');
    await at.terminal.waitFor('$ echo made > made.txt; echo it is made');
    await at.terminal.waitFor(QUESTION);
    expect(existsSync(join(at.project, 'made.txt'))).toBe(false);
    await answer(at, 'y', '→ yes, this once');
    await shows(at.terminal, 'yes, this once');
    await at.terminal.waitFor(/✓ bash: Run echo made.* · \d+ ms|✓ bash: Run echo made/);
    await at.terminal.waitFor('it is made');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    expect(readFileSync(join(at.project, 'made.txt'), 'utf8')).toBe('made\n');
    expect(at.decisions()).toMatchObject([{ decision: 'allow', by: 'user' }]);
  });

  it("does not run after n, and the model is told the user's reason", async () => {
    await using at = await scene({ replies: [bash('touch made.txt'), DONE] });
    at.terminal.type('make it\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'n', 'What should the model do instead?');
    await at.terminal.waitFor('What should the model do instead?');
    at.terminal.type('write to other.txt\r');
    await at.terminal.waitFor('✗ bash · denied');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    expect(existsSync(join(at.project, 'made.txt'))).toBe(false);
    expect(at.decisions()).toMatchObject([{ decision: 'deny', by: 'user', reason: 'write to other.txt' }]);
    expect(JSON.stringify(at.model.requests.at(-1)?.body)).toContain('write to other.txt');
  });

  it.each([
    ['typed ahead', async (terminal: Terminal) => terminal.type('yyy'), 'before'],
    ['pasted', async (terminal: Terminal) => terminal.paste('y'), 'after'],
    ['one of several characters', async (terminal: Terminal) => terminal.type('y\r'), 'after'],
  ] as const)('does not run after a y that was %s', async (_, press, when) => {
    await using at = await scene({ replies: [bash('touch made.txt'), DONE] });
    at.terminal.type('make it\r');
    if (when === 'before') await press(at.terminal);
    await at.terminal.waitFor(QUESTION);
    if (when === 'after') {
      await wait(READ_MS);
      await press(at.terminal);
    }
    await answer(at, '\x1b', '→ no');
    await shows(at.terminal, '→ no');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    expect(existsSync(join(at.project, 'made.txt'))).toBe(false);
    expect(at.decisions()).toMatchObject([{ decision: 'deny', by: 'user' }]);
  });

  it('is shown with control characters as visible signs if its text would draw over the question', async () => {
    const content = 'x \x1b]52;c;aGk=\x07 \x1b]8;;http://x\x1b\\ \x1b[2A\x1b[2K\u202eharmless\u200b\n';
    await using at = await scene({ replies: [write('x.txt', content), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor('⟨U+001B⟩]52;c;aGk=⟨U+0007⟩');
    await at.terminal.waitFor('invisible characters');
    await at.terminal.waitFor(QUESTION);
    expect(at.terminal.raw()).not.toMatch(/\x1b\](52|8)/);
    expect(at.terminal.raw()).not.toMatch(/[\u202e\u200b]/);
    await answer(at, '\r', '→ no');
    await shows(at.terminal, '→ no');
    await at.terminal.waitFor(PROMPT);
  });

  it('is refused without a question if its command contains control characters', async () => {
    await using at = await scene({ replies: [bash('rm -rf ~\x1b[2K\x1b[1Gls'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor('✗ bash · denied');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    expect(at.terminal.raw()).not.toContain(QUESTION);
  });

  it('shows the head and the tail of a diff of 5,000 lines, all of it after v, and the keys after ?', async () => {
    const content = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join('');
    await using at = await scene({ replies: [write('long.txt', content), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor('file_write asks: Create long.txt');
    await at.terminal.waitFor('+line 1');
    await at.terminal.waitFor(/… 4,9\d\d more rows: v shows all/);
    await at.terminal.waitFor('+line 5000');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'v', '→ all of it');
    await at.terminal.waitFor('+line 2500');
    await at.terminal.waitFor('+line 5000');
    await at.terminal.waitFor(QUESTION);
    const ruleLines = () => at.terminal.lines().filter((line) => line.includes('file_write(long.txt)'));
    expect(ruleLines()).toEqual(['a would always allow: file_write(long.txt)']);
    await answer(at, '?', '→ what the keys mean');
    await at.terminal.waitFor('v  shows all of it');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'y', '→ yes, this once');
    await at.terminal.waitFor('✓ file_write: Create long.txt');
    await at.terminal.waitFor(PROMPT);
    expect(readFileSync(join(at.project, 'long.txt'), 'utf8')).toBe(content);
  });

  it('runs with the arguments that the user edited, after a second question', async () => {
    await using at = await scene({ replies: [bash('touch wrong.txt'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'e', 'edit> ');
    await at.terminal.waitFor('edit> touch wrong.txt');
    at.terminal.type('\x15touch right.txt\r');
    await at.terminal.waitFor('$ touch right.txt');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'y', '→ yes, this once');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    expect([existsSync(join(at.project, 'wrong.txt')), existsSync(join(at.project, 'right.txt'))]).toEqual([
      false,
      true,
    ]);
  });

  it('runs without a question after a, until that grant is revoked', async () => {
    await using at = await scene({
      replies: [bash('touch a.txt'), DONE, bash('touch a.txt'), DONE, bash('touch a.txt'), DONE],
    });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    await at.terminal.waitFor('[a]lways bash(touch a.txt)');
    await answer(at, 'a', '→ always');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('\x15again\r');
    await at.terminal.waitFor('✓ bash');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('\x15/tools\r');
    await at.terminal.waitFor('Your grants');
    await at.terminal.waitFor(/^ +1 +bash\(/);
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('/tools revoke 1\r');
    await at.terminal.waitFor('Grant 1 is taken back.');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('\x15again\r');
    await at.terminal.waitFor(QUESTION);
    expect(at.decisions().map(({ by }) => by)).toEqual(['user', 'grant']);
  });

  it.each([
    ['s', 's', '→ all edits of this session'],
    ['Shift+Tab', '\x1b[Z', '→ all edits of this session'],
  ])(
    'that changes a file of the project shows its title and diff, and after %s later edits run without a question',
    async (...key) => {
      const [, pressed, sign] = key;
      await using at = await scene({
        replies: [write('one.txt', '1\n'), write('two.txt', '2\n'), bash('rm -rf x'), DONE],
      });
      at.terminal.type('go\r');
      await at.terminal.waitFor(/^\[y\]es .*all edit\[s\]/);
      const shown = at.terminal.lines();
      const question = shown.slice(shown.findIndex((line) => line.startsWith('file_write asks')));
      expect(question.filter(Boolean)).toEqual([
        expect.stringMatching(/^file_write asks: Create one\.txt/),
        '│ @@ -0,0 +1,1 @@',
        '│ +1',
        '[y]es  [n]o  all edit[s]  [e]dit  [v]iew all  [?]',
        '[a]lways file_write(one.txt)  neve[r]',
      ]);
      await answer(at, pressed, sign);
      await at.terminal.waitFor('Mode edits: files of this project are changed without a question.');
      await at.terminal.waitFor('✓ file_write: Create two.txt');
      // A dangerous command is asked about as before, without this key.
      await at.terminal.waitFor('! dangerous:');
      await at.terminal.waitFor(QUESTION);
      expect(at.terminal.lines().findLast((line) => line.includes('[y]es'))).not.toContain('edit[s]');
      await answer(at, '\x1b', '→ no');
      await at.terminal.waitFor('All done.');
      expect(at.journal().filter(({ type }) => type === 'mode.changed')).toMatchObject([{ data: { mode: 'edits' } }]);
      expect(at.decisions()).toMatchObject([{ rule: 'mode:edits' }, { rule: 'mode:edits' }, { by: 'user' }]);
      expect(readFileSync(join(at.project, 'one.txt'), 'utf8')).toBe('1\n');
    },
  );

  it('switches to the mode plan at Shift+Tab during the question, and the program does not run', async () => {
    await using at = await scene({ replies: [bash('touch made.txt'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, '\x1b[Z', '→ another mode');
    await at.terminal.waitFor('Mode plan: the model only reads. Nothing is changed.');
    await at.terminal.waitFor('✗ bash · denied');
    await at.terminal.waitFor('All done.');
    expect(existsSync(join(at.project, 'made.txt'))).toBe(false);
  });

  it('is shown without the sentence that tells the model of a denial, and without arguments that the user changed', async () => {
    await using at = await scene({ replies: [bash('touch a'), bash('echo wrong'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'n', 'What should the model do instead?');
    at.terminal.type('leave it\r');
    await at.terminal.waitFor('│ You said: leave it');
    await at.terminal.waitFor('All done.');
    expect(at.terminal.raw()).not.toContain('The user did not allow');
    expect(JSON.stringify(at.model.requests.at(-1)?.body)).toContain(
      'The user did not allow the call, and says: leave it',
    );
  });

  it('is denied permanently after r, until that is revoked', async () => {
    await using at = await scene({
      replies: [bash('touch a'), bash('touch a'), DONE, bash('touch a'), DONE],
      rows: 50,
    });
    at.terminal.type('do it\r');
    await at.terminal.waitFor('neve[r]');
    await answer(at, 'r', '→ never');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    expect(at.decisions()).toMatchObject([
      { decision: 'deny', by: 'user', rule: 'bash(touch a)' },
      { decision: 'deny', by: 'policy', rule: 'never:1' },
    ]);
    expect(existsSync(join(at.project, 'a'))).toBe(false);
    const { stdout } = await at.home.run(['audit', '--grants'], { cwd: at.project });
    expect(stdout).toMatch(/^ {3}1 {2}never bash\(touch a\) /);
    at.terminal.type('/tools revoke 1\r');
    await at.terminal.waitFor('asked about again');
    at.terminal.type('again\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'y', '→ yes, this once');
    await at.terminal.waitFor('All done.');
    expect(existsSync(join(at.project, 'a'))).toBe(true);
  });

  it('reports an unoffered key, and keeps it out of the next message', async () => {
    await using at = await scene({ replies: [bash('rm -rf nothing'), DONE, DONE] });
    at.terminal.type('do it\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'a', 'a is not offered here.');
    await answer(at, 'n', '→ no');
    await at.terminal.waitFor('What should the model do instead?');
    at.terminal.type('\r');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('next\r');
    await at.terminal.waitFor('All done.');
    const said = at.journal().filter(({ type }) => type === 'turn.started');
    expect(said.map(({ data }) => data.input)).toEqual(['do it', 'next']);
  });

  it('is cancelled with its turn at Ctrl+C, and typed-ahead text does not run it', async () => {
    await using at = await scene({ replies: [bash('touch made.txt'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    at.terminal.type(CTRL_C);
    await at.terminal.waitFor('Cancelled.');
    await at.terminal.waitFor(PROMPT);
    expect(existsSync(join(at.project, 'made.txt'))).toBe(false);
    expect(at.journal().findLast(({ type }) => type === 'turn.ended')?.data.status).toBe('cancelled');
    at.terminal.type('/title still here\r');
    await at.terminal.waitFor('still here');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type(CTRL_D);
    expect((await at.terminal.exit).code).toBe(0);
  });

  it.each([
    ['SIGTERM', (terminal: ProcessTerminal) => terminal.kill('SIGTERM')],
    ['SIGHUP', (terminal: ProcessTerminal) => terminal.hangUp()],
  ])('does not run if %s comes instead of an answer, and the session is closed in order', async (signal, end) => {
    await using at = await processScene({ replies: [bash('touch made.txt'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    end(at.terminal);
    await at.terminal.exit;
    expect(existsSync(join(at.project, 'made.txt'))).toBe(false);
    expect(at.journal().find(({ type }) => type === 'tool.finished')).toBeDefined();
    expect(at.journal().at(-1)).toMatchObject({ type: 'session.closed', data: { reason: 'signal', signal } });
  });

  it('is shown in 20 columns too, also if the window changes during the question', async () => {
    await using at = await scene({
      replies: [bash('/bin/echo one two three four five six seven'), DONE],
      columns: 40,
      rows: 20,
    });
    at.terminal.type('go\r');
    await at.terminal.waitFor('[?]');
    at.terminal.resize(20, 20);
    await answer(at, 'v', '→ all of it');
    await shows(at.terminal, '→ all of it');
    await at.terminal.waitFor('seven');
    await at.terminal.waitFor('[y]es');
    const shown = at.terminal.lines();
    const whole = shown.slice(shown.findLastIndex((line) => line.includes('all of it')));
    for (const line of whole) expect(textWidth(line)).toBeLessThanOrEqual(20);
    expect(
      whole
        .filter((line) => line.startsWith('│'))
        .map((line) => line.slice(2))
        .join(''),
    ).toContain('seven');
    await answer(at, 'y', '→ yes, this once');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
  });

  it('is stopped with all its processes at Ctrl+C, and its output until then is kept', async () => {
    await using at = await scene({ replies: [bash('echo begun; sleep 60; echo never'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'y', '→ yes, this once');
    await at.terminal.waitFor('│ begun');
    at.terminal.type(CTRL_C);
    await shows(at.terminal, 'cancelled after');
    await at.terminal.waitFor('Cancelled.');
    await at.terminal.waitFor(PROMPT);
    const finished = at.journal().find(({ type }) => type === 'tool.finished')?.data;
    expect(finished).toMatchObject({ status: 'cancelled' });
    expect(JSON.stringify(finished)).toContain('begun');
  });

  it('is recorded as ended at the next start after kill -9, and never run again', async () => {
    await using at = await processScene({ replies: [bash('echo x >> runs.txt; echo begun; sleep 60'), DONE] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(QUESTION);
    await answer(at, 'y', '→ yes, this once');
    await at.terminal.waitFor('│ begun');
    at.terminal.kill('SIGKILL');
    await at.terminal.exit;
    const { stderr, exitCode } = await at.home.run(['repl', '--resume', 'talk', '--provider', 'offline'], {
      cwd: at.project,
      input: '',
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('it is not run again');
    expect(at.journal().find(({ type }) => type === 'tool.finished')?.data.status).toBe('unknown');
    expect(readFileSync(join(at.project, 'runs.txt'), 'utf8')).toBe('x\n');
  });
});

describe('the REPL without a terminal', () => {
  it('runs no tool that needs approval, not even with a y in the input, and exits with 7', async () => {
    using home = createHome();
    using project = createHome();
    await using model = await startToolModel(bash('touch made.txt'), DONE);
    const { stdout, stderr, exitCode } = await home.run(['repl', '--provider', 'ollama', '--name', 'talk'], {
      cwd: project.path,
      input: 'make it\ny\n',
      env: { OLLAMA_HOST: model.url },
    });
    expect(exitCode).toBe(7);
    expect(stderr).toContain('✗ bash · denied');
    expect(stderr.match(/ollm: A tool did not run, because it needs an answer at a terminal\./g)).toHaveLength(1);
    expect(stdout + stderr).not.toMatch(/\x1b|\[y\]es/);
    expect(existsSync(join(project.path, 'made.txt'))).toBe(false);
  });

  it('runs no command after an exclamation mark, and exits with 7', async () => {
    using home = createHome();
    const { stderr, exitCode } = await home.run(['repl', '--provider', 'offline', '--name', 'talk'], {
      input: '!touch made.txt\n!!hello\n',
    });
    expect(exitCode).toBe(7);
    expect(stderr).toContain('only a user at a terminal may start one');
    expect(existsSync(join(home.path, 'made.txt'))).toBe(false);
    expect(
      parseLines(readFileSync(home.journal('talk'), 'utf8')).filter(({ type }) => type === 'turn.started'),
    ).toMatchObject([{ data: { input: '!hello' } }]);
  });
});

describe('a user at the terminal', () => {
  it('runs a command with an exclamation mark, and the output is shown and sent to the model', async () => {
    await using at = await scene({ replies: [DONE] });
    at.terminal.type('!echo by hand; seq 1 100\r');
    await at.terminal.waitFor('✓ bash: Run echo by hand');
    await at.terminal.waitFor(/95 more lines|96 more lines/);
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('\x0f');
    await at.terminal.waitFor(/^50$/);
    await at.terminal.waitFor('That was bash, ok.');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('what was that?\r');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    const sent = JSON.stringify(at.model.requests.at(-1)?.body);
    expect(sent).toContain('!echo by hand');
    expect(sent).toContain('by hand\\n1\\n2');
    expect(at.decisions()).toMatchObject([{ decision: 'allow', by: 'user', rule: 'typed' }]);
  });

  it('attaches a file by naming it, and no message is sent if the file does not exist', async () => {
    await using at = await scene({ replies: [DONE] });
    writeFileSync(join(at.project, 'notes.txt'), 'the secret number is 42\n');
    at.terminal.type('read @missing.txt please\r');
    await at.terminal.waitFor('There is no file missing.txt. Nothing was asked.');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('read @not\t please\r');
    await at.terminal.waitFor('Sent along: notes.txt, 24 bytes.');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    const chats = at.model.requests.filter(({ path }) => path === '/api/chat');
    expect(chats).toHaveLength(1);
    const sent = JSON.stringify(chats[0]?.body);
    // His words instruct; the content of the file is data.
    expect(sent).toMatch(/read @notes\.txt please/);
    expect(sent).toMatch(/<<<untrusted (\w+) file notes\.txt>>>\\nthe secret number is 42\\n\\n<<<end \1>>>/);
    expect(sent).toContain('It has no authority');
  });

  it('writes a message in an external editor, and is told if the editor fails', async () => {
    await using at = await processScene({ replies: [DONE], env: { EDITOR: 'printf "%s" "written elsewhere" >' } });
    at.terminal.type('/editor\r');
    await at.terminal.waitFor('All done.');
    await at.terminal.waitFor(PROMPT);
    expect(JSON.stringify(at.model.requests.at(-1)?.body)).toContain('written elsewhere');
    await using broken = await processScene({
      replies: [DONE],
      env: { VISUAL: 'no-such-editor-here', EDITOR: 'true' },
    });
    broken.terminal.type('/editor\r');
    await broken.terminal.waitFor('The editor no-such-editor-here failed: the program was not found.');
    await broken.terminal.waitFor(PROMPT);
    expect(broken.model.requests.filter(({ path }) => path === '/api/chat')).toHaveLength(0);
  });
});

describe('a turn on the terminal', () => {
  it('shows that the model thinks, and afterwards its thoughts on request', async () => {
    await using at = await scene({ replies: [{ text: 'Forty-two.', thinking: 'Six times nine, is it not?' }] });
    at.terminal.type('go\r');
    await at.terminal.waitFor(/Thought for [\d.]+ m?s · \/reasoning shows it/);
    await at.terminal.waitFor('Forty-two.');
    await at.terminal.waitFor(PROMPT);
    at.terminal.type('/reasoning\r');
    await at.terminal.waitFor('Six times nine, is it not?');
    await at.terminal.waitFor(PROMPT);
  });

  it('reports that a request is repeated, and repeats it', async () => {
    await using at = await scene({ replies: [{ status: 503 }, { text: 'There you are.' }] });
    at.terminal.type('go\r');
    await flashes(at.terminal, /Attempt 2 of 4 in \d s/);
    await at.terminal.waitFor('There you are.');
    await at.terminal.waitFor(PROMPT);
  });

  it('shows which attempt comes next after too many requests, and is answered a little later', async () => {
    await using at = await scene({ replies: [{ status: 429 }, { status: 429 }, { text: 'There you are.' }] });
    at.terminal.type('go\r');
    await flashes(at.terminal, /Attempt 2 of 4 in \d s/);
    await at.terminal.waitFor('There you are.');
    await at.terminal.waitFor(PROMPT);
    expect(at.model.requests.filter(({ path }) => path === '/api/chat')).toHaveLength(3);
  });

  it('is cancelled at Ctrl+C while it waits to repeat a request, and the next message is sent', async () => {
    await using at = await scene({
      replies: [{ status: 429, headers: { 'retry-after': '30' } }, { text: 'There you are.' }],
    });
    at.terminal.type('go\r');
    await at.terminal.waitFor(/Attempt 2 of 4 in \d+ s/);
    at.terminal.type(CTRL_C);
    await shows(at.terminal, 'Cancelled.');
    await at.terminal.waitFor(PROMPT);
    expect(at.terminal.raw()).not.toContain('The part that arrived is kept.');
    expect(at.model.requests.filter(({ path }) => path === '/api/chat')).toHaveLength(1);
    at.terminal.type('and now?\r');
    await at.terminal.waitFor('There you are.');
    await at.terminal.waitFor(PROMPT);
    const ends = at.journal().filter(({ type }) => type === 'turn.ended');
    expect(ends.map(({ data }) => data.status)).toEqual(['cancelled', 'completed']);
  });

  it('ends with the bell only if it took long', async () => {
    await using quick = await scene({ replies: [DONE] });
    quick.terminal.type('go\r');
    await quick.terminal.waitFor('All done.');
    await quick.terminal.waitFor(PROMPT);
    expect(quick.terminal.raw()).not.toMatch(BELL);
    await using slow = await scene({ replies: [DONE], env: { OLLM_REPL__BELL_AFTER_SECONDS: '1' } });
    slow.terminal.type('!sleep 1.2\r');
    await slow.terminal.waitFor('✓ bash');
    await slow.terminal.waitFor(PROMPT);
    expect(slow.terminal.raw()).toMatch(BELL);
  });
});

describe('a turn of many requests asks the user', () => {
  const look: ModelReply = { calls: [{ name: 'list_files', args: {} }] };
  const env = { OLLM_SERVICES__LOOP_DETECTION__MAX_TURNS: '2' };
  const GO_ON = '2 requests since you last said something. Go on? [y/N]';

  it('and continues after y, and stops after n', async () => {
    await using at = await scene({ replies: [look, look, look, look, DONE], env });
    at.terminal.type('look around\r');
    await at.terminal.waitFor(GO_ON);
    await answer(at, 'y', '[y/N] yes');
    await at.terminal.waitUntil((lines) => lines.filter((line) => line.includes(GO_ON)).length === 2, 'asked twice');
    await answer(at, 'n', '[y/N] no');
    await at.terminal.waitFor('The turn was stopped: The model was asked 2 times');
    await at.terminal.waitFor(PROMPT);
    const ends = at.journal().filter(({ type }) => type === 'loop.detected' || type === 'turn.ended');
    expect(ends.map(({ data }) => data.action ?? data.status)).toEqual(['ask', 'stop', 'loop']);
  });
});
