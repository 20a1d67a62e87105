// The scenes of the recordings, as data: words of the model, keys of the user, and patterns that the screen shows then.

interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

/** The model's words to one request, and the call after them; or it is too busy this time. */
export type Reply = { readonly text: string; readonly call?: ToolCall } | 'busy';

/**
 * A text that is entered, keys that are pressed, or a new width of the window; then, in order, patterns that the screen
 * comes to show and pauses for the reader, in milliseconds.
 */
export type Step = readonly [
  input: string | readonly string[] | { readonly columns: number },
  ...after: (RegExp | number)[],
];

export interface Scene {
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

const [UP, DOWN, SHIFT_TAB] = ['\x1b[A', '\x1b[B', '\x1b[Z'] as const;
const [CTRL_R, CTRL_S] = ['\x12', '\x13'] as const;
const YES = /\[y\]es/;
const PROMPT = /\n> $/;
const REPL: Step = ['ollm repl --name greeting', PROMPT];

/** For the web server: the same in each recording. */
export const WEB_HOST = '127.0.0.1:8080';
const WEB_PAGE = `<!doctype html><title>How to greet</title><nav>Home | Search</nav>
<h1>Greetings by the hour</h1><p>A greeting names the time of day:</p>
<ul><li>Good morning, until noon</li><li>Good afternoon, until six</li><li>Good evening, after that</li></ul>
<script>menu()</script>`;

/** These words, and the prompt after them. */
const ends = (words: string) => new RegExp(`${RegExp.escape(words)}[\\s\\S]*\\n> $`);
/** A command that was entered, all that it prints, and the prompt after it. */
const printed = (command: string) => ends(`${command}\n`);
/** A command whose answer begins below its line and is there as soon as the prompt is. */
const entered = (command: string, ...pauses: number[]): Step => [command, printed(command), ...pauses];
const says = (text: string): Reply => ({ text });
const calls = (name: string, parameters: object, text = ''): Reply => ({ text, call: { name, arguments: parameters } });
const edits = (text = '') =>
  calls('file_edit', { path: 'src/greet.ts', old_string: "return 'hi '", new_string: "return 'Good day, '" }, text);
/** Writes the list of three steps. */
const plans = (progress: string, text = '') => {
  const steps = ['Find the callers of greet()', 'Change its words', 'Write a test of it'];
  const todos = steps.map((content, index) => ({ content, status: progress.split(' ')[index] }));
  return calls('todo_write', { todos }, text);
};

const NAMES = says('It greets people by their name.');
const LOOK = 'I look at the file first, and at all that calls it. ';
const POLITE = edits('One line in `src/greet.ts` greets people. I will make it polite.');
const DONE = says(
  '**Done.** `greet("Ada")` now says:\n\n| before | after |\n|---|---|\n| hi Ada | Good day, Ada |\n\nNothing else uses the old words.',
);
const POLITELY: readonly Step[] = [
  ['Make greet() polite', YES, 2200],
  [['y'], ends('old words.'), 2500],
];

export const SCENES: Readonly<Record<string, Scene>> = {
  session: {
    label: 'A session with ollm: a model edits a file after a question, and the session is checked',
    replies: [POLITE, DONE],
    play: [
      [...REPL, 700],
      ...POLITELY,
      ['/quit', /is kept[\s\S]*\$ $/],
      ['ollm audit greeting | head -4', /head -4\n[\s\S]*\$ $/, 800],
      ['ollm verify greeting', /greeting: [\s\S]*\$ $/],
    ],
  },
  typing: {
    label:
      'A menu of commands below the line while a slash is typed, a list to choose from, and a search of earlier input',
    replies: [NAMES],
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
      calls('list_files', { path: 'src' }, LOOK.repeat(6)),
      says('You said it: in French, then. `greet("Ada")` will say *Bonjour, Ada*.'),
      says('There are no tests of it yet.'),
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
      NAMES,
      says(
        'A **halyard** hoists a sail:\n\n1. it runs up the mast,\n2. through a block,\n3. and down again to the deck.',
      ),
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
      calls('bash', { command: 'git status --short; grep -n hi src/greet.ts | head' }),
      edits('It says `hi`. I will change that.'),
      says('In plan mode I only say it: replace `hi` by `Good day,` in line 2.'),
      edits(),
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
    replies: ['busy', 'busy', edits(LOOK.repeat(3)), DONE],
    play: [REPL, ['Make greet() polite', YES, 1500], [['y'], ends('old words.')]],
  },
  code: {
    label: 'Code in colors, a task list, a table; /history shows a message whole',
    replies: [
      says(
        'A polite version:\n\n```ts\nexport function greet(name: string): string {\n  // By name, and without an abbreviation.\n  return "Good day, " + name;\n}\n```\n\n- [x] greet\n- [ ] its tests\n\n| name | greeting |\n|---|---|\n| Ada | Good day, Ada |',
      ),
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
      calls('bash', { command: 'cp src/greet.ts old.ts && ls' }, 'I run it first.'),
      calls('bash', { command: 'rm -rf src' }, 'And now it goes.'),
      says('Then it stays.'),
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
    replies: [NAMES, says('1. its words: `hi`\n2. its name, which is **short**\n\n> Good day is longer, and polite.')],
    play: [
      REPL,
      ['What does greet() do?', ends('by their name.')],
      ['What would you change?', ends('and polite.')],
      entered('/history', 2000),
      entered('/history polite', 2000),
      entered('/history 9'),
    ],
  },
  light: {
    label: 'A terminal with a white background: its colors are darker ones',
    isLight: true,
    own: { '.ollm/config.yaml': 'repl: {theme: light}\n' },
    replies: [
      says(
        'A polite version:\n\n```ts\nexport function greet(name: string): string {\n  // By name.\n  return "Good day, " + name;\n}\n```\n\n- [x] greet\n- [ ] its tests',
      ),
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
    replies: [says('I look at it, and at all that calls it. '.repeat(7))],
    play: [REPL, ['What calls greet()?', /calls it\.\s+\n[\s\S]*\n> $/, 2500]],
  },
  resize: {
    label: 'The window becomes narrow and wide again while an answer arrives, and at a long line',
    replies: [
      says(
        `A table, and some words:\n\n| before | after |\n|---|---|\n| hi Ada | Good day, Ada |\n\n${LOOK.repeat(5)}`,
      ),
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
      calls('file_write', { path: 'notes.md', content: 'Good day, mast.\n' }),
      says('Written, as you changed it.'),
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
    replies: [calls('skill_read', { name: 'reviews' }), says('Line 2: the greeting is not polite. Nothing else.')],
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
    replies: [says('')],
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
    replies: [says('Two spaces and single quotes, as AGENTS.md says.')],
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
      plans('in_progress pending pending', 'Three steps.'),
      calls('search_files', { query: 'greet' }),
      plans('completed in_progress pending'),
      edits(),
      plans('completed completed in_progress'),
      says('`greet("Ada")` says *Good day, Ada* now. The next step is a test of it.'),
    ],
    play: [REPL, ['Make greet() polite, and test it', ends('test of it.'), 2500], entered('/todo')],
  },
  agent: {
    label: 'An agent does a task in a session of its own: what it does at the bottom, its answer, and what it used',
    files: { 'src/door.ts': "import { greet } from './greet.ts';\n\nexport const door = greet('Ada');\n" },
    replies: [
      calls(
        'agent',
        { task: 'Find each call of greet(). Answer with path:line.' },
        'I have the callers looked for first.',
      ),
      calls('search_files', { query: 'greet(' }),
      calls('file_read', { path: 'src/door.ts' }),
      says('One call: `src/door.ts:3`, with the name *Ada*. There are no tests that call it.'),
      says('`greet()` is called once, in `src/door.ts`, so its words are safe to change.'),
    ],
    play: [REPL, ['Is it safe to change the words of greet()?', ends('safe to change.'), 2500], entered('/usage')],
  },
  web: {
    label: 'A page of the web is asked about by its host, and read as text',
    page: WEB_PAGE,
    own: { '.ollm/config.yaml': `tools: {web: {privateHosts: ["${WEB_HOST}"]}}\n` },
    replies: [
      calls('web_fetch', { url: `http://${WEB_HOST}/guide/greetings` }, 'I read the guide first.'),
      says('The guide has three greetings: *Good morning*, *Good afternoon* and *Good evening*.'),
    ],
    play: [
      REPL,
      [`What does http://${WEB_HOST}/guide/greetings say?`, YES, 2500],
      [['y'], ends('Good evening.'), 1500],
      entered('/output'),
    ],
  },
};
