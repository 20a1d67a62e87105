import { readFileSync } from 'node:fs';
import { createHome, parseLines } from '../../support/cli.ts';

const message = (text: string, id?: string) => ({
  type: 'message.added',
  turn: 1,
  ...(id === undefined ? {} : { id }),
  data: {
    role: 'user',
    parts: [{ type: 'text', text }],
    tokens: { count: 1, method: 'estimated' },
    trusted: true,
  },
});
const lines = (...values: readonly (object | string)[]) =>
  `${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')}\n`;

describe('ollm append', () => {
  it('acknowledges each line in order, once it is stored', async () => {
    using home = createHome();
    const { exitCode, stdout } = await home.here(['append', 'walk', '--create'], {
      input: lines(message('one'), message('two')),
    });
    expect(exitCode).toBe(0);
    const stored = parseLines(readFileSync(home.journal('walk'), 'utf8'));
    expect(parseLines(stdout)).toEqual(stored.slice(1, 3).map(({ seq, xxh64 }) => ({ seq, xxh64 })));
    expect(stored.map(({ type }) => type)).toEqual([
      'session.created',
      'message.added',
      'message.added',
      'session.closed',
    ]);
  });

  it('refuses a broken line by its number and keeps the others', async () => {
    using home = createHome();
    const input = lines(message('one'), '{"type":', '', '   ', message('two'), 'null', '[1]', message('three'));
    const { exitCode, stdout } = await home.here(['append', 'walk', '--create'], { input });
    expect(exitCode).toBe(1);
    expect(parseLines(stdout)).toMatchObject([
      { seq: 1 },
      { line: 2, error: { code: 'EVENT_INVALID', message: expect.stringContaining('not JSON') } },
      { seq: 2 },
      { line: 6, error: { code: 'EVENT_INVALID' } },
      { line: 7, error: { code: 'EVENT_INVALID' } },
      { seq: 3 },
    ]);
  });

  it('refuses events that only ollm writes, members of the envelope, and data that does not fit the schema', async () => {
    using home = createHome();
    const input = lines(
      { type: 'session.created', data: {} },
      { type: 'writer.opened', data: {} },
      { type: 'journal.repaired', data: {} },
      { type: 'tool.decided', data: { callId: 'c', decision: 'allow', by: 'user' } },
      { ...message('x'), seq: 9 },
      { ...message('x'), prev: '0000000000000000' },
      { ...message('x'), xxh64: '0000000000000000' },
      { ...message('x'), ts: '2026-01-01T00:00:00.000Z' },
      '{"__proto__":{},"type":"a.b","data":{}}',
      { type: 'Message', data: {} },
      { type: 'message.added', data: { role: 'king' } },
      { type: 'a.b', data: [] },
      { type: 'a.b', data: {}, turn: 0 },
      { type: 'a.b', data: {}, id: '' },
      `{"type":"a.b","data":{"deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
      { type: 'a.b', data: { whole: true } },
    );
    const { exitCode, stdout } = await home.here(['append', 'walk', '--create'], { input });
    expect(exitCode).toBe(1);
    const codes = parseLines(stdout).map(({ error }) => (error as { code: string } | undefined)?.code ?? 'stored');
    expect(codes).toEqual([...Array(9).fill('EVENT_RESERVED'), ...Array(6).fill('EVENT_INVALID'), 'stored']);
    expect((await home.here(['verify', 'walk'])).exitCode).toBe(0);
  });

  it('refuses a number that it could not store exactly, and keeps exact ones', async () => {
    using home = createHome();
    const refused = [
      '9007199254740993',
      '18446744073709551616',
      '1e400',
      '-0',
      '-0.0',
      '1e-400',
      '123456789012345678901234567890.5',
    ];
    const kept = ['9007199254740992', '0.10000000000000001', '-12', '1e15', '0', '-0.5'];
    const numbers = [...refused, ...kept];
    const input = numbers.map((number) => `{"type":"lab.noted","data":{"a":[{"n":${number}}],"s":"-0 1e400"}}\n`);
    const { stdout } = await home.here(['append', 'numbers', '--create'], { input: input.join('') });
    const codes = parseLines(stdout).map(({ error }) => (error as { code: string } | undefined)?.code);
    expect(codes).toEqual([...refused.map(() => 'EVENT_INEXACT'), ...kept.map(() => undefined)]);
  });

  it('stores an id once, also in a second run, and acknowledges it in the same way', async () => {
    using home = createHome();
    const [first] = await home.append('walk', [message('one', 'k1')]);
    const again = await home.append('walk', [message('one', 'k1'), message('two', 'k2')]);
    expect(again[0]).toEqual(first);
    const call = { type: 'tool.requested', data: { callId: 'c', name: 'look', args: {} } };
    const result = {
      result: { llmContent: 'x' },
      tokens: { count: 1, method: 'unknown' },
      durationMs: 1,
      trusted: false,
    };
    const finished = { type: 'tool.finished', id: 'k3', data: { callId: 'c', status: 'ok', ...result } };
    const [, ended] = await home.append('walk', [call, finished]);
    // The call that it points at has ended, by itself.
    expect(await home.append('walk', [finished])).toEqual([ended]);
    expect(readFileSync(home.journal('walk'), 'utf8').match(/"id":"k1"/g)).toHaveLength(1);
  });

  it('refuses a different event with an id that exists, and only that line', async () => {
    using home = createHome();
    const [first] = await home.append('walk', [message('one', 'k1')]);
    const input = lines(message('other words', 'k1'), message('two', 'k2'), message('one', 'k1'));
    const { exitCode, stdout } = await home.here(['append', 'walk'], { input });
    expect(exitCode).toBe(1);
    expect(parseLines(stdout)).toMatchObject([
      { line: 1, error: { code: 'EVENT_CONFLICT', message: 'The id "k1" is that of another event, as event 1.' } },
      { seq: expect.any(Number) },
      first!,
    ]);
  });

  it('refuses a reference to an unknown event, and takes a reference to a line of the same batch', async () => {
    using home = createHome();
    const span = { strategy: 'truncate', tokensBefore: 2, tokensAfter: 1, by: 'user' };
    const result = { status: 'ok', result: { llmContent: 'x' }, tokens: { count: 1, method: 'unknown' } };
    const finished = { type: 'tool.finished', data: { callId: 'c1', ...result, durationMs: 1, trusted: false } };
    const image = { type: 'image', mediaType: 'image/png', blob: 'a'.repeat(64) };
    const dangling = [
      { type: 'branch.moved', data: { head: 99_999 } },
      { type: 'compaction.undone', data: { seq: 99 } },
      { type: 'compaction.completed', data: { ...span, covers: { from: 0, to: 9999 }, keptFrom: 1 } },
      { type: 'compaction.completed', data: { ...span, covers: { from: 0, to: 1 }, keptFrom: 1 } },
      finished,
      { ...message('x'), turn: 99 },
      { type: 'message.added', data: { ...message('x').data, parts: [image] } },
    ];
    const good = [
      { type: 'tool.requested', data: { callId: 'c1', name: 'look', args: {} } },
      finished,
      { ...message('x'), turn: 1 },
      { type: 'branch.moved', data: { head: 1 } },
      { type: 'compaction.completed', data: { ...span, covers: { from: 0, to: 1 }, keptFrom: 2 } },
    ];
    const { stdout } = await home.here(['append', 'walk', '--create'], { input: lines(...dangling, ...good) });
    const codes = parseLines(stdout).map(({ error }) => (error as { code: string } | undefined)?.code ?? 'stored');
    expect(codes).toEqual([...dangling.map(() => 'EVENT_DANGLING'), ...good.map(() => 'stored')]);
  });

  it('marks an event of a type that ollm does not know as ignorable', async () => {
    using home = createHome();
    const input = lines({ type: 'a.b', data: {}, ignorable: true }, { type: 'a.b', data: {}, ignorable: false });
    const { stdout } = await home.here(['append', 'walk', '--create'], { input });
    expect(parseLines(stdout)).toMatchObject([{ seq: 1 }, { line: 2, error: { code: 'EVENT_INVALID' } }]);
    expect(parseLines(readFileSync(home.journal('walk'), 'utf8'))[1]).toMatchObject({ ignorable: true });
  });

  it('keeps text that resembles the journal itself, and everything else that JSON can say', async () => {
    using home = createHome();
    await home.append('walk', [message('seed')]);
    const forged = readFileSync(home.journal('walk'), 'utf8');
    const texts = [forged, 'a\u2028b\u2029c', 'nul \u0000 end', '\u001b]52;c;x\u0007', 'lone \ud800 half', '__proto__'];
    await home.append(
      'walk',
      texts.map((text) => message(text)),
    );
    expect((await home.here(['verify', 'walk', '--deep'])).exitCode).toBe(0);
    const { stdout } = await home.here(['tail', 'walk', '--type', 'message.added', '-n', '6', '--json']);
    const told = parseLines(stdout).map(({ data }) => (data as ReturnType<typeof message>['data']).parts[0]!.text);
    expect(told).toEqual(texts);
  });

  it('refuses invalid UTF-8 and a line of more than 16 MiB, and takes the lines after them', async () => {
    using home = createHome();
    const input = Buffer.concat([
      Buffer.from('{"type":"a.b","data":{"x":"'),
      Buffer.of(0xff),
      Buffer.from(
        `"}}\n{"type":"a.b","data":{"x":"${'y'.repeat(17 * 1024 * 1024)}"}}\n{"type":"a.b","data":{"last":true}}`,
      ),
    ]);
    const { stdout } = await home.here(['append', 'walk', '--create'], { input });
    expect(parseLines(stdout)).toMatchObject([
      { line: 1, error: { code: 'EVENT_INVALID' } },
      { line: 2, error: { code: 'EVENT_TOO_LARGE' } },
      { seq: 1 },
    ]);
  });

  it("answers while its input stays open, and is the session's one writer", async () => {
    using home = createHome();
    const writer = home.start(['append', 'walk', '--create']);
    const answer = new Promise<string>((resolve) =>
      writer.stdout?.once('data', (bytes: Buffer) => resolve(String(bytes))),
    );
    writer.stdin?.write(lines(message('one')));
    expect(JSON.parse(await answer)).toMatchObject({ seq: 1 });

    const second = await home.here(['append', 'walk'], { input: lines(message('two')) });
    expect(second).toMatchObject({ exitCode: 5, stdout: '' });
    expect(second.stderr).toContain(`process ${writer.pid}`);
    expect((await home.here(['tail', 'walk'])).exitCode).toBe(0);

    let said = '';
    writer.stderr?.on('data', (bytes: Buffer) => {
      said += String(bytes);
    });
    const ended = new Promise((resolve) => writer.on('close', (exitCode) => resolve(exitCode)));
    writer.kill('SIGTERM');
    expect([await ended, said]).toEqual([143, '']);
    const types = parseLines(readFileSync(home.journal('walk'), 'utf8')).map(({ type, data }) => [type, data]);
    expect(types.at(-1)).toEqual(['session.closed', { reason: 'signal' }]);
  });

  it('needs --create for a session that does not exist, and a valid name', async () => {
    using home = createHome();
    expect(await home.here(['append', 'walk'], { input: lines(message('one')) })).toMatchObject({
      exitCode: 3,
      stdout: '',
    });
    expect(await home.here(['append', '../walk', '--create'], { input: '' })).toMatchObject({
      exitCode: 2,
      stdout: '',
    });
  });

  it('reports the failure and exits with 9 when the journal cannot grow', async () => {
    using home = createHome();
    await home.append('walk', [message('one')]);
    const { spawnSync } = await import('node:child_process');
    const { OLLM } = await import('../../support/cli.ts');
    const input = lines(message('two'), message('x'.repeat(100_000)), message('three'));
    const command = `ulimit -f 64; exec "${process.execPath}" "${OLLM}" append walk`;
    const result = spawnSync('bash', ['-c', command], {
      input,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });
    expect(result.status).toBe(9);
    expect(result.stdout).toContain('"JOURNAL_FULL"');
    expect(result.stderr).toMatch(/^ollm: /);
    expect((await home.here(['verify', 'walk'])).exitCode).toBe(0);
  });
});
