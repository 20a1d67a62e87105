// Makes the recordings in docs/recording: real sessions on a pseudo-terminal, typed by this script. The model is a
// server on this machine that says its lines. Run "npm run build && node .ci/record.ts" when the looks change, followed
// by the names of those to make. Look at each of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { createRecorder, type Recorder } from './record-screen.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SIZE = { columns: 84, rows: 26 };
const KEY_MS = 45;
const WORD_MS = 55;
const PATIENCE_MS = 60_000;
const [UP, DOWN, SHIFT_TAB] = ['\x1b[A', '\x1b[B', '\x1b[Z'] as const;
const [CTRL_R, CTRL_S] = ['\x12', '\x13'] as const;

const GREET = "export function greet(name: string): string {\n  return 'hi ' + name;\n}\n";
const EDIT = {
  name: 'file_edit',
  arguments: { path: 'src/greet.ts', old_string: "return 'hi '", new_string: "return 'Good day, '" },
};

/** For the web server: the same in each recording. */
const WEB_HOST = '127.0.0.1:8080';
const WEB_PAGE = `<!doctype html><title>How to greet</title><nav>Home | Search</nav>
<h1>Greetings by the hour</h1><p>A greeting names the time of day:</p>
<ul><li>Good morning, until noon</li><li>Good afternoon, until six</li><li>Good evening, after that</li></ul>
<script>menu()</script>`;

/** The model's words to one request. */
interface Reply {
  readonly text: string;
  /** It is too busy this time. */
  readonly isBusy?: boolean;
  readonly call?: { readonly name: string; readonly arguments: object };
}

/**
 * A text that is entered, keys that are pressed, or a new width of the window; then, in order, patterns that the screen
 * comes to show and pauses for the reader, in milliseconds.
 */
type Step = readonly [input: string | readonly string[] | { readonly columns: number }, ...after: (RegExp | number)[]];

interface Scene {
  /** The description of the scene. */
  readonly label: string;
  readonly files?: Readonly<Record<string, string>>;
  /** The background of the terminal is white. */
  readonly isLight?: boolean;
  /** Below the home directory. */
  readonly own?: Readonly<Record<string, string>>;
  /** What a web server on this machine answers with. */
  readonly page?: string;
  readonly replies: readonly Reply[];
  readonly play: readonly Step[];
}

const PROMPT = /\n> $/;
const SHELL = /\$ $/;
const REPL: Step = ['ollm repl --name greeting', PROMPT];
const YES = /\[y\]es/;
/** These words, and the prompt after them. */
const ends = (words: string) => new RegExp(`${RegExp.escape(words)}[\\s\\S]*\\n> $`);
const DONE: Reply = {
  text: '**Done.** `greet("Ada")` now says:\n\n| before | after |\n|---|---|\n| hi Ada | Good day, Ada |\n\nNothing else uses the old words.',
};
const POLITE: Reply = { text: 'One line in `src/greet.ts` greets people. I will make it polite.', call: EDIT };

type Progress = 'pending' | 'in_progress' | 'completed';

const SCENES: Readonly<Record<string, Scene>> = {
  session: {
    label: 'A session with ollm: a model edits a file after a question, and the session is checked',
    replies: [POLITE, DONE],
    play: [
      [...REPL, 700],
      ['Make greet() polite', YES, 2200],
      [['y'], ends('old words.'), 2500],
      ['/quit', /is kept[\s\S]*\$ $/],
      ['ollm audit greeting | head -4', /head -4\n[\s\S]*\$ $/, 800],
      ['ollm verify greeting', /greeting: [\s\S]*\$ $/],
    ],
  },
  typing: {
    label:
      'A menu of commands below the line while a slash is typed, a list to choose from, and a search of earlier input',
    replies: [{ text: 'It greets people by their name.' }],
    play: [
      REPL,
      ['What does greet() do?', ends('by their name.')],
      [['/'], 1500],
      [['t', 'o'], 1200],
      [['\x7f', '\x7f', DOWN], /Which command\?/],
      [['usage'], 1200],
      [['\r'], /> \/usage/],
      [['\r'], ends('answered'), 1200],
      [[CTRL_R], /Earlier input/],
      [['greet'], 1500],
      [['\r'], /> What does greet\(\) do\?$/],
    ],
  },
  queue: {
    label: 'A message that is typed while the answer arrives is queued, taken back, changed, and given to the turn',
    replies: [
      {
        text: `${'I look at the file first, and at all that calls it. '.repeat(6)}`,
        call: { name: 'list_files', arguments: { path: 'src' } },
      },
      { text: 'You said it: in French, then. `greet("Ada")` will say *Bonjour, Ada*.' },
      { text: 'There are no tests of it yet.' },
    ],
    play: [
      REPL,
      ['Make greet() polite', /I look at/],
      [['and are there test', '\r'], /1 and are there test/, 500],
      [[UP, 's', '?', '\r'], /1 and are there tests\?/],
      [['in French please', CTRL_S], /↳ in French/],
      [[], ends('no tests of it')],
    ],
  },
  resume: {
    label: 'The list of sessions, filtered by what is typed; the one that is chosen shows its last exchange',
    replies: [
      { text: 'It greets people by their name.' },
      {
        text: 'A **halyard** hoists a sail:\n\n1. it runs up the mast,\n2. through a block,\n3. and down again to the deck.',
      },
    ],
    play: [
      ['ollm ask --quiet --provider ollama --name greeting "What does greet() do?"', /by their name\.\n[\s\S]*\$ $/],
      ['ollm ask --quiet --provider ollama --name sails "What is a halyard?"', /to the deck\.\n[\s\S]*\$ $/],
      ['ollm --resume', /Which session\? 2/, 1500],
      [[DOWN], 800],
      [['halyard'], /Which session\? 1/, 1200],
      [['\r'], ends('to the deck')],
    ],
  },
  undo: {
    label: 'What a tool changed is put back by /undo, after the difference is shown; Shift+Tab changes the mode',
    replies: [POLITE, DONE],
    play: [
      REPL,
      [[SHIFT_TAB], 1200],
      [[SHIFT_TAB], /edits/, 1200],
      ['Make greet() polite', ends('old words.'), 1200],
      ['/undo', /Put it back\?/, 1500],
      [['y'], ends('restored')],
    ],
  },
  modes: {
    label: 'Commands that only read run unasked; in the mode plan a change is denied, in edits it is made',
    replies: [
      {
        text: '',
        call: { name: 'bash', arguments: { command: 'git status --short; grep -n hi src/greet.ts | head' } },
      },
      { text: 'It says `hi`. I will change that.', call: EDIT },
      { text: 'In plan mode I only say it: replace `hi` by `Good day,` in line 2.' },
      { text: '', call: EDIT },
      DONE,
    ],
    play: [
      ['ollm repl --mode plan --name greeting', PROMPT, 900],
      ['Make greet() polite', ends('in line 2.'), 1800],
      [[SHIFT_TAB], ends('Mode edits'), 900],
      ['Do it', ends('old words.')],
    ],
  },
  phases: {
    label: 'The bottom line says what happens: waiting, another attempt, writing, the arguments of a call',
    replies: [
      { text: '', isBusy: true },
      { text: '', isBusy: true },
      { text: `${'I look at the file first, and at all that calls it. '.repeat(3)}`, call: EDIT },
      DONE,
    ],
    play: [REPL, ['Make greet() polite', YES, 1500], [['y'], ends('old words.')]],
  },
  code: {
    label: 'Code in colors, a task list, a table; /history shows a message whole',
    replies: [
      {
        text: 'A polite version:\n\n```ts\nexport function greet(name: string): string {\n  // By name, and without an abbreviation.\n  return "Good day, " + name;\n}\n```\n\n- [x] greet\n- [ ] its tests\n\n| name | greeting |\n|---|---|\n| Ada | Good day, Ada |',
      },
    ],
    play: [
      REPL,
      ['Show me a polite greet()', ends('Good day, Ada'), 2500],
      ['/history', ends('model: A polite'), 1200],
      ['/history 5', ends('/history 5')],
    ],
  },
  auto: {
    label: 'In the mode auto programs run unasked, only in the sandbox; what is dangerous is asked about',
    replies: [
      { text: 'I run it first.', call: { name: 'bash', arguments: { command: 'cp src/greet.ts old.ts && ls' } } },
      { text: 'And now it goes.', call: { name: 'bash', arguments: { command: 'rm -rf src' } } },
      { text: 'Then it stays.' },
    ],
    play: [
      REPL,
      ['/mode auto', ends('Mode auto'), 1500],
      ['Move greet() to another file', YES, 2500],
      [['n'], 900],
      [['\r'], ends('Then it stays.')],
    ],
  },
  history: {
    label: 'The messages of a session, those with a word, and one of them whole',
    replies: [
      { text: 'It greets people by their name.' },
      { text: '1. its words: `hi`\n2. its name, which is **short**\n\n> Good day is longer, and polite.' },
    ],
    play: [
      REPL,
      ['What does greet() do?', ends('by their name.')],
      ['What would you change?', ends('and polite.')],
      ['/history', /\/history\n[\s\S]*\n> $/, 2000],
      ['/history polite', /\/history polite\n[\s\S]*\n> $/, 2000],
      ['/history 9', /\/history 9\n[\s\S]*\n> $/],
    ],
  },
  light: {
    label: 'A terminal with a white background: its colors are darker ones',
    isLight: true,
    own: { '.ollm/config.yaml': 'repl: {theme: light}\n' },
    replies: [
      {
        text: 'A polite version:\n\n```ts\nexport function greet(name: string): string {\n  // By name.\n  return "Good day, " + name;\n}\n```\n\n- [x] greet\n- [ ] its tests',
      },
      POLITE,
      DONE,
    ],
    play: [
      REPL,
      ['Show me a polite greet()', ends('its tests'), 2500],
      ['Write it', YES, 2500],
      [['y'], ends('old words.')],
    ],
  },
  notice: {
    label: 'The end of a long turn is told on the desktop',
    own: { '.ollm/config.yaml': 'repl: {notify: osc9, bellAfterSeconds: 3}\n' },
    replies: [{ text: 'I look at it, and at all that calls it. '.repeat(7) }],
    play: [REPL, ['What calls greet()?', /calls it\.\s+\n[\s\S]*\n> $/, 2500]],
  },
  resize: {
    label: 'The window becomes narrow and wide again while an answer arrives, and at a long line',
    replies: [
      {
        text: `A table, and some words:\n\n| before | after |\n|---|---|\n| hi Ada | Good day, Ada |\n\n${'I look at the file first, and at all that calls it. '.repeat(5)}`,
      },
    ],
    play: [
      REPL,
      ['Make greet() polite', /I look at/],
      [{ columns: 50 }, /calls it\.\s+\n[\s\S]*\n> $/, 1200],
      [['and write a test for it that fails where the name is empty'], 800],
      [{ columns: 84 }, 1500],
      [{ columns: 40 }, 2000],
    ],
  },
  files: {
    label: 'A file is found by some letters of its path; the text that a tool would write is changed in an editor',
    files: { 'lib/one/mast.ts': '', 'lib/two/mast-hull.ts': '', 'docs/garden.md': '' },
    own: { 'editor.sh': '#!/bin/sh\nsed -i "s/Good day/Good evening/" "$1"\n' },
    replies: [
      {
        text: '',
        call: { name: 'file_write', arguments: { path: 'notes.md', content: 'Good day, mast.\n' } },
      },
      { text: 'Written, as you changed it.' },
    ],
    play: [
      REPL,
      [['Take notes on @mast', '\t'], /Which file\? 2/, 1500],
      [[' hull', '\r'], /> Take notes on @lib\/two\/mast-hull\.ts/, 800],
      [['\r'], /\[e\]dit/, 2000],
      [['e'], /Good evening[\s\S]*\[y\]es/, 1500],
      [['y'], ends('changed it.')],
    ],
  },
  commands: {
    label: 'A command of one’s own, and a skill that the model reads and follows',
    own: {
      '.ollm/commands/review.md': '---\ndescription: Reviews a file\n---\nReview $1 for mistakes, and be brief.',
      '.ollm/skills/reviews/SKILL.md': '---\ndescription: How reviews are written here\n---\nName the line first.',
    },
    replies: [
      { text: '', call: { name: 'skill_read', arguments: { name: 'reviews' } } },
      { text: 'Line 2: the greeting is not polite. Nothing else.' },
    ],
    play: [
      REPL,
      ['/skills', ends('offered)'), 1500],
      [['/rev'], 1500],
      [['iew src/greet.ts', '\r'], ends('Nothing else.')],
    ],
  },
  vi: {
    label: 'Keys of vi in the line, and an answer of the search without any model',
    files: { 'README.md': '# Greeter\n\nThe greeting is made in one place, src/greet.ts, and nowhere else.\n' },
    own: { '.ollm/config.yaml': 'repl: {keys: vi}\n' },
    replies: [{ text: '' }],
    play: [
      ['ollm repl --provider offline --name greeting', PROMPT],
      [['Where is the fish made?'], 700],
      [['\x1b'], 900],
      [['0'], 500],
      [['3', 'w'], 700],
      [['c', 'w'], 500],
      [['greeting'], 900],
      [['\r'], ends('one place')],
    ],
  },
  trust: {
    label: 'The project brings an AGENTS.md: it is shown, and asked about once',
    files: { 'AGENTS.md': '# Working here\n\n- Two spaces, single quotes.\n- Run `npm test` after each change.\n' },
    replies: [{ text: 'Two spaces and single quotes, as AGENTS.md says.' }],
    play: [
      ['ollm repl --name greeting', YES, 2000],
      [['y'], PROMPT],
      ['How is code written here?', ends('AGENTS.md says.')],
      ['/context', /\/context[\s\S]*AGENTS\.md[\s\S]*\n> $/],
    ],
  },
  todo: {
    label: 'The list of what is to do, at each change; the bottom line names what is being done; /todo shows the list',
    own: { '.ollm/config.yaml': 'tools: {allow: [file_edit]}\n' },
    replies: [
      { text: 'Three steps.', call: todos('in_progress', 'pending', 'pending') },
      { text: '', call: { name: 'search_files', arguments: { query: 'greet' } } },
      { text: '', call: todos('completed', 'in_progress', 'pending') },
      { text: '', call: EDIT },
      { text: '', call: todos('completed', 'completed', 'in_progress') },
      { text: '`greet("Ada")` says *Good day, Ada* now. The next step is a test of it.' },
    ],
    play: [REPL, ['Make greet() polite, and test it', ends('test of it.'), 2500], ['/todo', /\/todo\n[\s\S]*\n> $/]],
  },
  agent: {
    label: 'An agent does a task in a session of its own: what it does at the bottom, its answer, and what it used',
    files: { 'src/door.ts': "import { greet } from './greet.ts';\n\nexport const door = greet('Ada');\n" },
    replies: [
      {
        text: 'I have the callers looked for first.',
        call: { name: 'agent', arguments: { task: 'Find each call of greet(). Answer with path:line.' } },
      },
      { text: '', call: { name: 'search_files', arguments: { query: 'greet(' } } },
      { text: '', call: { name: 'file_read', arguments: { path: 'src/door.ts' } } },
      { text: 'One call: `src/door.ts:3`, with the name *Ada*. There are no tests that call it.' },
      { text: '`greet()` is called once, in `src/door.ts`, so its words are safe to change.' },
    ],
    play: [
      REPL,
      ['Is it safe to change the words of greet()?', ends('safe to change.'), 2500],
      ['/usage', /\/usage\n[\s\S]*\n> $/],
    ],
  },
  web: {
    label: 'A page of the web is asked about by its host, and read as text',
    page: WEB_PAGE,
    own: { '.ollm/config.yaml': `tools: {web: {privateHosts: ["${WEB_HOST}"]}}\n` },
    replies: [
      {
        text: 'I read the guide first.',
        call: { name: 'web_fetch', arguments: { url: `http://${WEB_HOST}/guide/greetings` } },
      },
      { text: 'The guide has three greetings: *Good morning*, *Good afternoon* and *Good evening*.' },
    ],
    play: [
      REPL,
      [`What does http://${WEB_HOST}/guide/greetings say?`, YES, 2500],
      [['y'], ends('Good evening.'), 1500],
      ['/output', /\/output\n[\s\S]*\n> $/],
    ],
  },
};

const wanted = process.argv.slice(2);
for (const [name, scene] of Object.entries(SCENES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const folder = mkdtempSync(join(tmpdir(), 'ollm-recording-'));
  const model = startModel(scene.replies);
  const web = scene.page === undefined ? undefined : startWeb(scene.page);
  try {
    writeFileSync(join(ROOT, 'docs', 'recording', `${name}.svg`), await record(scene, folder, await model.port));
  } finally {
    model.close();
    web?.close();
    // What ran there may still be ending.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Writes the list of three steps. */
function todos(...progress: readonly Progress[]): NonNullable<Reply['call']> {
  const steps = ['Find the callers of greet()', 'Change its words', 'Write a test of it'];
  return {
    name: 'todo_write',
    arguments: { todos: steps.map((content, index) => ({ content, status: progress[index] })) },
  };
}

async function record(
  { label, files = {}, own = {}, isLight, play }: Scene,
  folder: string,
  port: number,
): Promise<string> {
  const project = join(folder, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: path.endsWith('.sh') ? 0o755 : 0o600 });
  };
  for (const [path, content] of Object.entries({ 'src/greet.ts': GREET, ...files }))
    write(join(project, path), content);
  for (const [path, content] of Object.entries(own)) write(join(folder, path), content);
  writeFileSync(join(folder, 'rc'), `PS1='$ '\nollm() { '${process.execPath}' '${ROOT}/bin/ollm.js' "$@"; }\n`);
  const shell = pty.spawn('bash', ['--noprofile', '--rcfile', join(folder, 'rc'), '-i'], {
    cols: SIZE.columns,
    rows: SIZE.rows,
    cwd: project,
    env: {
      TERM: 'xterm-256color',
      PATH: process.env.PATH,
      HOME: folder,
      EDITOR: join(folder, 'editor.sh'),
      OLLAMA_HOST: `http://127.0.0.1:${port}`,
    },
  });
  const recorder = createRecorder(SIZE);
  shell.onData((text) => recorder.write(text.replaceAll(folder, '/home/me').replaceAll(`:${port};`, ':11434;')));
  const press = async (keys: Iterable<string>) => {
    for (const key of keys) {
      shell.write(key);
      await setTimeout(KEY_MS);
    }
  };
  await shows(recorder, SHELL);
  for (const [input, ...after] of play) {
    if (typeof input === 'string') {
      await press(input);
      await setTimeout(300);
      shell.write('\r');
    } else if ('columns' in input) {
      recorder.resize(input.columns);
      shell.resize(input.columns, SIZE.rows);
    } else for (const keys of input) await press(keys.startsWith('\x1b') ? [keys] : keys);
    for (const each of after) await (typeof each === 'number' ? setTimeout(each) : shows(recorder, each));
  }
  await setTimeout(3500);
  recorder.write('');
  shell.kill('SIGKILL');
  return recorder.toSvg(label, { isLight });
}

async function shows(recorder: Recorder, pattern: RegExp): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!pattern.test(recorder.text())) {
    if (performance.now() > deadline) throw new Error(`It never came to ${pattern}:\n${recorder.text()}`);
    await setTimeout(20);
  }
}

/** An Ollama that answers word by word. */
function startModel(replies: readonly Reply[]) {
  let asked = 0;
  const json = (response: ServerResponse, value: object) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    if (request.url === '/api/tags') return json(response, { models: [{ name: 'qwen3:8b', size: 1 }] });
    if (request.url !== '/api/chat') {
      const model_info = { 'general.architecture': 'qwen3', 'qwen3.context_length': 32_768 };
      return json(response, { model_info, capabilities: ['completion', 'tools'] });
    }
    const reply = replies[Math.min(asked++, replies.length - 1)]!;
    if (reply.isBusy) {
      response.statusCode = 503;
      return json(response, { error: 'server busy' });
    }
    const line = (value: object) => response.write(`${JSON.stringify(value)}\n`);
    response.setHeader('content-type', 'application/x-ndjson');
    await setTimeout(900);
    for (const content of reply.text.match(/\s*\S+/g) ?? []) {
      line({ message: { role: 'assistant', content }, done: false });
      await setTimeout(WORD_MS);
    }
    const tool_calls = reply.call === undefined ? {} : { tool_calls: [{ function: reply.call }] };
    line({ message: { role: 'assistant', content: '', ...tool_calls }, done: false });
    line({
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 1900,
      eval_count: 70,
    });
    response.end();
  });
  const port = new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  return { port, close: () => server.close() };
}

function startWeb(page: string) {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page));
  return server.listen(Number(WEB_HOST.split(':')[1]), '127.0.0.1');
}
