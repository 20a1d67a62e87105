// Texts of a session, a file name or a variable reach the terminal only as text, whichever command shows them: on a
// real pseudo-terminal nothing arrives that sets titles or the clipboard, makes links, moves the cursor, reorders or
// hides.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';
import { createTree, type Tree } from '../../support/tree.ts';

const HOSTILE = [
  '\u001b]0;EVIL\u0007', // the title of the window
  '\u001b]52;c;RVZJTA==\u0007', // the clipboard
  '\u001b]8;;http://evil.example\u0007here\u001b]8;;\u0007', // a link that says something else
  '\u001b[2J\u001b[1A', // what was on the screen
  '\u009b2J', // the same in one byte
  '\u202eEVIL\u200b\u2060', // order, and what has no width
].join(' EVIL ');
const TRACES = /\u001b\](?:0|8|52);|\u001b\[2J|\u001b\[1A|[\u0080-\u009f\u200b\u202a-\u202e\u2060-\u2069]/u;

let home: Home;
let project: Tree;

beforeAll(async () => {
  home = createHome();
  project = createTree({ 'a.txt': '' });
  writeFileSync(join(project.root, `file ${HOSTILE.replaceAll('/', '')}`), '');
  const text = { type: 'text', text: HOSTILE };
  const tokens = { count: 9, method: 'estimated' };
  await home.append('hostile', [
    { type: 'session.titled', data: { title: HOSTILE, by: 'user' } },
    { type: 'message.added', data: { role: 'user', parts: [text], tokens, trusted: true } },
    { type: 'message.added', data: { role: 'assistant', parts: [text], tokens, trusted: false } },
    { type: 'any.kind', data: { [HOSTILE]: [HOSTILE] } },
    { type: 'tool.requested', data: { callId: `c ${HOSTILE}`, name: `bash${HOSTILE}`, args: { command: HOSTILE } } },
    {
      type: 'tool.finished',
      data: {
        callId: `c ${HOSTILE}`,
        status: 'ok',
        result: { llmContent: HOSTILE },
        tokens,
        durationMs: 1,
        trusted: false,
      },
    },
  ]);
});
afterAll(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

it.each([
  ['list'],
  ['list --json'],
  ['show hostile'],
  ['show hostile --json'],
  ['tail hostile'],
  ['tail hostile --json'],
  ['audit hostile'],
  ['audit hostile --json'],
  ['replay hostile'],
  ['export hostile'],
  ['export hostile --format html'],
  ['export hostile --format json'],
  ['export hostile --format jsonl'],
  ['files'],
  ['files --json'],
  ['env'],
  ['env --explain'],
])('ollm %s', async (line) => {
  const terminal = openTerminal(process.execPath, [OLLM, ...line.split(' ')], {
    cwd: project.root,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home.path,
      OLLM_HOME: home.path,
      SAYING: HOSTILE,
      [`N ${HOSTILE}`]: 'x',
    },
  });
  await terminal.exit;
  const said = terminal.raw();
  expect(said).toMatch(/EVIL|hostile|a\.txt/);
  expect(said.match(TRACES)).toBeNull();
});

it('JSON in a pipe is the stored line, byte for byte', async () => {
  const { stdout } = await home.run(['tail', 'hostile', '--json', '-n', 'all']);
  expect(stdout).toContain('\u009b2J');
});
