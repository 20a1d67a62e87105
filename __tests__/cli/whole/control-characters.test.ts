// No field of a journal reaches a terminal with what could move its cursor, write its clipboard or hide text. The
// journal is valid: its checksums hold. Each command prints it to a pipe and to a pseudo-terminal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainXxh64 } from '../../journal/independent-reader.ts';
import { createHome, type Home, OLLM, parseLines } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

const HOSTILE = '\u001b]52;c;cHduZWQ=\u0007\u001b[2J\u009b1;1H\u202e\nowned\r\u0000\u007f';
/** Our own colours and the line of progress, and what a pseudo-terminal makes of a line end. */
const OURS = /\u001b\[(?:0|1|2|22|3[0-79]|9[0-7])m|\r\n|\r\u001b\[K/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

let home: Home;
beforeAll(() => {
  home = createHome();
  mkdirSync(home.sessions, { recursive: true, mode: 0o700 });
  writeFileSync(home.journal('hostile'), journal(), { mode: 0o600 });
});
afterAll(() => home[Symbol.dispose]());

interface Line {
  readonly type: string;
  readonly data?: object;
  readonly turn?: number;
  readonly id?: string;
  readonly ignorable?: boolean;
}

function journal(): string {
  const x = HOSTILE;
  const call = { callId: `c${x}`, name: `bash${x}` };
  const lines: Line[] = [
    {
      type: 'session.created',
      data: { format: 1, sessionId: 'hostile', provider: `p${x}`, model: `m${x}`, ollm: `0.1.0${x}`, title: `t${x}` },
    },
    { type: 'writer.opened', data: { epoch: 1, clean: true, pid: 1, host: `h${x}`, command: `ollm ${x}` } },
    { type: 'turn.started', turn: 1, id: `i${x}`, data: { input: `hello${x}` } },
    {
      type: 'message.added',
      turn: 1,
      data: {
        role: 'user',
        parts: [{ type: 'text', text: `hello${x}` }],
        tokens: { count: 1, method: 'estimated' },
        trusted: true,
      },
    },
    { type: 'tool.requested', turn: 1, data: { ...call, args: { command: x, [x]: 1 } } },
    {
      type: 'tool.decided',
      turn: 1,
      data: { callId: call.callId, decision: `allow`, by: 'user', rule: x, reason: x, actionHash: 'a'.repeat(64) },
    },
    {
      type: 'tool.started',
      turn: 1,
      data: { callId: call.callId, command: x, cwd: x, sandbox: x, network: false, envRemoved: [x] },
    },
    {
      type: 'tool.finished',
      turn: 1,
      data: {
        callId: call.callId,
        status: 'ok',
        durationMs: 3,
        result: { llmContent: x, display: x },
        tokens: { count: 1, method: 'estimated' },
      },
    },
    {
      type: 'context.added',
      data: { key: `k${x}`, content: x, source: x, priority: 1, tokens: { count: 1, method: 'estimated' } },
    },
    { type: `evil${x}.happened`, ignorable: true, id: x, data: { [x]: x } },
    {
      type: 'turn.ended',
      turn: 1,
      data: { status: 'failed', durationMs: 1, steps: 1, error: { code: x, message: x } },
    },
    { type: 'session.titled', data: { title: `title${x}` } },
    { type: 'session.closed', data: { reason: 'exit' } },
  ];
  let prev = '0'.repeat(16);
  return lines
    .map(({ type, turn, id, ignorable, data = {} }, seq) => {
      const members = {
        seq,
        ts: new Date(1_790_000_000_000 + seq).toISOString(),
        type,
        turn,
        id,
        ignorable,
        data,
        prev,
      };
      const start = JSON.stringify(members).slice(0, -1);
      const xxh64 = plainXxh64(Buffer.from(start));
      prev = xxh64;
      return `${start},"xxh64":"${xxh64}"}\n`;
    })
    .join('');
}

const COMMANDS: readonly (readonly string[])[] = [
  ['list'],
  ['show', 'hostile'],
  ['tail', 'hostile', '-n', '50'],
  ['audit', 'hostile'],
  ['verify', 'hostile'],
  ['verify', 'hostile', '--deep'],
  ['loop', 'hostile'],
  ['replay', 'hostile'],
  ['replay', 'hostile', '--state', 'view'],
  ['export', 'hostile', '--format', 'md'],
  ['export', 'hostile', '--format', 'html'],
  ['export', 'hostile', '--format', 'json'],
  ['export', 'hostile', '--format', 'jsonl'],
  ['diff', 'hostile', 'hostile'],
  ['prune', '--dry-run'],
  ['fork', 'hostile', '--name', 'copy'],
];

it.each(COMMANDS.map((command) => [command.join(' '), command] as const))(
  '"ollm %s" shows no control character on a terminal',
  async (_, command) => {
    const { PATH = '' } = process.env;
    await using terminal = openTerminal(process.execPath, [OLLM, ...command], {
      columns: 200,
      cwd: home.path,
      env: { PATH, HOME: home.path, OLLM_HOME: home.path, FORCE_COLOR: '1' },
    });
    await terminal.exit;
    const shown = terminal.raw().replace(OURS, '');
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).not.toMatch(CONTROL);
  },
);

it.each(
  COMMANDS.filter(([name]) => !['fork', 'replay'].includes(name!)).map(
    (command) => [command.join(' '), command] as const,
  ),
)('"ollm %s" writes no control character into a pipe that people read', async (_, command) => {
  const { stdout, stderr } = await home.run(command);
  // JSON is for programs: there a character represents itself, unless it is one that JSON escapes.
  const control = /json/.test(command.join(' ')) ? /[\u0000-\u0009\u000b-\u001f]/ : CONTROL;
  expect(`${stdout}${stderr}`).not.toMatch(control);
  // A text of several lines stays one in a document, and in nothing else.
  if (command[0] !== 'export') expect(`${stdout}${stderr}`).not.toMatch(/^owned/m);
});

it('a resumed session shows no control character', async () => {
  const input = '/history\n/context\n/usage\n/tools\n/title\n/output 1\n/quit\n';
  const { stdout, stderr } = await home.run(['repl', '--resume', 'hostile', '--provider', 'offline'], { input });
  expect(stdout).toContain('hello');
  expect(`${stdout}${stderr}`).not.toMatch(CONTROL);
});

it('a name of a file cannot look like a second line, on a terminal or in a pipe', async () => {
  const root = join(home.path, 'tree');
  mkdirSync(root);
  for (const name of ['x\ny.txt', '\u001b[2J.txt', 'zwj\u200d.txt']) writeFileSync(join(root, name), '');
  const { stdout } = await home.run(['files', root, '--quiet']);
  expect(stdout).toBe('␛[2J.txt\nx␊y.txt\nzwj\u200d.txt\n');
  const records = await home.run(['files', root, '--quiet', '--json']);
  expect(parseLines(records.stdout).map(({ path }) => path)).toContain(join(root, 'x\ny.txt'));
});
