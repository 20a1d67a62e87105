// The properties of the requirements that are about whole sessions: their ids, listing, deleting, keeping, limiting.
import { join } from 'node:path';
import fc from 'fast-check';
import { listSessions } from '../../lib/app/list/list-sessions.ts';
import { deleteSession, restoreSession } from '../../lib/app/sessions/change/delete-session.ts';
import { pruneSessions } from '../../lib/app/sessions/change/prune-sessions.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { systemIds } from '../../lib/platform/index.ts';
import { replay } from '../../lib/projections/replay.ts';
import { sessionFold, sessionJson } from '../../lib/projections/session.ts';
import { said } from '../session/world.ts';
import { appWorld, SESSIONS } from './world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const RUNS = { numRuns: 100 };

describe('Feature: services-sessions', () => {
  it('Property 4: Session ID uniqueness and format', async () => {
    const { app } = await appWorld();
    const withRealIds = { ...app, ids: systemIds };
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.constant(null), async () => {
        const { session } = await openSession(withRealIds, { kind: 'new' });
        expect(session.id).toMatch(UUID);
        expect(seen.has(session.id)).toBe(false);
        seen.add(session.id);
        await session.close('exit');
      }),
      RUNS,
    );
    expect(seen.size).toBe(100);
  });

  it('Property 5: Session listing completeness', async () => {
    const sizes = fc.array(fc.array(fc.string({ maxLength: 40 }), { maxLength: 4 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, async (sessions) => {
        const { app, clock } = await appWorld();
        const expected = new Map<string, object>();
        for (const messages of sessions) {
          const { session } = await openSession(app, { kind: 'new' });
          const startTime = new Date(clock.now()).toISOString();
          clock.advance(1000);
          for (const text of messages) await session.append(said('user', text));
          const tokenCount = messages.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
          const lastActivity = messages.length === 0 ? startTime : new Date(clock.now()).toISOString();
          expected.set(session.id, {
            startTime,
            lastActivity,
            model: 'm-1',
            messageCount: messages.length,
            tokenCount,
          });
          // Some are closed, some are open, some have lost their state file.
          if (messages.length % 2 === 0) await session.close('exit');
          if (messages.length === 2) await app.store.removeDocument(session.id, 'state');
        }
        const rows = await listSessions(app);
        expect(rows.map(({ id }) => id).sort()).toEqual([...expected.keys()].sort());
        for (const { id, summary } of rows) expect(summary).toMatchObject(expected.get(id) ?? {});
      }),
      RUNS,
    );
  });

  it('Property 6: Session deletion removes file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(), fc.boolean(), async (count, pick, purge) => {
        const { app, fileSystem } = await appWorld();
        const ids: string[] = [];
        for (let made = 0; made < count; made += 1) {
          const { session } = await openSession(app, { kind: 'new' });
          await session.append(said('user', 'Hello'));
          ids.push(session.id);
          await session.close('exit');
        }
        const gone = ids[pick % count] ?? '';
        const { entry } = await deleteSession(app, gone, { purge });
        for (const extension of ['.jsonl', '.json', '.state.json', '.lock']) {
          expect(fileSystem.stat(join(SESSIONS, `${gone}${extension}`))).toBeUndefined();
        }
        expect((await listSessions(app)).map(({ id }) => id).sort()).toEqual(ids.filter((id) => id !== gone).sort());
        expect((await app.store.listTrash()).map((trashed) => trashed.entry)).toEqual(purge ? [] : [entry]);
      }),
      RUNS,
    );
  });

  it('Property 7: Session auto-save durability', async () => {
    const facts = fc.array(fc.record({ text: fc.string(), call: fc.boolean() }), { maxLength: 12 });
    const ends = fc.constantFrom('process', 'machine');
    await fc.assert(
      fc.asyncProperty(facts, ends, async (list, end) => {
        const { app, fileSystem, start } = await appWorld();
        const { session } = await openSession(app, { kind: 'name', name: 'kept' });
        for (const [index, { text, call }] of list.entries()) {
          await session.append(said('user', text), { durability: 'disk' });
          if (!call) continue;
          const callId = `c${index}`;
          const result = { callId, status: 'ok', result: { llmContent: text }, durationMs: 1, trusted: false } as const;
          await session.append(
            [
              { type: 'tool.requested', data: { callId, name: 'read', args: { text } } },
              { type: 'tool.finished', data: { ...result, tokens: { count: 1, method: 'counted' } } },
            ],
            { durability: 'disk' },
          );
        }
        if (end === 'process') fileSystem.crash();
        else fileSystem.powerCut();

        const after = await start();
        const resumed = await openSession(after, { kind: 'resume', reference: 'kept' });
        await resumed.session.close('exit');
        const reader = after.store.openReader('kept');
        const { messages, toolCalls } = sessionJson((await replay(reader, { session: sessionFold })).states.session);
        reader.close();
        expect(messages.map(({ parts }) => parts)).toEqual(list.map(({ text }) => [{ type: 'text', text }]));
        expect(toolCalls.map(({ args, result }) => [args, result.llmContent])).toEqual(
          list.flatMap(({ text, call }) => (call ? [[{ text }, text]] : [])),
        );
      }),
      RUNS,
    );
  });

  it('Property 8: Session count limit enforcement', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 }), async (count, keep) => {
        const { app, clock } = await appWorld();
        const ids: string[] = [];
        for (let made = 0; made < count; made += 1) {
          clock.advance(1000);
          const { session } = await openSession(app, { kind: 'new' });
          await session.append(said('user', `${made}`));
          ids.push(session.id);
          await session.close('exit');
        }
        const dry = await pruneSessions(app, { keep, dryRun: true });
        expect(await app.store.list()).toHaveLength(count);
        const { removed } = await pruneSessions(app, { keep });
        expect(removed).toEqual(dry.removed);
        expect(removed.map(({ id }) => id)).toEqual(ids.slice(0, Math.max(0, count - keep)));
        expect((await app.store.list()).map(({ id }) => id)).toEqual(ids.slice(-keep).sort());
      }),
      RUNS,
    );
  });
});

it('a session above the limit is moved to the trash when a new one is created, with a notice', async () => {
  const { app, clock } = await appWorld();
  const limited = {
    ...app,
    config: {
      ...app.config,
      services: { ...app.config.services, session: { ...app.config.services.session, maxSessions: 2 } },
    },
  };
  const open = async (name: string) => {
    clock.advance(1000);
    const conversation = await openSession(limited, { kind: 'new', name });
    await conversation.session.close('exit');
    return conversation.notices.join('\n');
  };
  expect([await open('one'), await open('two')]).toEqual(['', '']);
  expect(await open('three')).toMatch(/One old session was moved to the trash.*ollm restore one/);
  expect((await app.store.list()).map(({ id }) => id)).toEqual(['three', 'two']);
  expect((await app.store.listTrash()).map(({ id }) => id)).toEqual(['one']);

  clock.advance(31 * 24 * 3_600_000);
  await open('four');
  expect((await app.store.listTrash()).map(({ id }) => id)).toEqual(['two']);
});

it('an open or damaged session, or one of a newer format, is never pruned', async () => {
  const { app, fileSystem, clock } = await appWorld();
  for (const name of ['open', 'damaged', 'newer', 'plain']) {
    const { session } = await openSession(app, { kind: 'new', name });
    await session.append(said('user', name));
    if (name !== 'open') await session.close('exit');
  }
  corrupt('damaged', (text) => text.replace('"damaged"}]', '"dameged"}]'));
  corrupt('newer', (text) => text.replace('"format":1', '"format":9'));
  clock.advance(1e9);
  const { removed, spared } = await pruneSessions(app, { keep: 0 });
  expect(removed.map(({ id }) => id)).toEqual(['plain']);
  expect(spared.map(({ id }) => id).sort()).toEqual(['damaged', 'newer', 'open']);
  expect(await app.store.list()).toHaveLength(3);

  function corrupt(id: string, change: (text: string) => string): void {
    const path = join(SESSIONS, `${id}.jsonl`);
    const handle = fileSystem.open(path, 'append');
    const bytes = new Uint8Array(handle.stat().size);
    handle.read(bytes, 0);
    handle.truncate(0);
    handle.write(new TextEncoder().encode(change(new TextDecoder().decode(bytes))));
    handle.close();
    fileSystem.unlink(join(SESSIONS, `${id}.state.json`));
  }
});

it('a stopped pruning keeps the remaining sessions', async () => {
  const { app, clock } = await appWorld();
  for (const name of ['one', 'two', 'three']) {
    clock.advance(1000);
    await (await openSession(app, { kind: 'new', name })).session.close('exit');
  }
  const stopping = new AbortController();
  const store = {
    ...app.store,
    async trash(id: string) {
      stopping.abort();
      return app.store.trash(id);
    },
  };
  const { removed } = await pruneSessions({ ...app, store }, { keep: 0, stop: stopping.signal });
  expect(removed.map(({ id }) => id)).toEqual(['one']);
  expect(await pruneSessions(app, { keep: 0, stop: stopping.signal })).toMatchObject({ removed: [], spared: [] });
  expect((await app.store.list()).map(({ id }) => id)).toEqual(['three', 'two']);
});

it('a session restored from the trash counts as used, and stays', async () => {
  const { app, clock } = await appWorld();
  for (const name of ['old', 'newer', 'newest']) {
    const { session } = await openSession(app, { kind: 'new', name });
    await session.append(said('user', name));
    await session.close('exit');
    clock.advance(100 * 24 * 3_600_000);
  }
  const limits = { keep: 2, olderThanMs: 250 * 24 * 3_600_000 };
  expect((await pruneSessions(app, limits)).removed.map(({ id }) => id)).toEqual(['old']);
  await restoreSession(app, 'old');
  expect((await pruneSessions(app, limits)).removed.map(({ id }) => id)).toEqual(['newer']);
  expect((await app.store.list()).map(({ id }) => id)).toEqual(['newest', 'old']);
});

it('a session that a crash left empty does not count', async () => {
  const { app, clock } = await appWorld();
  for (const name of ['one', 'two']) {
    const { session } = await openSession(app, { kind: 'new', name });
    await session.append(said('user', name));
    await session.close('exit');
    clock.advance(1000);
  }
  // The process has gone without closing it: no lock, and no last line.
  const { session } = await openSession(app, { kind: 'new' });
  await session.writer.close();
  expect(await app.store.list()).toHaveLength(3);
  const { removed, spared } = await pruneSessions(app, { keep: 2 });
  expect({ removed, spared }).toEqual({ removed: [], spared: [] });
});
