import { appendFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../lib/agents/agent.ts';
import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import { type WatchedWalk, watchSources } from '../../lib/hub/watch.ts';
import {
  type Clock,
  countingIds,
  manualClock,
  nodeFileSystem,
  silentLog,
  thisProcess,
} from '../../lib/platform/index.ts';
import { createTree } from '../support/tree.ts';
import { small } from './small-agent.ts';

/** A store and a hub in memory. */
function optionsWith(clock: Clock) {
  const ports = { clock, ids: countingIds(), process: thisProcess('test'), log: silentLog };
  return {
    store: openMemoryStore(ports),
    files: { fileSystem: nodeFileSystem, uid: process.getuid?.() },
    keepsSource: true,
    keepsOutputs: true,
    hub: { store: openMemoryStore(ports), sessions: 'memory' as const },
    fileSystem: nodeFileSystem,
    now: () => clock.now(),
  };
}

describe('a watcher', () => {
  it('does not report a session below an unreadable place as vanished', async () => {
    using tree = createTree({ 'place/lost': '{"text":"b"}\n' });
    const path = join(tree.root, 'place/lost');
    const common = optionsWith(manualClock());
    await (await common.store.create('small-lost', { model: 'm', provider: 'p', ollm: '0' })).close();
    const stop = new AbortController();
    const walks: WatchedWalk[] = [];
    const source = { agent: small as Agent, source: { agent: 'small', id: 'lost', path } };
    const finds = [
      { sources: [source], skipped: [], unlisted: [] },
      {
        sources: [],
        skipped: [{ address: join(tree.root, 'place'), reason: 'cannot be read' }],
        unlisted: [join(tree.root, 'place')],
      },
      { sources: [], skipped: [], unlisted: [] },
    ];
    await watchSources({
      ...common,
      signal: stop.signal,
      find: async () => finds.shift()!,
      hints: async (_, onHint) => {
        onHint();
        return { watch: onHint, close: async () => {} };
      },
      onWalk(walk) {
        walks.push(walk);
        if (walks.length === 3) stop.abort();
      },
    });
    expect(walks.map(({ lost }) => lost)).toEqual([[], [], ['small:lost']]);
  });

  it('names sessions that vanished before an import, but no imported ones', async () => {
    using tree = createTree({ kept: '{"text":"a"}\n', lost: '{"text":"b"}\n' });
    const common = optionsWith(manualClock());
    // A session of our own is in its place, so that it cannot be imported.
    await (await common.store.create('small-lost', { model: 'm', provider: 'p', ollm: '0' })).close();
    const stop = new AbortController();
    const walks: WatchedWalk[] = [];
    let ids = ['kept', 'lost'];
    await watchSources({
      ...common,
      signal: stop.signal,
      find: async () => {
        const sources = ids.map((id) => ({ agent: 'small', id, path: join(tree.root, id) }));
        return { sources: sources.map((source) => ({ agent: small as Agent, source })), skipped: [], unlisted: [] };
      },
      hints: async (_, onHint) => {
        for (const id of ids) unlinkSync(join(tree.root, id));
        ids = [];
        onHint();
        return { watch: () => {}, close: async () => {} };
      },
      onWalk(walk) {
        walks.push(walk);
        if (walks.length === 2) stop.abort();
      },
    });
    expect(walks[0]?.report).toMatchObject({ imported: 1, skipped: [{ address: 'small:lost' }] });
    expect(walks[1]).toMatchObject({ report: { sessions: 0 }, lost: ['small:lost'] });
  });

  it('indexes after the first walk, and in a row of changes once in the time of a walk', async () => {
    using tree = createTree({ talk: '{"text":"a"}\n' });
    const path = join(tree.root, 'talk');
    const clock = manualClock();
    const stop = new AbortController();
    const done: string[] = [];
    const isWhole = [false, true];
    await watchSources({
      ...optionsWith(clock),
      signal: stop.signal,
      async find() {
        done.push('walk');
        // A walk takes longer than the time between two.
        clock.advance(31_000);
        if (done.join() === 'walk,walk') appendFileSync(path, '{"text":"b"}\n');
        if (done.length >= 8) stop.abort();
        const source = { agent: 'small', id: 'talk', path };
        return { sources: [{ agent: small as Agent, source }], skipped: [], unlisted: [] };
      },
      hints: async (_, onHint) => {
        onHint();
        return { watch: onHint, close: async () => {} };
      },
      async index() {
        done.push('index');
        return isWhole.shift()!;
      },
    });
    expect(done.join(' ')).toBe('walk walk index walk index walk walk walk');
  });
});
