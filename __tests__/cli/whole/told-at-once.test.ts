// Every command on every kind of unusual journal: its message, its hint, and its exit code. In this process.
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { line } from '../../journal/surgery.ts';
import { openWorkshop } from '../../lab/kernel/child.ts';
import { whileMounted } from '../../lab/kernel/fault-cases.ts';
import { openStore } from '../../lab/kernel/ledger.ts';
import { describeWith } from '../../lab/kernel/needs.ts';
import { createHome, type Home, type RunResult } from '../../support/cli.ts';

let home: Home;
let pristine: string;

beforeAll(async () => {
  home = createHome();
  const said = (role: string, text: string) => ({
    type: 'message.added',
    turn: 1,
    data: { role, parts: [{ type: 'text', text }], tokens: { count: 1, method: 'unknown' }, trusted: true },
  });
  await home.append('notes', [
    { type: 'turn.started', turn: 1, data: { input: 'Where to?' } },
    said('user', 'Where to?'),
    said('assistant', 'To the hills.'),
    { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 1 } },
  ]);
  pristine = join(home.path, 'pristine');
  cpSync(home.sessions, pristine, { recursive: true });
});
afterAll(() => home[Symbol.dispose]());
beforeEach(() => {
  rmSync(home.sessions, { recursive: true, force: true });
  cpSync(pristine, home.sessions, { recursive: true });
});

function ollm(commandLine: string, input = '', directory = home.sessions): Promise<RunResult> {
  const env = { OLLM_SERVICES__SESSION__DATA_DIR: directory, OLLM_PROVIDER: 'offline' };
  return home.here(commandLine.split(' '), { env, input });
}

/** What a line of input is for the commands that read it. */
const INPUTS: Readonly<Record<string, string>> = {
  append: `${JSON.stringify({ type: 'build.finished', data: {} })}\n`,
  ask: '',
  repl: 'hello\n',
};

type Row = readonly [command: string, exitCode: number, says: RegExp];

function table(rows: readonly Row[], hurt: () => void): void {
  it.each(rows)('ollm %s exits with %d and says %s', async (command, exitCode, says) => {
    hurt();
    const told = await ollm(command, INPUTS[command.split(' ')[0]!]);
    expect(told).toMatchObject({ exitCode });
    expect(told.stdout + told.stderr).toMatch(says);
    expect(told.stderr).not.toMatch(/ollm itself| {4}at /);
  });
}

const journal = () => home.journal('notes');
const change = (edit: (text: string) => string) =>
  writeFileSync(journal(), edit(readFileSync(journal(), 'latin1')), 'latin1');
const VERIFY = /"ollm verify notes" shows what is wrong, "ollm repair notes" writes a clean copy/;

describe('a journal with a damaged line', () => {
  table(
    [
      ['tail notes -n all', 4, /bad-checksum at line 4[\s\S]*One place of the journal is damaged/],
      ['tail notes --json', 4, VERIFY],
      ['show notes', 4, VERIFY],
      ['export notes', 4, VERIFY],
      ['export notes --format jsonl', 4, VERIFY],
      ['replay notes', 4, VERIFY],
      ['replay notes --write', 4, VERIFY],
      ['diff notes notes', 4, VERIFY],
      ['fork notes', 4, VERIFY],
      ['reset notes --keep-history', 4, VERIFY],
      ['append notes', 4, VERIFY],
      ['ask hello --resume notes', 4, VERIFY],
      ['repl --resume notes', 4, VERIFY],
      ['list', 0, /\(damaged\)/],
      ['verify notes', 4, /1 finding[\s\S]*ollm repair notes --dry-run/],
      ['verify --all', 4, /1 finding/],
      ['repair notes --dry-run', 4, /would keep 5 events/],
      ['repair notes', 0, /Repaired notes: 5 events kept\. The damaged journal is archive\//],
      ['prune --keep 0', 0, /notes stays: It is damaged/],
    ],
    () => change((text) => text.replace('To the hills', 'To the HILLS')),
  );
});

describe('a journal whose last write a crash cut off', () => {
  const CUT = /cut off by a crash: 14 bytes that were never acknowledged are kept in quarantine\/notes\.\d+/;
  table(
    [
      ['tail notes', 4, /torn-tail/],
      ['export notes', 4, VERIFY],
      ['append notes', 0, CUT],
      ['ask hello --resume notes', 0, CUT],
      ['repl --resume notes', 0, CUT],
    ],
    () => appendFileSync(journal(), '{"seq":9,"ts":'),
  );
});

describe('an empty journal', () => {
  const EMPTY = /^ollm: Journal notes is empty: .*\n.*[Nn]othing in it was ever acknowledged/m;
  table(
    [
      ['tail notes', 4, EMPTY],
      ['show notes', 4, EMPTY],
      ['export notes', 4, EMPTY],
      ['replay notes', 4, EMPTY],
      ['diff notes notes', 4, EMPTY],
      ['repair notes', 4, EMPTY],
      ['repair notes --dry-run', 4, EMPTY],
      ['fork notes', 4, /holds no event that can be read/],
      ['reset notes', 4, /holds no event that can be read/],
      ['append notes', 4, EMPTY],
      ['ask hello --resume notes', 4, EMPTY],
      ['list', 0, /holds no event that can be read/],
      ['verify notes', 4, /JOURNAL_EMPTY/],
      ['delete notes', 0, /ollm restore notes/],
      ['doctor', 0, /interrupted work: notes\.jsonl/],
    ],
    () => writeFileSync(journal(), ''),
  );
});

describe('a journal of a newer version', () => {
  const NEWER = /format 2\b[\s\S]*[Gg]et ollm 9\.1\.0 or newer/;
  const created = { format: 2, sessionId: 'notes', model: 'm', provider: 'offline', ollm: '9.1.0' };
  const first = line({
    seq: 0,
    prev: '0'.repeat(16),
    ts: '2026-01-01T00:00:00.000Z',
    type: 'session.created',
    data: created,
  });
  table(
    [
      ['tail notes', 4, NEWER],
      ['show notes', 4, NEWER],
      ['export notes', 4, NEWER],
      ['replay notes', 4, NEWER],
      ['fork notes', 4, NEWER],
      ['append notes', 4, NEWER],
      ['ask hello --resume notes', 4, NEWER],
      ['repl --resume notes', 4, NEWER],
      ['verify notes', 0, /notes: ok/],
      ['prune --keep 0', 0, /It comes from a newer version/],
    ],
    () => writeFileSync(journal(), first),
  );
});

describe('an object of a different kind in the place of a journal', () => {
  const NO_FILE = /^ollm: The path of journal notes is .*\n.*[Mm]ove/m;
  table(
    [
      'tail notes',
      'show notes',
      'export notes',
      'replay notes',
      'fork notes',
      'repair notes',
      'delete notes',
      'reset notes',
    ].map((command): Row => [command, 4, NO_FILE]),
    () => {
      rmSync(journal());
      mkdirSync(journal());
    },
  );
});

describe('a session that is open in a different process', () => {
  const HELD = /by process \d+ \(ollm lab, since \d\d:\d\d\)[\s\S]*ollm tail notes/;
  const rows: readonly Row[] = [
    ['tail notes', 0, /Where to/],
    ['export notes', 0, /Where to/],
    ['verify notes', 0, /notes: ok/],
    ['list', 0, /\(open\)/],
    ['show notes', 0, /open +by process \d+ \(ollm lab\)/],
    ['delete notes', 5, HELD],
    ['reset notes', 5, HELD],
    ['append notes', 5, HELD],
    ['ask hello --resume notes', 5, HELD],
    ['repl --resume notes', 5, HELD],
    ['prune --keep 0', 0, /notes stays: It is open/],
    ['doctor', 0, /open sessions +notes by process \d+/],
  ];
  it.each(rows)('ollm %s exits with %d and says %s', async (command, exitCode, says) => {
    const writer = await openStore(home.sessions).openWriter('notes');
    const told = await ollm(command, INPUTS[command.split(' ')[0]!]);
    await writer.close();
    expect(told).toMatchObject({ exitCode });
    expect(told.stdout + told.stderr).toMatch(says);
  });
});

describeWith('mounts', 'a disk that is full, or may not be written', () => {
  const READING = [
    'tail notes',
    'show notes',
    'export notes',
    'replay notes',
    'diff notes notes',
    'list',
    'verify --all',
  ];

  it('is refused with exit code 9 by every command that writes, and is read by all others', async () => {
    using workshop = openWorkshop();
    await whileMounted(workshop, ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'ollm-lab'], async (mount) => {
      const sessions = join(mount, 'sessions');
      const told = async (command: string, directory = sessions) =>
        ollm(command, INPUTS[command.split(' ')[0]!], directory);
      const refresh = () => {
        rmSync(join(mount, 'filler'), { force: true });
        rmSync(sessions, { recursive: true, force: true });
        cpSync(pristine, sessions, { recursive: true });
      };
      for (const command of [
        'fork notes',
        'ask hello',
        'ask hello --resume notes',
        'repl --resume notes',
        'append new --create',
        'reset notes',
      ]) {
        refresh();
        const { bavail, bsize } = statfsSync(mount);
        writeFileSync(join(mount, 'filler'), Buffer.alloc(bavail * bsize));
        const { exitCode, stderr } = await told(command);
        expect([command, exitCode]).toEqual([command, 9]);
        expect(stderr).toMatch(/[Ff]ree some space|Nothing is lost/);
      }
      refresh();
      const full = statfsSync(mount);
      writeFileSync(join(mount, 'filler'), Buffer.alloc(full.bavail * full.bsize));
      for (const command of READING) expect([command, (await told(command)).exitCode]).toEqual([command, 0]);

      refresh();
      await whileMounted(workshop, ['-o', 'bind,ro', mount], async (readOnly) => {
        const place = join(readOnly, 'sessions');
        for (const command of READING) expect([command, (await told(command, place)).exitCode]).toEqual([command, 0]);
        for (const command of [
          'fork notes',
          'delete notes',
          'reset notes',
          'append notes',
          'ask hello --resume notes',
        ]) {
          const { exitCode, stderr } = await told(command, place);
          expect([command, exitCode]).toEqual([command, 9]);
          expect(stderr).toMatch(/^ollm: .*(EROFS|cannot be written)/m);
        }
      });
    });
  });
});
