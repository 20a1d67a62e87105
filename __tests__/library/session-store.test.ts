// Which session a program means: by name, id or prompt file, made where there is none; and what a list says of each.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Log, openFileStore, openMemoryStore, openSessionStore, silentLog } from '../../lib/index.ts';
import { createTree } from '../support/tree.ts';

const said = (content: string) => ({ role: 'user', content });

describe('the opened session', () => {
  it('is the same for equal names, with any letters', async () => {
    const sessions = openSessionStore(openMemoryStore());
    const names = ['Über Straße', 'C++', 'C#', '日本', 'notes'];
    const ids: string[] = [];
    for (const name of names) {
      await using session = await sessions.openOrCreate({ name });
      expect(session.report.created).toBe(true);
      await session.append(said(name));
      ids.push(session.id);
    }
    expect(new Set(ids).size).toBe(names.length);
    for (const [index, name] of names.entries()) {
      await using session = await sessions.openOrCreate({ name });
      expect([session.id, session.report.created]).toEqual([ids[index], false]);
      expect(JSON.stringify(await session.messages('openai-chat'))).toContain(name);
    }
    expect((await sessions.list()).map(({ title }) => title).sort()).toEqual([...names].sort());
  });

  it('is the one with the id, which must be valid', async () => {
    const sessions = openSessionStore(openMemoryStore());
    await using session = await sessions.openOrCreate({ id: 'garden-1' });
    expect(session.id).toBe('garden-1');
    await expect(sessions.openOrCreate({ id: '../etc' })).rejects.toMatchObject({ code: 'SESSION_ID_INVALID' });
    await expect(sessions.openOrCreate({})).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('depends on the place of the prompt file, and reports a changed prompt', async () => {
    using tree = createTree({ 'prompt.md': 'Be terse.' });
    const promptFile = join(tree.root, 'prompt.md');
    const sessions = openSessionStore(openMemoryStore());
    const first = await sessions.openOrCreate({ promptFile });
    expect(JSON.stringify(await first.messages('anthropic'))).toContain('Be terse.');
    await first.close();
    writeFileSync(promptFile, 'Be verbose.');
    const again = await sessions.openOrCreate({ promptFile });
    expect([again.id, again.report.created]).toEqual([first.id, false]);
    expect(again.report.notices.join()).toContain('prompt.md has changed since this session began');
    expect(JSON.stringify(await again.messages('anthropic'))).toContain('Be terse.');
    await again.close();
    await using another = await sessions.openOrCreate({ promptFile, new: true });
    expect(another.id).not.toBe(first.id);
    expect(JSON.stringify(await another.messages('anthropic'))).toContain('Be verbose.');
    await expect(sessions.openOrCreate({ promptFile: 'no-such-file.md' })).rejects.toMatchObject({ code: 'IO_FAILED' });
  });

  it('is a new one on request, and refused if its name is taken', async () => {
    const sessions = openSessionStore(openMemoryStore());
    await using one = await sessions.openOrCreate({ new: true });
    await using other = await sessions.openOrCreate({ new: true });
    expect(one.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(other.id).not.toBe(one.id);
    await (await sessions.openOrCreate({ name: 'garden', new: true })).close();
    await expect(sessions.openOrCreate({ name: 'garden', new: true })).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
  });

  it('is refused while it is open, with the process that has it', async () => {
    const sessions = openSessionStore(openMemoryStore());
    await using _ = await sessions.openOrCreate({ name: 'garden' });
    await expect(sessions.openOrCreate({ name: 'garden' })).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
  });

  it('is created once if many ask for it at the same time', async () => {
    using tree = createTree();
    const sessions = openSessionStore(join(tree.root, 'sessions'));
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => sessions.openOrCreate({ name: 'garden' })),
    );
    const opened = results.filter(({ status }) => status === 'fulfilled');
    const codes = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(opened).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(['JOURNAL_LOCKED']));
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
    expect(await sessions.list()).toHaveLength(1);
  });

  it('continues with a named model, and remembers it', async () => {
    const sessions = openSessionStore(openMemoryStore());
    const choice = { name: 'garden', provider: 'openai', model: 'gpt-5', contextWindow: 1_000 };
    await (await sessions.openOrCreate(choice)).close();
    await (await sessions.openOrCreate({ name: 'garden' })).close();
    expect(await sessions.list()).toMatchObject([{ provider: 'openai', model: 'gpt-5' }]);
    await using other = await sessions.openOrCreate({ name: 'garden', provider: 'anthropic', model: 'claude-x' });
    expect(other.session.states.view).toMatchObject({ provider: 'anthropic', model: 'claude-x' });
    expect(other.tokens().limit).toBeUndefined();
  });
});

describe('a list', () => {
  it('has the title, the counts and the cost of each session, the newest first', async () => {
    const sessions = openSessionStore(openMemoryStore());
    {
      await using session = await sessions.openOrCreate({ new: true });
      await session.append(said('When do I sow beans?'));
      const usage = { input_tokens: 10, output_tokens: 5 };
      await session.append({ role: 'assistant', content: 'In May.', model: 'claude-haiku-4-5', usage }, 'anthropic');
    }
    await using open = await sessions.openOrCreate({ name: 'Still open' });
    await open.append(said('Is this counted?'));
    expect(await sessions.list()).toMatchObject([
      { id: open.id, title: 'Still open', messageCount: 1, turnCount: 1, spent: { calls: 0 }, damaged: 0 },
      { title: 'When do I sow beans?', messageCount: 2, turnCount: 1, spent: { calls: 1, totalCost: 0.000035 } },
    ]);
  });

  it('skips unreadable sessions, with a warning', async () => {
    using tree = createTree({ 'empty.jsonl': '', 'junk.jsonl': 'no journal\n' });
    const warnings: unknown[] = [];
    const log: Log = { ...silentLog, warn: ({ sessionId }) => void warnings.push(sessionId) };
    const sessions = openSessionStore(openFileStore(tree.root), { log });
    await (await sessions.openOrCreate({ name: 'whole' })).close();
    expect((await sessions.list()).map(({ id }) => id)).toEqual(['whole']);
    expect(warnings).toEqual(['empty', 'junk']);
  });
});
