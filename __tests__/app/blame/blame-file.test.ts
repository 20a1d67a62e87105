// A repository of real git, and sessions of several programs that worked in it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { agentTrace } from '../../../lib/app/blame/agent-trace.ts';
import { type BlameRequest, blameFile } from '../../../lib/app/blame/blame-file.ts';
import { traceOfSession } from '../../../lib/app/blame/trace-of-session.ts';
import { createApp } from '../../../lib/app/compose.ts';
import { handOver } from '../../../lib/app/handover/hand-over.ts';
import { importForeign } from '../../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../../lib/app/import/sync-sessions.ts';
import type { NewEvent } from '../../../lib/journal/types.ts';
import { lines } from '../../support/agent-homes.ts';

const CODE = [
  'export function limitOf(options: Options): number {',
  '  const limit = options.limit ?? DEFAULT_LIMIT;',
  '  if (limit < 1) throw new RangeError("The limit is too small.");',
  '  return Math.min(limit, MAXIMUM);',
  '}',
  '',
].join('\n');
const AT = '2026-01-05T10:00:00.000Z';
const COMMITTED = '2026-01-05T10:30:00Z';

let home: string;
let root: string;
let app: App;
beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-blame-')));
  root = join(home, 'boat');
  mkdirSync(join(root, 'src'), { recursive: true });
  git('init', '-q');
  app = await createApp({ env: { HOME: home, OLLM_HOME: home, PATH: process.env.PATH }, cwd: root, command: 'test' });
});
afterEach(async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
});

function git(...args: string[]): void {
  const date = { GIT_AUTHOR_DATE: COMMITTED, GIT_COMMITTER_DATE: COMMITTED };
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  execFileSync('git', [...who, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, ...date },
    stdio: 'pipe',
  });
}

function commit(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  git('add', '-A');
  git('commit', '-qm', 'A step');
}

interface Wrote {
  readonly callId?: string;
  readonly name?: string;
  readonly args?: object;
  readonly at?: string;
  readonly status?: string;
  readonly decided?: object;
}

/** A session of ollm in which a call wrote the file. */
async function session(
  id: string,
  {
    cwd = root,
    subagentOf,
    ...wrote
  }: Wrote & { readonly cwd?: string; readonly subagentOf?: { sessionId: string } } = {},
): Promise<void> {
  const { callId = `call-${id}`, name = 'file_write', at = AT, status = 'ok', decided = { by: 'user' } } = wrote;
  const args = wrote.args ?? { path: 'src/limit.ts', content: CODE };
  const tokens = { count: 1, method: 'estimated' };
  const writer = await app.store.create(id, {
    ...{ provider: 'p', model: 'a-model', ollm: '0', cwd },
    ...(subagentOf && { subagentOf }),
  });
  const parts = [{ type: 'text', text: `Make the limit configurable, ${id}` }];
  await writer.append([
    { type: 'message.added', turn: 1, data: { role: 'user', parts, tokens, trusted: true } },
    { type: 'tool.requested', turn: 1, data: { callId, name, args, at } },
    { type: 'tool.decided', turn: 1, data: { callId, decision: 'allow', ...decided } },
    {
      type: 'tool.finished',
      turn: 1,
      data: { callId, status, result: { llmContent: 'done' }, tokens, durationMs: 1, trusted: false },
    },
  ] as NewEvent[]);
  await writer.close();
}

async function blamed(file = 'src/limit.ts', request: Omit<BlameRequest, 'file'> = {}) {
  await syncSessions(app);
  const { lines: found, notes } = await blameFile(app, { file, ...request });
  return {
    notes,
    lines: found.map(({ class: kind, call, why }) => [kind, call?.session, why]),
    calls: found.map(({ call }) => call),
  };
}

const certainly = (address: string) =>
  CODE.trimEnd()
    .split('\n')
    .map(() => ['certain', address, undefined]);

it('each line has its call, with the prompt, the model and the approval', async () => {
  await session('oak');
  commit({ 'src/limit.ts': CODE });
  const { lines: found, calls } = await blamed();
  expect(found).toEqual(certainly('ollm:oak'));
  expect(calls[1]).toMatchObject({
    ...{ seq: 2, turn: 1, tool: 'file_write', model: 'a-model', at: AT, callId: 'call-oak' },
    ...{ prompt: 'Make the limit configurable, oak', decision: { by: 'user' } },
  });
  expect((await blamed('src/limit.ts', { from: 2, to: 3 })).lines).toHaveLength(2);
});

it('lines of a session that was handed over belong to the conversation that wrote them', async () => {
  await session('oak');
  commit({ 'src/limit.ts': CODE });
  mkdirSync(join(home, '.codex'));
  await handOver(app, 'oak', { to: 'codex' });
  expect((await blamed()).lines).toEqual(certainly('ollm:oak'));
});

it('a copy of a call with a different time, as an interchange format has it, does not count as a second writer', async () => {
  const later = '2026-01-05T10:05:00.000Z';
  await session('oak', { callId: 'toolu_01ABCDEFGHIJKLMN' });
  await session('elm', { callId: 'toolu_01ABCDEFGHIJKLMN', at: later });
  commit({ 'src/limit.ts': CODE });
  expect((await blamed()).lines).toEqual(certainly('ollm:oak'));
  await session('ash', { callId: 'call_1', at: later });
  await session('fir', { callId: 'call_1', at: '2026-01-05T10:06:00.000Z' });
  expect((await blamed()).lines[0]).toEqual(['likely', 'ollm:fir', 'two sessions']);
});

it('sessions of Claude Code and Codex are blamed from their own places', async () => {
  const claude = '11111111-2222-4333-8444-555555555555';
  const base = {
    isSidechain: false,
    userType: 'external',
    cwd: root,
    sessionId: claude,
    version: '2.1.0',
    timestamp: AT,
  };
  const input = { file_path: join(root, 'src/limit.ts'), content: CODE };
  const folder = join(home, '.claude/projects', root.replace(/[^A-Za-z\d]/g, '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${claude}.jsonl`),
    lines([
      { ...base, type: 'user', uuid: 'a1', parentUuid: null, message: { role: 'user', content: 'A limit, please' } },
      {
        ...{ ...base, type: 'assistant', uuid: 'a2', parentUuid: 'a1', requestId: 'r' },
        message: {
          ...{ id: 'm1', type: 'message', role: 'assistant', model: 'claude-x', stop_reason: 'tool_use' },
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'Write', input }],
        },
      },
      {
        ...{ ...base, type: 'user', uuid: 'a3', parentUuid: 'a2' },
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
      },
    ]),
  );
  commit({ 'src/limit.ts': CODE });
  const { lines: found, calls } = await blamed();
  expect(found).toEqual(certainly(`claude:${claude}`));
  expect(calls[0]).toMatchObject({ tool: 'Write', model: 'claude-x', prompt: 'A limit, please', callId: 'toolu_1' });
  await importForeign(app, { all: true });
  expect((await blamed()).lines).toEqual(certainly(`claude:${claude}`));
});

it('an uncommitted line may come from any session until now', async () => {
  await session('oak', { at: new Date().toISOString() });
  commit({ 'README.md': 'x\n' });
  writeFileSync(join(root, 'src/limit.ts'), CODE);
  git('add', '-N', 'src/limit.ts');
  expect((await blamed()).lines).toEqual(certainly('ollm:oak'));
});

it('a renamed and indented file keeps its session, only as likely after a change of its text', async () => {
  await session('oak');
  commit({ 'src/limit.ts': CODE });
  git('mv', 'src/limit.ts', 'src/bound.ts');
  commit({});
  const { lines: found } = await blamed('src/bound.ts');
  expect(found).toEqual(certainly('ollm:oak'));
});

it('sessions of a different project, failed calls, and calls after the commit are not blamed', async () => {
  await session('elsewhere', { cwd: join(home, 'other') });
  await session('failed', { status: 'error' });
  await session('denied', { status: 'denied' });
  await session('later', { at: '2026-01-05T12:00:00.000Z' });
  commit({ 'src/limit.ts': CODE });
  const { lines: found } = await blamed();
  expect(found[0]).toEqual(['unknown', undefined, 'written only later']);
});

it('lines that a call wrote into a different file are marked as likely and moved', async () => {
  await session('oak', { args: { path: 'src/unlimit.ts', content: CODE } });
  await session('elsewhere', { cwd: join(home, 'other'), args: { path: 'src/unlimit.ts', content: CODE } });
  commit({ 'src/limit.ts': `// A new head.\n${CODE}` });
  const { lines: found, calls } = await blamed();
  expect(found[0]).toEqual(['unknown', undefined, 'in no session here']);
  expect(found[2]).toEqual(['likely', 'ollm:oak', 'moved']);
  expect(calls[2]).toMatchObject({ path: 'src/unlimit.ts' });
});

it('a line names the rejected calls, each with the reason', async () => {
  await session('oak', { at: '2026-01-05T09:00:00.000Z' });
  await session('elm');
  await session('later', { at: '2026-01-05T12:00:00.000Z' });
  commit({ 'src/limit.ts': CODE });
  await syncSessions(app);
  const { lines: found } = await blameFile(app, { file: 'src/limit.ts', from: 2, to: 2 });
  expect([found[0]?.call?.session, found[0]?.why]).toEqual(['ollm:elm', 'two sessions']);
  expect(found[0]?.others.map(({ call, lost }) => [call.session, lost]).toSorted()).toEqual([
    ['ollm:later', 'written only later'],
    ['ollm:oak', 'earlier'],
  ]);
});

it('a line of a subagent names it, and the prompt of its parent session', async () => {
  const begun = { type: 'tool.started', data: { callId: 'task', sandbox: 'none', envRemoved: [], subagent: 'child' } };
  const tokens = { count: 1, method: 'estimated' };
  const parent = await app.store.create('parent', { provider: 'p', model: 'm', ollm: '0', cwd: root });
  await parent.append([
    {
      type: 'message.added',
      turn: 1,
      data: { role: 'user', parts: [{ type: 'text', text: 'Bound the limit' }], tokens, trusted: true },
    },
    { type: 'tool.requested', turn: 1, data: { callId: 'task', name: 'agent', args: {} } },
    begun,
  ] as NewEvent[]);
  await parent.close();
  await session('child', { subagentOf: { sessionId: 'parent' } });
  commit({ 'src/limit.ts': CODE });
  const { calls } = await blamed();
  expect(calls[1]).toMatchObject({
    session: 'ollm:child',
    parent: { session: 'ollm:parent', prompt: 'Bound the limit' },
  });
});

it('a record of Agent Trace has the lines of each call, with a hash, and no unknown line', async () => {
  await session('oak');
  commit({ 'src/limit.ts': `${CODE}// mine\n` });
  await syncSessions(app);
  const blame = await blameFile(app, { file: 'src/limit.ts' });
  const record = agentTrace(app, [blame]);
  expect(record).toMatchObject({
    version: '0.1.0',
    vcs: { type: 'git', revision: expect.stringMatching(/^[0-9a-f]{40}$/) },
  });
  expect(record.files).toEqual([
    {
      path: 'src/limit.ts',
      conversations: [
        {
          url: 'ollm:ollm/oak#2',
          contributor: { type: 'ai', model_id: 'a-model' },
          ranges: [
            {
              start_line: 1,
              end_line: 5,
              content_hash: `sha256:${createHash('sha256').update(CODE).digest('hex')}`,
            },
          ],
        },
      ],
    },
  ]);
  expect(agentTrace(app, [blame], { sessions: new Set(['ollm:elm']) }).files).toEqual([]);
  const { line, gone } = await traceOfSession(app, 'oak');
  expect([JSON.parse(line).files, gone]).toEqual([record.files, 0]);
  rmSync(join(root, 'src/limit.ts'));
  expect(await traceOfSession(app, 'oak')).toMatchObject({ gone: 1 });
});

it('lines of a call that the user changed match the changed arguments, as likely', async () => {
  const args = { path: 'src/limit.ts', content: CODE.replace('MAXIMUM', 'HIGHEST_LIMIT') };
  await session('oak', { decided: { by: 'user', args } });
  commit({ 'src/limit.ts': args.content });
  expect((await blamed()).lines[3]).toEqual(['likely', 'ollm:oak', 'unsure']);
});

it('a missing repository, one that would start a program, and an unknown revision are reported', async () => {
  await session('oak');
  commit({ 'src/limit.ts': CODE });
  await expect(blamed('src/limit.ts', { rev: 'nope' })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(blamed('src/limit.ts', { rev: '--output=x' })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(blamed('src/none.ts')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  await expect(blamed('src')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  await expect(blamed('src/limit.ts', { from: 9 })).rejects.toMatchObject({ code: 'USAGE' });
  execFileSync('git', ['config', 'include.path', '../further'], { cwd: root });
  const risky = await blamed();
  expect(risky.notes.join()).toContain('git was not asked');
  expect(risky.lines).toEqual(certainly('ollm:oak'));
  renameSync(join(root, '.git'), join(home, 'git-away'));
  expect((await blamed()).notes.join()).toContain('in no repository');
});

it('a file is found by a name without words, and in the middle of a long patch', async () => {
  const patchOf = (path: string) => `*** Add File: ${path}\n${CODE.replace(/^/gm, '+')}`;
  const padding = Array.from({ length: 40 }, (_, index) =>
    patchOf(`src/other-${index}.ts`).replaceAll('limit', `l${index}`),
  );
  const input = ['*** Begin Patch', ...padding.slice(0, 20), patchOf('___'), ...padding.slice(20), '*** End Patch'];
  await session('oak', { name: 'apply_patch', args: { input: input.join('\n') } });
  commit({ ___: CODE });
  expect((await blamed('___')).lines).toEqual(certainly('ollm:oak'));
});

it('lines that moved here from many files belong to the calls that wrote them there', async () => {
  const lines = Array.from(
    { length: 24 },
    (_, index) => `export const harbourNumber${index} = lookUpHarbour(${index});`,
  );
  const block = (index: number) => `${[0, 1, 2].map((step) => lines[index * 3 + step]).join('\n')}\n`;
  for (let index = 0; index < 8; index += 1) {
    await session(`oak-${index}`, { args: { path: `src/part-${index}.ts`, content: block(index) } });
  }
  commit({ 'src/all.ts': `${lines.join('\n')}\n` });
  expect((await blamed('src/all.ts')).lines).toEqual(
    lines.map((_, index) => ['likely', `ollm:oak-${Math.floor(index / 3)}`, 'moved']),
  );
});
