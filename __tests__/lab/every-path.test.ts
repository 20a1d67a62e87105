// Every genuine session is read by every path: listed, replayed, exported as Markdown, imported and forked, with the
// same messages. Reads ../shared/data where that is there; without it, it is skipped.
import { cpSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { App } from '../../lib/app/app.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import { forkSession } from '../../lib/app/sessions/change/fork-session.ts';
import { exportSession } from '../../lib/app/sessions/read/export-session.ts';
import { replaySession } from '../../lib/app/sessions/read/replay-session.ts';
import { type HubWorld, hubWorld } from '../hub/world.ts';
import { areSessionsAtHand, hasArchive, sessionsAtHand, unpackArchive } from '../support/sessions-at-hand.ts';

let hub: HubWorld;
beforeEach(() => {
  hub = hubWorld();
});
afterEach(() => hub.remove());

/** Reads a session as `ollm replay` and as Markdown, and names faults. */
async function readBy(app: App, address: string): Promise<{ messages: number; faults: readonly string[] }> {
  const { states } = await replaySession(app, address, { states: ['session'] });
  const { messages } = states.session as { readonly messages: readonly unknown[] };
  const { chunks } = await exportSession(app, address, { format: 'md' });
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  const isEmpty = messages.length > 0 && Buffer.concat(pieces).length < 20;
  return { messages: messages.length, faults: isEmpty ? [`${address}: its Markdown is empty`] : [] };
}

/** Replays, exports, imports and forks: each of the copies has the messages of the session. */
async function faultsOf(app: App, address: string): Promise<readonly string[]> {
  const faults: string[] = [];
  try {
    const source = await readBy(app, address);
    // Without a conversation there is nothing to continue.
    if (source.messages === 0) return source.faults;
    const fork = await forkSession(app, address);
    for (const copy of [fork.parent, fork.id]) {
      const read = await readBy(app, copy);
      faults.push(...read.faults);
      if (read.messages !== source.messages)
        faults.push(`${address} has ${source.messages} messages, ${copy} has ${read.messages}`);
    }
    faults.push(...source.faults);
  } catch (error) {
    faults.push(`${address}: ${String(error)}`);
  }
  return faults;
}

describe('every session at hand', () => {
  (hasArchive ? it : it.skip)('is listed, replayed, exported, imported and forked with the same messages', async () => {
    unpackArchive(hub.home);
    await hub.sync();
    const faults: string[] = [];
    const rows = await hub.withApp(async (app) => (await listAll(app)).rows);
    for (const { address } of rows) faults.push(...(await hub.withApp((app) => faultsOf(app, address))));
    console.log(`${rows.length} sessions.`);
    expect(faults).toEqual([]);
    expect(rows.length).toBeGreaterThan(80);
  });

  (areSessionsAtHand ? it : it.skip)('is replayed, exported and forked after an import of its file', async () => {
    const files = new Set((await sessionsAtHand()).map(({ source }) => source.path).filter(existsSync));
    const faults: string[] = [];
    await hub.withApp(async (app) => {
      for (const [index, path] of [...files].entries()) {
        const file = join(hub.home, 'at-hand', String(index), basename(path));
        cpSync(path, file);
        await importForeign(app, { file }).catch(() => undefined);
      }
      for (const { id } of await app.store.list()) faults.push(...(await faultsOf(app, id)));
    });
    expect(faults).toEqual([]);
  });
});
