import { execFileSync } from 'node:child_process';
import { OllmError } from '../../lib/errors/index.ts';
import {
  type FileLog,
  type MemoryFileSystem,
  manualClock,
  memoryFileSystem,
  openLog,
  readFile,
} from '../../lib/platform/index.ts';

const FILE = '/home/ollm.log';
let disk: MemoryFileSystem;
let log: FileLog;
const open = (options: Partial<Parameters<typeof openLog>[0]> = {}) =>
  openLog({ file: FILE, level: 'info', fileSystem: disk, clock: manualClock(), ...options });
const text = (path = FILE) => new TextDecoder().decode(readFile(disk, path));
const lines = (path = FILE) =>
  text(path)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const FIELDS = { service: 'store', operation: 'open' };

beforeEach(() => {
  disk = memoryFileSystem();
  log = open();
});
afterEach(() => log.close());

describe('the log', () => {
  it('writes lines of JSON with time, level, service, operation, context and action', () => {
    log.warn({ ...FIELDS, path: '/x', count: 3n, action: 'Look there.' }, 'Something happened');
    log.error(FIELDS, 'two\nlines');
    expect(lines()).toEqual([
      {
        level: 'warn',
        time: '2026-01-01T00:00:00.000Z',
        pid: process.pid,
        service: 'store',
        operation: 'open',
        context: { path: '/x', count: '3' },
        action: 'Look there.',
        message: 'Something happened',
      },
      expect.objectContaining({ level: 'error', message: 'two\nlines' }),
    ]);
  });

  it('creates its file at the first line of its level, readable only for its owner', () => {
    log.debug(FIELDS, 'not written');
    expect(disk.stat('/home')).toBeUndefined();
    log.info(FIELDS, 'written');
    expect(disk.stat('/home')?.mode).toBe(0o700);
    expect(disk.stat(FILE)?.mode).toBe(0o600);
  });

  it.each([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const)('at level %s writes %s', (level, expected) => {
    log = open({ level });
    for (const name of ['error', 'warn', 'info', 'debug'] as const) log[name](FIELDS, name);
    expect(lines().map(({ message }) => message)).toEqual(expected);
  });

  it('removes the permissions of other users from an existing file, and appends to it', () => {
    log.info(FIELDS, 'one');
    log.close();
    disk.changeMode(FILE, 0o666);
    log = open();
    log.info(FIELDS, 'two');
    expect(disk.stat(FILE)?.mode).toBe(0o600);
    expect(lines().map(({ message }) => message)).toEqual(['one', 'two']);
  });

  it('redacts every text, at any depth, before it is written', () => {
    log = open({ redact: (words) => words.replaceAll('s3cret', '[gone]') });
    const error = Object.assign(new Error('no s3cret'), { code: 'E', cause: { note: 's3cret' } });
    log.error({ ...FIELDS, error, list: [{ deep: 's3cret' }], action: 's3cret' }, 'the s3cret');
    expect(text()).not.toContain('s3cret');
    expect(lines()[0]).toMatchObject({
      message: 'the [gone]',
      action: '[gone]',
      context: {
        list: [{ deep: '[gone]' }],
        error: { name: 'Error', code: 'E', message: 'no [gone]', cause: { note: '[gone]' } },
      },
    });
  });

  it("includes the hint of an error of ollm's own, unless the caller gives one", () => {
    const error = new OllmError('JOURNAL_FULL', 'No room.', { hint: 'Free some space.', data: { path: '/x' } });
    log.error({ ...FIELDS, error }, 'one');
    log.error({ ...FIELDS, error, action: 'Wait.' }, 'two');
    expect(lines().map(({ action }) => action)).toEqual(['Free some space.', 'Wait.']);
    expect(lines()[0].context.error).toMatchObject({ code: 'JOURNAL_FULL', message: 'No room.', data: { path: '/x' } });
  });

  it('limits the size of a line, also of a circular value', () => {
    const round: Record<string, unknown> = {};
    round.self = round;
    log.info({ ...FIELDS, round, long: 'x'.repeat(1e6) }, 'y'.repeat(1e6));
    expect(text().length).toBeLessThan(20_000);
    expect(lines()[0].message).toMatch(/y… \(991808 more\)$/);
  });

  it('begins a new file at 5 MiB and keeps one old one', () => {
    const count = 1500;
    for (let index = 0; index < count; index += 1) log.info({ ...FIELDS, index, filler: 'x'.repeat(8000) }, 'line');
    expect(disk.readDirectory('/home').map(({ name }) => name)).toEqual(['ollm.log', 'ollm.log.old']);
    for (const path of [FILE, `${FILE}.old`]) expect(disk.stat(path)?.size).toBeLessThanOrEqual(5 * 2 ** 20);
    const kept = [...lines(`${FILE}.old`), ...lines()].map(({ context }) => context.index);
    expect(kept.at(-1)).toBe(count - 1);
    expect(kept).toEqual(kept.map((_, index) => count - kept.length + index));
  });

  it('follows when a different process has begun the new file', () => {
    const other = open();
    const filler = 'x'.repeat(8000);
    log.info({ ...FIELDS }, 'first');
    for (let index = 0; index < 700; index += 1) other.info({ ...FIELDS, filler }, 'other');
    log.info(FIELDS, 'last');
    for (let index = 0; index < 700; index += 1) log.info({ ...FIELDS, filler }, 'mine');
    expect(lines().at(-1)).toMatchObject({ message: 'mine' });
    other.close();
  });

  it('is silent when it cannot be written, and tries again', () => {
    disk.makeDirectory('/home');
    disk.symbolicLink('/etc/passwd', FILE);
    log.info(FIELDS, 'lost');
    disk.unlink(FILE);
    log.info(FIELDS, 'kept');
    expect(lines().map(({ message }) => message)).toEqual(['kept']);
  });

  it('writes nothing once it is closed', () => {
    log.close();
    log.info(FIELDS, 'late');
    expect(disk.stat(FILE)).toBeUndefined();
  });

  it('does not load pino before there is a line to write', () => {
    const platform = new URL('../../lib/platform/index.ts', import.meta.url).href;
    const script = `
      const { createRequire } = await import('node:module');
      const { openLog } = await import(${JSON.stringify(platform)});
      openLog({ file: '/nowhere/x', level: 'warn' }).info({ service: 'a', operation: 'b' }, 'c');
      const loaded = Object.keys(createRequire(${JSON.stringify(platform)}).cache);
      console.log(loaded.filter((path) => /node_modules.(pino|fs-native)/.test(path)).length);`;
    expect(execFileSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe('0\n');
  });
});
