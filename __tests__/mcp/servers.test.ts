// Servers made with the SDK, as programs: their tools, their answers, their end.
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { manualClock } from '../../lib/platform/clock.ts';
import { ToolFailure } from '../../lib/tools/tool.ts';
import { KEEP_COMPILED } from '../support/source-child.ts';
import { until } from '../support/until.ts';
import { BROKEN, callTool, GOOD, type McpWorld, mcpWorld, program, programWith, settingsOf } from './world.ts';

let world: McpWorld;
beforeEach(() => {
  world = mcpWorld();
});
afterEach(() => world.end());

describe.each(['both', 'older'])('an MCP server that is a program and speaks the protocol (%s)', (era) => {
  const good = settingsOf('good', program(GOOD, era));

  it('has its tools offered under its name, and answers calls', async () => {
    const servers = await world.approved([good]);
    const add = servers.tools.find(({ name }) => name === 'mcp__good__add');
    expect(add?.origin).toBe('mcp:good');
    expect(add?.description).toBe('Adds two numbers.\n(A tool of the MCP server good.)');
    expect(add?.parameters).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a', 'b'],
    });
    expect(await callTool(servers, 'mcp__good__add', { a: 20, b: 22 })).toEqual({ content: '42', status: 'ok' });
  });

  it('reports a failure, and the kind of content that is not text', async () => {
    const servers = await world.approved([good]);
    expect(await callTool(servers, 'mcp__good__fail')).toEqual({ content: 'No such issue.', status: 'error' });
    expect(await callTool(servers, 'mcp__good__structured')).toEqual({ content: '{"open":4}', status: 'ok' });
    const mixed = await callTool(servers, 'mcp__good__mixed');
    expect(mixed.content).toBe(
      [
        'A picture:',
        '[image 1, image/png, 7 bytes]',
        '[file:///notes.md, text/markdown]\n# Notes',
        '[file:///a.bin, 3 bytes; not shown]',
        '[file:///b.png, image/png] [image 2, image/png, 3 bytes]',
        '[link to more, https://example.com/more]',
      ].join('\n\n'),
    );
    expect(mixed.images?.map((bytes) => Buffer.from(bytes).toString())).toEqual(['picture', 'abc']);
  });

  it('is not trusted to be read-only, and its input is shown before it is sent', async () => {
    const servers = await world.approved([good]);
    const add = servers.tools.find(({ name }) => name === 'mcp__good__add');
    const { action } = await add!.plan({ a: 1, b: 2 }, { root: '/', cwd: '/' });
    expect(action).toEqual({
      tool: 'mcp__good__add',
      summary: 'Call add of good with {"a":1,"b":2}',
      isReadOnly: false,
      accesses: [],
      isRemote: true,
      preview: { kind: 'text', text: '{\n  "a": 1,\n  "b": 2\n}' },
    });
  });

  it('sees only the given environment', async () => {
    const launch = programWith({ GIVEN: 'yes' }, GOOD, era);
    const servers = await world.approved([settingsOf('good', launch)]);
    const { content } = await callTool(servers, 'mcp__good__environment');
    const { env } = JSON.parse(String(content)) as { env: Record<string, string> };
    expect(
      Object.keys(env)
        .filter((name) => !name.startsWith('OLLM_'))
        .sort(),
    ).toEqual(['GIVEN', ...Object.keys(KEEP_COMPILED), 'PATH']);
  });

  it('is not awaited when the turn is cancelled, and answers the next call', async () => {
    const servers = await world.approved([good]);
    const controller = new AbortController();
    const slow = callTool(servers, 'mcp__good__sleep', { ms: 600_000 }, controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(slow).rejects.toThrow('The MCP server good was not waited for any longer.');
    expect(await callTool(servers, 'mcp__good__add', { a: 1, b: 1 })).toMatchObject({ content: '2' });
  });

  it('ends when it is closed, with every process that it started', async () => {
    const servers = await world.approved([good]);
    const { content } = await callTool(servers, 'mcp__good__family');
    const pids = JSON.parse(String(content)) as number[];
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    await servers.close();
    // A process that was killed is there until the kernel comes to it.
    await until(() => !pids.some(isAlive));
  });

  it('that dies in a call fails the call, and is started again after a pause', async () => {
    const clock = manualClock();
    const servers = await world.approved([good], { clock });
    await expect(callTool(servers, 'mcp__good__die')).rejects.toThrow('The MCP server good ended with exit code 7.');
    await expect(callTool(servers, 'mcp__good__add', { a: 1, b: 1 })).rejects.toBeInstanceOf(ToolFailure);
    expect(servers.takeNotices()).toEqual([
      'The MCP server good ended with exit code 7. Its tools cannot be used now.',
    ]);
    await servers.start();
    expect(servers.reports[0]?.status.kind).toBe('failed');
    clock.advance(1000);
    await servers.start();
    expect(servers.reports[0]?.status.kind).toBe('ready');
    expect(await callTool(servers, 'mcp__good__add', { a: 1, b: 1 })).toMatchObject({ content: '2' });
  });

  it('gets a new tool offered only after its approval', async () => {
    const servers = await world.approved([good]);
    const before = servers.tools.length;
    await callTool(servers, 'mcp__good__grow');
    await until(() => servers.pending.length > 0);
    expect(servers.tools).toHaveLength(before);
    expect(servers.pending).toMatchObject([{ server: 'good', why: 'new', definition: { name: 'mcp__good__added' } }]);
    expect(servers.takeNotices()).toEqual([
      'The MCP server good: 1 tool is not approved yet and not offered. Look at them with /tools, approve with /tools approve good.',
    ]);
    await servers.approve(servers.pending);
    expect(await callTool(servers, 'mcp__good__added')).toMatchObject({ content: 'new' });
  });

  it('is not reported as waiting for approval once it is approved', async () => {
    const servers = world.open([good]);
    await servers.start();
    await servers.approve(servers.pending);
    expect(servers.takeNotices()).toEqual([]);
  });

  it('returns answers up to the limit, and is ended for a larger one', async () => {
    const servers = await world.approved([good], { maxMessageBytes: 1_000_000 });
    const { content } = await callTool(servers, 'mcp__good__large', { bytes: 900_000 });
    expect(content).toHaveLength(900_000);
    await expect(callTool(servers, 'mcp__good__large', { bytes: 1_100_000 })).rejects.toThrow(
      'The MCP server good sent a message of more than 1000000 bytes.',
    );
  });

  it('has its output for its operator in the log', async () => {
    await world.approved([good]);
    expect(world.log.join('\n')).toContain('The good server starts.');
  });
});

describe('a private key in the standard error of a server', () => {
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  const body = pem.split('\n').filter((line) => /^[\w+/=]{16,}$/.test(line));

  it.each([1, 7, 64, 5000])('is not in the log, in pieces of %d bytes', async (size) => {
    const launch = programWith({ MCP_TEXT: `before\n${pem}after\n` }, BROKEN, 'writes-in-pieces', String(size));
    await world.approved([settingsOf('leaky', launch)]);
    await until(() => world.log.some((line) => line.includes('"after"')));
    const log = world.log.join('\n');
    expect(log).toContain('"before"');
    expect(log).toContain('[redacted private-key]');
    expect(body.length).toBeGreaterThan(20);
    for (const line of body) expect(log).not.toContain(line);
  });
});

describe('several MCP servers', () => {
  it('start at the same time, and a missing one does not affect the others', async () => {
    const gone = settingsOf('gone', { kind: 'program', command: ['/no/such/program'], cwd: '/', env: {} });
    const refused = settingsOf('refused', { kind: 'refused', reason: 'Its variable TOKEN is not set.' });
    const servers = world.open([gone, settingsOf('good', program(GOOD)), refused]);
    await servers.start();
    expect(servers.reports.map(({ name, status }) => [name, status.kind])).toEqual([
      ['gone', 'failed'],
      ['good', 'ready'],
      ['refused', 'failed'],
    ]);
    const notices = servers.takeNotices().join('\n');
    expect(notices).toContain('The MCP server gone could not be started: /no/such/program');
    expect(notices).toContain('The MCP server refused cannot be used: Its variable TOKEN is not set.');
    expect(servers.takeNotices()).toEqual([]);
  });

  it('with a selection of tools have only those, and missing ones are reported', async () => {
    const servers = world.open([settingsOf('good', program(GOOD), ['add', 'subtract'])]);
    await servers.start();
    expect(servers.pending.map(({ definition }) => definition.name)).toEqual(['mcp__good__add']);
    expect(servers.takeNotices().join('\n')).toContain('The MCP server good: It has no tool subtract.');
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
