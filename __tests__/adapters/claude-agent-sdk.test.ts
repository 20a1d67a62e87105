// The store of the Claude Agent SDK, by the rules of its published conformance suite, and the sessions of Claude Code
// that ollm sees in it. claude-agent-sdk-real.test.ts holds it against the package itself.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClaudeSessionEntry, claudeSessionStore } from '../../lib/adapters/claude-agent-sdk.ts';
import { createRedactor, openFileStore, replay, viewFold } from '../../lib/index.ts';
import type { JournalStore } from '../../lib/journal/types.ts';
import { currentView } from '../../lib/projections/current-view.ts';
import { claudeRecords } from '../support/claude-conversation.ts';
import { createHome } from '../support/cli.ts';
import { createTree, type Tree } from '../support/tree.ts';

const KEY = { projectKey: 'proj', sessionId: 'sess' };
const SUB = { ...KEY, subpath: 'subagents/agent-1' };
const entry = (members: object) => ({ type: 'x', ...members });

let tree: Tree;
let store: JournalStore;
let sessions: ReturnType<typeof claudeSessionStore>;
beforeEach(() => {
  tree = createTree();
  store = openFileStore(join(tree.root, 'sessions'));
  sessions = claudeSessionStore({ store });
});
afterEach(async () => {
  await sessions.close();
  tree[Symbol.dispose]();
});

describe('the rules of the SDK', () => {
  it('return entries deep-equal and in the order of the calls', async () => {
    await sessions.append(KEY, [entry({ uuid: 'z', n: 1 })]);
    await sessions.append(KEY, [entry({ uuid: 'a', n: { deep: [null, 'ü\ud800', 1.5] } }), entry({ uuid: 'm', n: 3 })]);
    await sessions.append(KEY, []);
    await sessions.append(KEY, [entry({ n: 4 })]);
    expect(await sessions.load(KEY)).toEqual([
      entry({ uuid: 'z', n: 1 }),
      entry({ uuid: 'a', n: { deep: [null, 'ü\ud800', 1.5] } }),
      entry({ uuid: 'm', n: 3 }),
      entry({ n: 4 }),
    ]);
  });

  it('return null for a key that was never written', async () => {
    expect(await sessions.load(KEY)).toBeNull();
    await sessions.append(KEY, []);
    expect(await sessions.load(KEY)).toBeNull();
    await sessions.append(KEY, [entry({ n: 1 })]);
    expect(await sessions.load(SUB)).toBeNull();
    expect(await sessions.load({ ...KEY, projectKey: 'other' })).toBeNull();
  });

  it('separate subpaths, projects and sessions', async () => {
    const keys = [KEY, SUB, { ...KEY, projectKey: 'B' }, { ...SUB, projectKey: 'B' }, { ...KEY, sessionId: 'two' }];
    for (const [n, key] of keys.entries()) await sessions.append(key, [entry({ n })]);
    for (const [n, key] of keys.entries()) expect(await sessions.load(key)).toEqual([entry({ n })]);
    expect((await sessions.listSessions('proj')).map(({ sessionId }) => sessionId).sort()).toEqual(['sess', 'two']);
    expect((await sessions.listSessions('B')).map(({ sessionId }) => sessionId)).toEqual(['sess']);
    expect(await sessions.listSessions('never')).toEqual([]);
    expect(await sessions.listSubkeys(KEY)).toEqual(['subagents/agent-1']);
    expect(await sessions.listSubkeys({ ...KEY, sessionId: 'two' })).toEqual([]);
  });

  it('list sessions with whole milliseconds, and none with only subagents', async () => {
    const before = Date.now();
    await sessions.append(KEY, [entry({ n: 1 })]);
    await sessions.append({ ...SUB, sessionId: 'only' }, [entry({ n: 1 })]);
    const [row, ...others] = await sessions.listSessions('proj');
    expect(others).toEqual([]);
    expect(Number.isInteger(row?.mtime)).toBe(true);
    expect(row?.mtime).toBeGreaterThanOrEqual(before - 5000);
  });

  it('delete a session with its subagents, or one of them, and nothing else', async () => {
    const second = { ...KEY, subpath: 'subagents/agent-2' };
    const others = [
      { ...KEY, sessionId: 'two' },
      { ...KEY, projectKey: 'B' },
    ];
    await sessions.delete(KEY);
    for (const key of [KEY, SUB, second, ...others]) await sessions.append(key, [entry({ n: 1 })]);
    await sessions.delete(SUB);
    expect(await sessions.load(SUB)).toBeNull();
    expect(await sessions.listSubkeys(KEY)).toEqual(['subagents/agent-2']);
    expect(await sessions.load(KEY)).toHaveLength(1);
    await sessions.delete(KEY);
    for (const key of [KEY, SUB, second]) expect(await sessions.load(key)).toBeNull();
    expect(await sessions.listSubkeys(KEY)).toEqual([]);
    for (const key of others) expect(await sessions.load(key)).toHaveLength(1);
    expect((await sessions.listSessions('proj')).map(({ sessionId }) => sessionId)).toEqual(['two']);
    await sessions.append(KEY, [entry({ n: 2 })]);
    expect(await sessions.load(KEY)).toEqual([entry({ n: 2 })]);
    expect((await store.listTrash()).map(({ id }) => id)).toContain('claude-sess');
  });

  it('store an entry with a uuid once, also after the journal was reopened', async () => {
    const one = entry({ uuid: 'a', n: 1 });
    await sessions.append(KEY, [one, one]);
    await sessions.append(KEY, [one, entry({ uuid: 'b', n: 2 })]);
    await sessions.close();
    await sessions.append(KEY, [one, entry({ n: 3 }), entry({ n: 3 })]);
    expect(await sessions.load(KEY)).toEqual([one, entry({ uuid: 'b', n: 2 }), entry({ n: 3 }), entry({ n: 3 })]);
  });

  it('copy entries at the call', async () => {
    const one = entry({ n: 1 });
    const stored = sessions.append(KEY, [one]);
    Object.assign(one, { n: 2 });
    await stored;
    expect(await sessions.load(KEY)).toEqual([entry({ n: 1 })]);
  });

  it.each([
    { ...KEY, sessionId: '' },
    { ...KEY, subpath: '' },
    { ...KEY, projectKey: '' },
  ])('refuse the key %j', async (key) => {
    await expect(sessions.append(key, [entry({})])).rejects.toMatchObject({ code: 'USAGE' });
  });

  it.each(['../up', 'a/b', 'ä ö', '%2e', 'C:\\x', 'con', '日本'])('accept %j as any part of a key', async (odd) => {
    const keys = [
      { projectKey: odd, sessionId: 's' },
      { projectKey: 'p', sessionId: odd },
      { projectKey: 'p', sessionId: 's', subpath: `subagents/${odd}` },
    ];
    for (const [n, key] of keys.entries()) await sessions.append(key, [entry({ n })]);
    for (const [n, key] of keys.entries()) expect(await sessions.load(key)).toEqual([entry({ n })]);
    expect(await sessions.listSubkeys({ projectKey: 'p', sessionId: 's' })).toEqual([`subagents/${odd}`]);
    expect((await sessions.listSessions(odd)).map(({ sessionId }) => sessionId)).toEqual(['s']);
    expect(readdirSync(tree.root)).toEqual(['sessions']);
  });
});

describe('several writers', () => {
  it('share a session without losing an entry, and each keeps its order', async () => {
    const other = claudeSessionStore({ store: openFileStore(join(tree.root, 'sessions')) });
    for (let n = 0; n < 3; n += 1) {
      await Promise.all([
        sessions.append(KEY, [entry({ from: 'a', n })]),
        other.append(KEY, [entry({ from: 'b', n })]),
        sessions.append(KEY, [entry({ from: 'c', n })]),
      ]);
    }
    await other.close();
    const loaded = (await sessions.load(KEY)) ?? [];
    expect(loaded).toHaveLength(9);
    for (const from of ['a', 'b', 'c']) {
      expect(loaded.filter((one) => one.from === from).map(({ n }) => n)).toEqual([0, 1, 2]);
    }
  });
});

describe('the session in ollm', () => {
  const key = { projectKey: '-home-me-harbour', sessionId: 'b1946ac9-2f3c-4d5e-8f60-718293a4b5c6' };
  const records = () =>
    claudeRecords().map((record) => ({ ...record, cwd: '/home/me/harbour' }) as unknown as ClaudeSessionEntry);

  async function viewOf(id: string) {
    const reader = store.openReader(id);
    try {
      return currentView((await replay(reader, { view: viewFold })).states.view);
    } finally {
      reader.close();
    }
  }

  it('is the same conversation, in any division of the entries', async () => {
    const whole = { ...key, sessionId: 'whole' };
    await sessions.append(whole, records());
    for (const record of records()) await sessions.append(key, [record]);
    await sessions.close();
    const [one, other] = [await viewOf('claude-whole'), await viewOf(`claude-${key.sessionId}`)];
    const withoutSeq = (list: typeof one) =>
      JSON.parse(JSON.stringify(list, (name, value) => (name === 'seq' ? 0 : value)));
    expect(one.length).toBeGreaterThan(8);
    expect(withoutSeq(other)).toEqual(withoutSeq(one));
    expect(one[0]).toMatchObject({ kind: 'message', role: 'user' });
  });

  it('is one of Claude’s for the commands of ollm, and resumed as one', async () => {
    using home = createHome();
    await using mirrored = claudeSessionStore({ store: openFileStore(home.sessions) });
    await mirrored.append(key, records());
    await mirrored.append({ ...key, subpath: 'subagents/agent-a1' }, [
      { ...records()[0]!, isSidechain: true, agentId: 'a1' },
    ]);
    await mirrored.close();
    const address = `claude:${key.sessionId}`;
    expect((await home.run(['sync'])).exitCode).toBe(0);
    for (const which of [['--all'], ['--agent', 'claude']]) {
      const { stdout } = await home.run(['list', ...which, '--json']);
      const importId = `claude-${key.sessionId}`;
      expect(JSON.parse(stdout)).toMatchObject([{ address, agent: 'claude', id: key.sessionId, importId }]);
    }
    expect((await home.run(['list', '--agent', 'ollm'])).stdout).toContain(`ollm:claude-${key.sessionId}`);
    // A session of the user whose name begins so is none of Claude’s.
    const own = await openFileStore(home.sessions).create('claude-notes', { model: '', provider: '', ollm: '1.0.0' });
    const parts = [{ type: 'text', text: 'the last answer of my own' }];
    await own.append({ type: 'message.added', data: { role: 'user', parts, trusted: true } });
    await own.close();
    const found = async (...given: string[]) =>
      (await home.run(['search', ...given, 'last', 'answer'])).stdout
        .trim()
        .split('\n')
        .map((line) => line.split('#')[0]);
    expect(await found('--agent', 'claude')).toEqual([address]);
    expect((await found()).sort()).toEqual([address, 'ollm:claude-notes']);
    expect((await found('--agent', 'ollm')).sort()).toEqual([`ollm:claude-${key.sessionId}`, 'ollm:claude-notes']);
    const shown = await home.run(['show', address]);
    expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('/home/me/harbour') });
    expect((await home.run(['replay', address, '--state', 'summary'])).exitCode).toBe(0);
    const source = await home.run(['export', address, '--format', 'source']);
    expect(
      source.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(records());
    const forked = await home.run(['fork', address, '--name', 'again']);
    expect(forked.exitCode).toBe(0);
    expect((await home.run(['export', 'again', '--format', 'md'])).stdout).toContain('the last answer');
    expect((await home.run(['verify', `claude-${key.sessionId}`])).exitCode).toBe(0);
  });

  it('equals the file of Claude Code: an import adds nothing, and the mirror continues', async () => {
    using home = createHome();
    await using mirrored = claudeSessionStore({ store: openFileStore(home.sessions) });
    const all = records();
    await mirrored.append(key, all.slice(0, 6));
    await mirrored.close();
    const folder = join(home.path, '.claude/projects', key.projectKey);
    mkdirSync(folder, { recursive: true });
    const write = (lines: readonly object[]) =>
      writeFileSync(join(folder, `${key.sessionId}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    write(all.slice(0, 9));
    const address = `claude:${key.sessionId}`;
    expect((await home.run(['import', address])).exitCode).toBe(0);
    expect(await mirrored.load(key)).toEqual(all.slice(0, 9));
    await mirrored.append(key, all.slice(6));
    await mirrored.close();
    expect(await mirrored.load(key)).toEqual(all);
    expect((await mirrored.listSessions(key.projectKey)).map(({ sessionId }) => sessionId)).toEqual([key.sessionId]);
    write(all);
    const again = await home.run(['import', address, '--json']);
    expect(again.exitCode).toBe(0);
    expect(await mirrored.load(key)).toEqual(all);
    expect(
      (await home.run(['export', address, '--imported', '--format', 'md'])).stdout.split('the last answer'),
    ).toHaveLength(2);
  });

  it('has no secrets on request', async () => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(23)}AA`;
    await using clean = claudeSessionStore({ store, redactor: createRedactor() });
    await clean.append(KEY, [entry({ text: `key ${secret}` })]);
    expect(JSON.stringify(await clean.load(KEY))).not.toContain(secret);
  });
});
