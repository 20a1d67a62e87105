import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createSession, type NewOllmEvent, openFileStore } from '../../../lib/index.ts';
import { createHome, type Home, OLLM, parseLines, type RunResult } from '../../support/cli.ts';
import { until } from '../../support/until.ts';

const conversation = [
  { type: 'session.titled', data: { title: 'A walk', by: 'user' } },
  { type: 'turn.started', turn: 1, data: { input: 'Where to?' } },
  { type: 'message.added', turn: 1, data: message('user', 'Where to?\u001b[2J') },
  { type: 'tool.requested', turn: 1, data: { callId: 'c1', name: 'look', args: { at: 'map' } } },
  {
    type: 'tool.finished',
    turn: 1,
    data: {
      callId: 'c1',
      status: 'ok',
      result: { llmContent: 'hills, key ghp_0123456789abcdefghijABCDEFGHIJ012345' },
      tokens: { count: 3, method: 'estimated' },
      durationMs: 8,
      trusted: false,
    },
  },
  { type: 'message.added', turn: 1, data: message('assistant', 'To the **hills**.') },
  { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 900 } },
];

function message(role: 'user' | 'assistant', text: string) {
  return { role, parts: [{ type: 'text', text }], tokens: { count: 4, method: 'estimated' }, trusted: role === 'user' };
}

let home: Home;
const ollm = (...args: string[]): Promise<RunResult> => home.here(args);

beforeAll(async () => {
  home = createHome();
  await home.append('walk', conversation);
});
afterAll(() => home[Symbol.dispose]());

describe('reading a session', () => {
  it('tail prints one readable line an event, without control sequences', async () => {
    const { stdout, exitCode } = await ollm('tail', 'walk', '-n', '4');
    expect(exitCode).toBe(0);
    expect(stdout.split('\n').map((line) => line.slice(9))).toEqual([
      '    5 tool.finished        ok, 8 ms: hills, key [redacted github-token 40]',
      '    6 message.added        assistant: To the **hills**.',
      '    7 turn.ended           completed, 900 ms',
      '    8 session.closed       eof',
      '',
    ]);
    expect((await ollm('tail', 'walk')).stdout).not.toContain('\u001b');
  });

  it('tail --json prints the raw lines, --type chooses among them', async () => {
    const journal = readFileSync(home.journal('walk'), 'utf8');
    expect((await ollm('tail', 'walk', '-n', 'all', '--json')).stdout).toBe(journal);
    const { stdout } = await ollm('tail', 'walk', '--json', '--type', 'tool.*', '--type', 'turn.ended');
    expect(parseLines(stdout).map(({ seq }) => seq)).toEqual([4, 5, 7]);
  });

  it('export as jsonl is the journal byte for byte, or a part of it', async () => {
    const journal = readFileSync(home.journal('walk'), 'utf8');
    expect((await ollm('export', 'walk', '--format', 'jsonl')).stdout).toBe(journal);
    const part = await ollm('export', 'walk', '--format', 'jsonl', '--from', '2', '--to', '3');
    expect(part.stdout).toBe(`${journal.split('\n').slice(2, 4).join('\n')}\n`);
  });

  it('export as md and html shows the conversation, as json the states of replay', async () => {
    const md = await ollm('export', 'walk');
    expect(md.stdout).toContain('# A walk\n');
    expect(md.stdout).toContain('<summary>Tool <code>look</code> <code>map</code> — ok, 8 ms</summary>');
    expect((await ollm('export', 'walk', '--format', 'html')).stdout).toContain('<strong>hills</strong>');
    expect((await ollm('export', 'walk', '--format', 'json')).stdout).toBe((await ollm('replay', 'walk')).stdout);
  });

  it('export -o writes a private file whole, by the format of its name, and replaces only regular files', async () => {
    const file = join(home.path, 'walk.html');
    expect(await ollm('export', 'walk', '-o', file)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/^<!DOCTYPE html>[\s\S]*<\/html>\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await ollm('export', 'walk', '-o', home.path)).exitCode).toBe(1);
    expect((await ollm('export', 'walk', '-o', join(home.path, 'no', 'where.md'))).stderr).toMatch(
      /^ollm: Cannot write/,
    );
  });

  it('export -o - is standard output', async () => {
    const { stdout } = await ollm('export', 'walk');
    expect(await ollm('export', 'walk', '-o', '-')).toMatchObject({ exitCode: 0, stdout, stderr: '' });
    expect(existsSync(join(home.path, '-'))).toBe(false);
  });

  it('export -o never replaces a journal or a file next to it, also through a link', async () => {
    const journal = readFileSync(home.journal('walk'));
    const way = join(home.path, 'way.jsonl');
    symlinkSync(home.journal('walk'), way);
    symlinkSync(home.sessions, join(home.path, 'place'));
    const places = [home.journal('walk'), way, join(home.path, 'place', 'walk.jsonl'), join(home.sessions, 'new.md')];
    for (const place of places) {
      const { exitCode, stderr } = await ollm('export', 'walk', '--format', 'jsonl', '--from', '2', '-o', place);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringContaining('Name a file somewhere else'),
      });
    }
    expect(readFileSync(home.journal('walk'))).toEqual(journal);
    expect(existsSync(join(home.sessions, 'new.md'))).toBe(false);
  });

  it('export -o refuses a dangling link, because it is not a file', async () => {
    const way = join(home.path, 'nowhere.md');
    symlinkSync(join(home.path, 'not-there', 'x.md'), way);
    expect((await ollm('export', 'walk', '-o', way)).stderr).toMatch(/^ollm: .*nowhere\.md is not a regular file\./);
  });

  it('export --redact leaves no secret in any format', async () => {
    // Through the library nothing is taken out: it is for the program to say the kept part.
    using raw = createHome();
    const session = await createSession(openFileStore(raw.sessions), { name: 'raw', provider: 'p', model: 'm' });
    await session.append(conversation as NewOllmEvent[]);
    await session.close('exit');
    expect((await raw.run(['export', 'raw', '--format', 'jsonl'])).stdout).toContain('ghp_0123');
    for (const format of ['md', 'html', 'json', 'jsonl']) {
      const { stdout } = await raw.run(['export', 'raw', '--redact', '--format', format]);
      expect(stdout).toContain('github-token');
      expect(stdout).not.toContain('ghp_0123');
    }
  });

  it('replay rebuilds any state at any place of the past', async () => {
    const early = JSON.parse((await ollm('replay', 'walk', '--at', '3')).stdout) as { messages: unknown[] };
    expect(early.messages).toHaveLength(1);
    const all = JSON.parse((await ollm('replay', 'walk', '--state', 'all')).stdout) as object;
    expect(Object.keys(all)).toEqual(['session', 'view', 'budget', 'loop', 'context', 'summary']);
    expect(await ollm('replay', 'walk', '--at', '99')).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await ollm('replay', 'walk', '--at', '2020-01-01')).toMatchObject({ exitCode: 3, stdout: '' });
  });

  it('list and show print everything in plain text through a pipe', async () => {
    const { stdout } = await ollm('list');
    expect(stdout.split('\t')).toMatchObject(['walk', expect.stringMatching(/Z$/), '2', 'search', 'A walk\n']);
    expect(JSON.parse((await ollm('list', '--json')).stdout)).toMatchObject([
      { id: 'walk', title: 'A walk', messageCount: 2 },
    ]);
    expect((await ollm('show', 'walk')).stdout).toMatch(/^title +A walk$/m);
    expect(JSON.parse((await ollm('show', '@last', '--json')).stdout)).toMatchObject({ id: 'walk', events: 9 });
  });

  it('export refuses an empty range, instead of showing an empty session', async () => {
    expect(await ollm('export', 'walk', '--from', '99')).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('Session walk has no event 99: its last one is 8.'),
    });
    expect(await ollm('export', 'walk', '--from', '5', '--to', '2')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await ollm('export', 'walk', '-o', 'nowhere/walk.md')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is no directory'),
    });
  });

  it('list says that there are no sessions only if there are none', async () => {
    expect(await ollm('list', '--limit', '0')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('an empty --home counts as no --home, and not as the current directory', async () => {
    expect(JSON.parse((await ollm('--home', '', 'list', '--json')).stdout)).toMatchObject([{ id: 'walk' }]);
  });

  it('a current directory that was deleted is reported', () => {
    const command = `cd "$(mktemp -d)" && rmdir "$PWD" && "${process.execPath}" "${OLLM}" list`;
    const { status, stderr } = spawnSync('bash', ['-c', command], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });
    expect(status).toBe(1);
    expect(stderr).toContain('The current directory no longer exists.');
  });

  it('a reader that closes the pipe ends the command quietly', () => {
    const command = `"${process.execPath}" "${OLLM}" export walk --format jsonl | head -1; exit \${PIPESTATUS[0]}`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });
    expect({ status, stderr, lines: stdout.trimEnd().split('\n').length }).toEqual({ status: 0, stderr: '', lines: 1 });
  });

  it('a reader that closes the pipe in the middle of a long output ends the command quietly', async () => {
    await home.append('much', [{ type: 'message.added', data: message('user', 'word '.repeat(200_000)) }]);
    for (const format of ['md', 'jsonl']) {
      const command = `"${process.execPath}" "${OLLM}" export much --format ${format} | head -c 100000 | wc -c; exit \${PIPESTATUS[0]}`;
      const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
      });
      expect({ format, status, stderr, bytes: Number(stdout) }).toEqual({
        format,
        status: 0,
        stderr: '',
        bytes: 100_000,
      });
    }
  });

  it('a slow reader gets the same bytes as a file', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => ({
      type: 'message.added',
      data: message('user', `${at} é語🙂 `.repeat(2000)),
    }));
    await home.append('slow', lines);
    for (const format of ['md', 'jsonl']) {
      const ollmExport = `"${process.execPath}" "${OLLM}" export slow --format ${format}`;
      const slowly = `node -e 'setTimeout(() => process.stdin.pipe(require("fs").createWriteStream("piped")), 300)'`;
      const command = `cd "$HOME" && ${ollmExport} > file && ${ollmExport} -o named.${format} -q && ${ollmExport} | ${slowly}`;
      const { status, stderr } = spawnSync('bash', ['-c', command], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const read = (name: string) => readFileSync(join(home.path, name));
      expect(read('piped').equals(read('file'))).toBe(true);
      expect(read(`named.${format}`).equals(read('file'))).toBe(true);
      if (format === 'jsonl') expect(read('file').equals(readFileSync(home.journal('slow')))).toBe(true);
    }
  });

  it('tail -f reports a journal that was cut back or replaced, and continues with the present one', async () => {
    await home.append('cut', [{ type: 'a.first', data: {} }]);
    const tail = home.start(['tail', 'cut', '-f']);
    const said = { stdout: '', stderr: '' };
    const until = (name: 'stdout' | 'stderr', words: string) =>
      new Promise<void>((resolve) => {
        tail[name]?.on('data', (bytes: Buffer) => {
          said[name] += String(bytes);
          if (said[name].includes(words)) resolve();
        });
      });
    const shown = until('stdout', 'a.first');
    const told = until('stderr', 'cut back or replaced: now event 0 comes here.');
    await shown;
    const journal = readFileSync(home.journal('cut'));
    truncateSync(home.journal('cut'), journal.indexOf('\n') + 1);
    await told;
    tail.kill('SIGINT');
    await new Promise((resolve) => tail.on('close', resolve));
  });

  it('tail -f shows events of a different process, and Ctrl+C ends it with 130', async () => {
    await home.append('live', [{ type: 'a.first', data: {} }]);
    const tail = home.start(['tail', 'live', '-f', '--json', '--type', 'a.*']);
    const seen: string[] = [];
    tail.stdout?.on('data', (bytes: Buffer) => seen.push(String(bytes)));
    await until(() => seen.join('').includes('a.first'));
    await home.append('live', [{ type: 'a.second', data: {} }]);
    await until(() => seen.join('').includes('a.second'));
    const ended = new Promise((resolve) => tail.on('exit', (exitCode) => resolve(exitCode)));
    tail.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(parseLines(seen.join('')).map(({ type }) => type)).toEqual(['a.first', 'a.second']);
  });
});

describe('sessions that do not exist, and names that resemble one', () => {
  it.each([
    ['nobody', 3],
    ['../../etc/passwd', 2],
    ['', 2],
    ['__proto__', 3],
    ['x'.repeat(300), 2],
    ['-rf', 2],
  ])('%j is refused, and nothing is created', async (id, exitCode) => {
    const result = await ollm('tail', id);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toMatch(/^ollm: /);
    expect(existsSync(join(home.path, 'etc'))).toBe(false);
  });

  it('a prefix of an id must be unique', async () => {
    await home.append('twin-a', []);
    await home.append('twin-b', []);
    const { exitCode, stderr } = await ollm('show', 'twin');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/twin-a[\s\S]*twin-b/);
    expect((await ollm('show', 'twin-a')).exitCode).toBe(0);
  });
});

describe('damaged journals', () => {
  const verifyJson = async (id: string) => {
    const { exitCode, stdout } = await ollm('verify', id, '--json');
    return { exitCode, report: parseLines(stdout)[0] as { findings: { kind?: string; code?: string }[] } };
  };

  it('a torn tail is reported with line, offset and kind, and the rest can still be read', async () => {
    await home.append('torn', conversation);
    const bytes = statSync(home.journal('torn')).size;
    appendFileSync(home.journal('torn'), '{"seq":10,"ts":"2026');
    const { exitCode, stdout } = await ollm('verify', 'torn');
    expect(exitCode).toBe(4);
    expect(stdout).toContain(`torn-tail at line 10, byte ${bytes}, 20 bytes`);
    const tail = await ollm('tail', 'torn', '-n', '1', '--json');
    expect(tail.exitCode).toBe(4);
    expect(parseLines(tail.stdout)).toMatchObject([{ type: 'session.closed' }]);
    expect(tail.stderr).toContain('torn-tail');
    expect((await ollm('export', 'torn')).stdout).toContain('**Warning:** Damage in the journal (torn-tail)');
  });

  it('repair --dry-run changes nothing, repair keeps the valid lines and the old file', async () => {
    await home.append('bent', conversation);
    const text = readFileSync(home.journal('bent'), 'utf8');
    writeFileSync(home.journal('bent'), text.replace('Where to?', 'Where too'));
    expect((await ollm('repair', 'bent', '--dry-run')).stdout).toContain('A repair would keep');
    expect((await ollm('verify', 'bent')).exitCode).toBe(4);
    const { exitCode, stdout } = await ollm('repair', 'bent');
    expect(exitCode).toBe(0);
    const archive = /archive\/(\S+\.jsonl)/.exec(stdout)![1]!;
    expect(readFileSync(join(home.sessions, 'archive', archive), 'utf8')).toContain('Where too');
    expect((await ollm('verify', 'bent')).exitCode).toBe(0);
    expect((await ollm('repair', 'bent')).stdout).toContain('nothing to repair');
  });

  it.each([
    ['junk', 'no line\n'],
    ['torn', '{"seq":0,"ts":"2026'],
    ['nul', '\0\0\0\n'],
  ])('replay and show of a journal without a readable line, which is %s, exit with 4', async (name, content) => {
    const id = `unreadable-${name}`;
    writeFileSync(home.journal(id), content);
    const commands = [
      ...['session', 'view', 'budget', 'summary', 'all'].map((state) => ['replay', id, '--state', state]),
      ['show', id],
    ];
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await ollm(...command);
      expect({ command, exitCode, stdout }).toEqual({ command, exitCode: 4, stdout: '' });
      expect(stderr).toContain(id);
    }
  });

  it.each([
    ['empty', (path: string) => writeFileSync(path, ''), 'JOURNAL_EMPTY'],
    ['a directory', (path: string) => mkdirSync(path), 'JOURNAL_NOT_A_FILE'],
    ['a link', (path: string) => symlinkSync('/etc/hostname', path), 'JOURNAL_NOT_A_FILE'],
  ])('verify reports a journal that is %s, exits with 4, and continues with the others', async (name, make, code) => {
    const id = `odd-${name.replace(/\W/g, '-')}`;
    make(home.journal(id));
    const { exitCode, report } = await verifyJson(id);
    expect(exitCode).toBe(4);
    expect(report.findings).toMatchObject([{ code }]);
    expect((await ollm('append', id)).exitCode).toBe(4);
    expect((await ollm('list')).stdout).toContain('walk');
  });
});
