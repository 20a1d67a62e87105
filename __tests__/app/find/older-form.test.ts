// A session of the older form, one JSON document without a journal, is read wherever others are, and nothing is
// written.
import { join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { findConversation } from '../../../lib/app/find/find-session.ts';
import { readingCautions } from '../../../lib/app/find/open-for-reading.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { auditSession } from '../../../lib/app/sessions/read/audit-session.ts';
import { diffSessions } from '../../../lib/app/sessions/read/diff-sessions.ts';
import { exportSession } from '../../../lib/app/sessions/read/export-session.ts';
import { replaySession } from '../../../lib/app/sessions/read/replay-session.ts';
import { showSession } from '../../../lib/app/sessions/read/show-session.ts';
import { tailSession } from '../../../lib/app/sessions/read/tail-session.ts';
import { verifySessions } from '../../../lib/app/sessions/read/verify-sessions.ts';
import { appWorld, SESSIONS } from '../world.ts';

const SEED = {
  sessionId: 'seed',
  title: 'From before',
  model: 'llama3.1:8b',
  provider: 'offline',
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'What is a seed?' }], timestamp: '2024-01-15T10:30:00Z' },
    { role: 'assistant', parts: [{ type: 'text', text: 'A beginning.' }], timestamp: '2024-01-15T10:30:05Z' },
  ],
  toolCalls: [{ id: 'c1', name: 'bash', args: { command: 'ls' }, result: { llmContent: 'a.md' } }],
};

async function seeded(text = JSON.stringify(SEED)) {
  const world = await appWorld();
  world.fileSystem.makeDirectory(SESSIONS);
  const handle = world.fileSystem.open(join(SESSIONS, 'seed.json'), 'create');
  handle.write(Buffer.from(text));
  handle.close();
  return world;
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

const readings: readonly (readonly [string, (app: App) => Promise<unknown>, RegExp])[] = [
  ['replay', (app) => replaySession(app, 'seed', { states: ['session'] }), /What is a seed\?.*A beginning\./s],
  ['show', async (app) => await showSession(app, 'seed'), /session-data\/seed\.json".*"title":"From before"/s],
  ['export', async (app) => exportedText(app), /A beginning\./],
  [
    'tail',
    async (app) => {
      const found = await findConversation(app, 'seed');
      return (await all(tailSession(app, found, { lines: 20, signal: new AbortController().signal }))).map(lineOf);
    },
    /What is a seed\?/,
  ],
  ['audit', (app) => auditSession(app, 'seed'), /bash/],
  ['diff', async (app) => await diffSessions(app, 'seed', 'seed'), /"shared":[1-9]/],
  ['verify', (app) => verifiedSeed(app), /"findings":0/],
];

function lineOf(outcome: Awaited<ReturnType<typeof all>>[number]): string {
  const { event } = outcome as { readonly event?: { readonly raw: Uint8Array } };
  return Buffer.from(event?.raw ?? []).toString();
}

async function exportedText(app: App): Promise<string> {
  const { chunks } = await exportSession(app, 'seed', { format: 'md' });
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(Buffer.from(chunk));
  return Buffer.concat(pieces).toString();
}

async function verifiedSeed(app: App): Promise<unknown> {
  const { id } = await showSession(app, 'seed');
  return all(verifySessions(app, [id], { maxFindings: 5, deep: true }));
}

describe('a session in the older form', () => {
  it.each(readings)('can be read by %s, without a new file', async (_, read, expected) => {
    const { app, fileSystem } = await seeded();
    const before = fileSystem.readNames(SESSIONS);
    expect(JSON.stringify(await read(app))).toMatch(expected);
    expect(await readingCautions(app, 'seed', 0)).toEqual([]);
    expect(fileSystem.readNames(SESSIONS)).toEqual(before);
  });

  it('gets its journal at the first writing, and is read from it', async () => {
    const { app, fileSystem } = await seeded();
    await showSession(app, 'seed');
    const { session } = await openSession(app, { kind: 'resume', reference: 'seed' });
    await session.append({ type: 'session.titled', data: { title: 'From now', by: 'user' } });
    await session.close('exit');
    expect(fileSystem.stat(join(SESSIONS, 'seed.jsonl'))?.kind).toBe('file');
    expect((await showSession(app, 'seed')).summary.title).toBe('From now');
  });

  it('that a different process gave a journal in the meantime is read from that journal', async () => {
    const { app, start } = await seeded();
    await showSession(app, 'seed');
    const other = await start();
    const { session } = await openSession(other, { kind: 'resume', reference: 'seed' });
    await session.append({ type: 'session.titled', data: { title: 'From elsewhere', by: 'user' } });
    await session.close('exit');
    expect((await showSession(app, 'seed')).summary.title).toBe('From elsewhere');
  });

  it('that is invalid is reported', async () => {
    const { app } = await seeded('{"no":"messages"}');
    await expect(showSession(app, 'seed')).rejects.toThrow(expect.objectContaining({ code: 'JOURNAL_DAMAGED' }));
  });
});
