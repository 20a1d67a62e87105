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

/** The hands and the eyes of a scene. */
interface Stage {
  /** Types a text and enters it. */
  enter(text: string): Promise<void>;
  /** Types keys, and does not enter them. */
  press(...keys: readonly string[]): Promise<void>;
  /** Waits until the screen shows this. */
  shows(pattern: RegExp): Promise<void>;
  /** Changes the width of the window. */
  resize(columns: number): void;
  /** Lets the reader look. */
  pause(ms: number): Promise<void>;
}

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
  readonly play: (stage: Stage) => Promise<void>;
}

const PROMPT = /\n> $/;
const SHELL = /\$ $/;
const DONE: Reply = {
  text: '**Done.** `greet("Ada")` now says:\n\n| before | after |\n|---|---|\n| hi Ada | Good day, Ada |\n\nNothing else uses the old words.',
};
const POLITE: Reply = { text: 'One line in `src/greet.ts` greets people. I will make it polite.', call: EDIT };

type Progress = 'pending' | 'in_progress' | 'completed';

const SCENES: Readonly<Record<string, Scene>> = {
  session: {
    label: 'A session with ollm: a model edits a file after a question, and the session is checked',
    replies: [POLITE, DONE],
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await pause(700);
      await enter('Make greet() polite');
      await shows(/\[y\]es/);
      await pause(2200);
      await press('y');
      await shows(/old words\.[\s\S]*\n> $/);
      await pause(2500);
      await enter('/quit');
      await shows(/is kept[\s\S]*\$ $/);
      await enter('ollm audit greeting | head -4');
      await shows(/head -4\n[\s\S]*\$ $/);
      await pause(800);
      await enter('ollm verify greeting');
      await shows(/greeting: [\s\S]*\$ $/);
    },
  },
  typing: {
    label:
      'A menu of commands below the line while a slash is typed, a list to choose from, and a search of earlier input',
    replies: [{ text: 'It greets people by their name.' }],
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('What does greet() do?');
      await shows(/by their name\.[\s\S]*\n> $/);
      await press('/');
      await pause(1500);
      await press('t', 'o');
      await pause(1200);
      await press('\x7f', '\x7f', DOWN);
      await shows(/Which command\?/);
      await press(...'usage');
      await pause(1200);
      await press('\r');
      await shows(/> \/usage/);
      await press('\r');
      await shows(/answered[\s\S]*\n> $/);
      await pause(1200);
      await press(CTRL_R);
      await shows(/Earlier input/);
      await press(...'greet');
      await pause(1500);
      await press('\r');
      await shows(/> What does greet\(\) do\?$/);
    },
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
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('Make greet() polite');
      await shows(/I look at/);
      await press(...'and are there test');
      await press('\r');
      await shows(/1 and are there test/);
      await pause(500);
      await press(UP);
      await press('s', '?', '\r');
      await shows(/1 and are there tests\?/);
      await press(...'in French please', CTRL_S);
      await shows(/↳ in French/);
      await shows(/no tests of it[\s\S]*\n> $/);
    },
  },
  resume: {
    label: 'The list of sessions, filtered by what is typed; the one that is chosen shows its last exchange',
    replies: [
      { text: 'It greets people by their name.' },
      {
        text: 'A **halyard** hoists a sail:\n\n1. it runs up the mast,\n2. through a block,\n3. and down again to the deck.',
      },
    ],
    async play({ enter, press, shows, pause }) {
      await enter('ollm ask --quiet --provider ollama --name greeting "What does greet() do?"');
      await shows(/by their name\.\n[\s\S]*\$ $/);
      await enter('ollm ask --quiet --provider ollama --name sails "What is a halyard?"');
      await shows(/to the deck\.\n[\s\S]*\$ $/);
      await enter('ollm --resume');
      await shows(/Which session\? 2/);
      await pause(1500);
      await press(DOWN);
      await pause(800);
      await press(...'halyard');
      await shows(/Which session\? 1/);
      await pause(1200);
      await press('\r');
      await shows(/to the deck[\s\S]*\n> $/);
    },
  },
  undo: {
    label: 'What a tool changed is put back by /undo, after the difference is shown; Shift+Tab changes the mode',
    replies: [POLITE, DONE],
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await press(SHIFT_TAB);
      await pause(1200);
      await press(SHIFT_TAB);
      await shows(/edits/);
      await pause(1200);
      await enter('Make greet() polite');
      await shows(/old words\.[\s\S]*\n> $/);
      await pause(1200);
      await enter('/undo');
      await shows(/Put it back\?/);
      await pause(1500);
      await press('y');
      await shows(/restored[\s\S]*\n> $/);
    },
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
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --mode plan --name greeting');
      await shows(PROMPT);
      await pause(900);
      await enter('Make greet() polite');
      await shows(/in line 2\.[\s\S]*\n> $/);
      await pause(1800);
      await press(SHIFT_TAB);
      await shows(/Mode edits[\s\S]*\n> $/);
      await pause(900);
      await enter('Do it');
      await shows(/old words\.[\s\S]*\n> $/);
    },
  },
  phases: {
    label: 'The bottom line says what happens: waiting, another attempt, writing, the arguments of a call',
    replies: [
      { text: '', isBusy: true },
      { text: '', isBusy: true },
      { text: `${'I look at the file first, and at all that calls it. '.repeat(3)}`, call: EDIT },
      DONE,
    ],
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('Make greet() polite');
      await shows(/\[y\]es/);
      await pause(1500);
      await press('y');
      await shows(/old words\.[\s\S]*\n> $/);
    },
  },
  code: {
    label: 'Code in colors, a task list, a table; /history shows a message whole',
    replies: [
      {
        text: 'A polite version:\n\n```ts\nexport function greet(name: string): string {\n  // By name, and without an abbreviation.\n  return "Good day, " + name;\n}\n```\n\n- [x] greet\n- [ ] its tests\n\n| name | greeting |\n|---|---|\n| Ada | Good day, Ada |',
      },
    ],
    async play({ enter, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('Show me a polite greet()');
      await shows(/Good day, Ada[\s\S]*\n> $/);
      await pause(2500);
      await enter('/history');
      await shows(/model: A polite[\s\S]*\n> $/);
      await pause(1200);
      await enter('/history 5');
      await shows(/\/history 5[\s\S]*\n> $/);
    },
  },
  auto: {
    label: 'In the mode auto programs run unasked, only in the sandbox; what is dangerous is asked about',
    replies: [
      { text: 'I run it first.', call: { name: 'bash', arguments: { command: 'cp src/greet.ts old.ts && ls' } } },
      { text: 'And now it goes.', call: { name: 'bash', arguments: { command: 'rm -rf src' } } },
      { text: 'Then it stays.' },
    ],
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('/mode auto');
      await shows(/Mode auto[\s\S]*\n> $/);
      await pause(1500);
      await enter('Move greet() to another file');
      await shows(/\[y\]es/);
      await pause(2500);
      await press('n');
      await pause(900);
      await press('\r');
      await shows(/Then it stays\.[\s\S]*\n> $/);
    },
  },
  history: {
    label: 'The messages of a session, those with a word, and one of them whole',
    replies: [
      { text: 'It greets people by their name.' },
      { text: '1. its words: `hi`\n2. its name, which is **short**\n\n> Good day is longer, and polite.' },
    ],
    async play({ enter, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('What does greet() do?');
      await shows(/by their name\.[\s\S]*\n> $/);
      await enter('What would you change?');
      await shows(/and polite\.[\s\S]*\n> $/);
      await enter('/history');
      await shows(/\/history\n[\s\S]*\n> $/);
      await pause(2000);
      await enter('/history polite');
      await shows(/\/history polite\n[\s\S]*\n> $/);
      await pause(2000);
      await enter('/history 9');
      await shows(/\/history 9\n[\s\S]*\n> $/);
    },
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
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('Show me a polite greet()');
      await shows(/its tests[\s\S]*\n> $/);
      await pause(2500);
      await enter('Write it');
      await shows(/\[y\]es/);
      await pause(2500);
      await press('y');
      await shows(/old words\.[\s\S]*\n> $/);
    },
  },
  notice: {
    label: 'The end of a long turn is told on the desktop',
    own: { '.ollm/config.yaml': 'repl: {notify: osc9, bellAfterSeconds: 3}\n' },
    replies: [{ text: 'I look at it, and at all that calls it. '.repeat(7) }],
    async play({ enter, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('What calls greet()?');
      await shows(/calls it\.\s+\n[\s\S]*\n> $/);
      await pause(2500);
    },
  },
  resize: {
    label: 'The window becomes narrow and wide again while an answer arrives, and at a long line',
    replies: [
      {
        text: `A table, and some words:\n\n| before | after |\n|---|---|\n| hi Ada | Good day, Ada |\n\n${'I look at the file first, and at all that calls it. '.repeat(5)}`,
      },
    ],
    async play({ enter, press, resize, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('Make greet() polite');
      await shows(/I look at/);
      resize(50);
      await shows(/calls it\.\s+\n[\s\S]*\n> $/);
      await pause(1200);
      await press(...'and write a test for it that fails where the name is empty');
      await pause(800);
      resize(84);
      await pause(1500);
      resize(40);
      await pause(2000);
    },
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
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await press(...'Take notes on @mast', '\t');
      await shows(/Which file\? 2/);
      await pause(1500);
      await press(...' hull', '\r');
      await shows(/> Take notes on @lib\/two\/mast-hull\.ts/);
      await pause(800);
      await press('\r');
      await shows(/\[e\]dit/);
      await pause(2000);
      await press('e');
      await shows(/Good evening[\s\S]*\[y\]es/);
      await pause(1500);
      await press('y');
      await shows(/changed it\.[\s\S]*\n> $/);
    },
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
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('/skills');
      await shows(/offered\)[\s\S]*\n> $/);
      await pause(1500);
      await press(...'/rev');
      await pause(1500);
      await press(...'iew src/greet.ts', '\r');
      await shows(/Nothing else\.[\s\S]*\n> $/);
    },
  },
  vi: {
    label: 'Keys of vi in the line, and an answer of the search without any model',
    files: { 'README.md': '# Greeter\n\nThe greeting is made in one place, src/greet.ts, and nowhere else.\n' },
    own: { '.ollm/config.yaml': 'repl: {keys: vi}\n' },
    replies: [{ text: '' }],
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --provider offline --name greeting');
      await shows(PROMPT);
      await press(...'Where is the fish made?');
      await pause(700);
      await press('\x1b');
      await pause(900);
      await press('0');
      await pause(500);
      await press('3', 'w');
      await pause(700);
      await press('c', 'w');
      await pause(500);
      await press(...'greeting');
      await pause(900);
      await press('\r');
      await shows(/one place[\s\S]*\n> $/);
    },
  },
  trust: {
    label: 'The project brings an AGENTS.md: it is shown, and asked about once',
    files: { 'AGENTS.md': '# Working here\n\n- Two spaces, single quotes.\n- Run `npm test` after each change.\n' },
    replies: [{ text: 'Two spaces and single quotes, as AGENTS.md says.' }],
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(/\[y\]es/);
      await pause(2000);
      await press('y');
      await shows(PROMPT);
      await enter('How is code written here?');
      await shows(/AGENTS\.md says\.[\s\S]*\n> $/);
      await enter('/context');
      await shows(/\/context[\s\S]*AGENTS\.md[\s\S]*\n> $/);
    },
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
    async play({ enter, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('Make greet() polite, and test it');
      await shows(/test of it\.[\s\S]*\n> $/);
      await pause(2500);
      await enter('/todo');
      await shows(/\/todo\n[\s\S]*\n> $/);
    },
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
    async play({ enter, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter('Is it safe to change the words of greet()?');
      await shows(/safe to change\.[\s\S]*\n> $/);
      await pause(2500);
      await enter('/usage');
      await shows(/\/usage\n[\s\S]*\n> $/);
    },
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
    async play({ enter, press, shows, pause }) {
      await enter('ollm repl --name greeting');
      await shows(PROMPT);
      await enter(`What does http://${WEB_HOST}/guide/greetings say?`);
      await shows(/\[y\]es/);
      await pause(2500);
      await press('y');
      await shows(/Good evening\.[\s\S]*\n> $/);
      await pause(1500);
      await enter('/output');
      await shows(/\/output\n[\s\S]*\n> $/);
    },
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
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      shell.write(key);
      await setTimeout(KEY_MS);
    }
  };
  const enter = async (text: string) => {
    await press(...text);
    await setTimeout(300);
    shell.write('\r');
  };
  const resize = (columns: number) => {
    recorder.resize(columns);
    shell.resize(columns, SIZE.rows);
  };
  const stage = { enter, press, resize, shows: (pattern: RegExp) => shows(recorder, pattern) };
  await stage.shows(SHELL);
  await play({ ...stage, pause: (ms) => setTimeout(ms) });
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
