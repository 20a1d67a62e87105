// A thread reads what this one would read, in the order in which it is stored.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAgent } from '../../lib/agents/registry.ts';
import { readAhead } from '../../lib/app/import/read-ahead.ts';
import { foreignPorts } from '../../lib/app/start/foreign-ports.ts';
import { readSession } from '../../lib/catalog/session-reading.ts';
import type { SessionEnd, SessionPart, SessionReading, TextSource } from '../../lib/catalog/text-source.ts';
import { createRedactor } from '../../lib/environment/redact.ts';
import { findSources } from '../../lib/hub/find-sources.ts';
import { listedSources } from '../../lib/hub/foreign-sources.ts';
import type { ReadAhead } from '../../lib/hub/sync.ts';
import { type HubWorld, hubWorld } from './world.ts';

const CASES = fileURLToPath(new URL('../agents/', import.meta.url));
const SECRET = 'correct-horse-battery-staple';
const DATA = { secretValues: [SECRET], uid: process.getuid?.(), othersMayOwn: [] };
const redactor = createRedactor({ secretValues: DATA.secretValues });
const OPTIONS = { clean: (text: string) => redactor.redact(text).text, outputs: true };

let hub: HubWorld;
let folder: string;
let ahead: ReadAhead | undefined;
beforeEach(() => {
  hub = hubWorld();
  folder = join(hub.home, '.claude/projects/-home-me-project');
  const state = join(hub.home, '.copilot/session-state/aa01');
  for (const each of [folder, state]) mkdirSync(each, { recursive: true });
  copyFileSync(join(CASES, 'claude/cases/inline-sidechain/record.jsonl'), join(folder, 'inline-sidechain.jsonl'));
  copyFileSync(join(CASES, 'copilot/cases/subagent/record.jsonl'), join(state, 'events.jsonl'));
  for (const name of ['bb1', 'bb2']) {
    const content = `The password is ${SECRET}. ${'A long prompt of one kind. '.repeat(40)}`;
    const record = { type: 'user', uuid: name, timestamp: '2026-01-01T00:00:00Z', sessionId: name };
    writeFileSync(
      join(folder, `${name}.jsonl`),
      `${JSON.stringify({ ...record, message: { role: 'user', content } })}\n`,
    );
  }
});
afterEach(async () => {
  await ahead?.close();
  hub.remove();
});

const sources = (): Promise<TextSource[]> =>
  hub.withApp(async (app) => {
    const ports = foreignPorts(app);
    const found: TextSource[] = [];
    for (const name of ['claude', 'copilot']) {
      const agent = await loadAgent(name);
      for (const place of findSources(agent, ports)) found.push(...listedSources(agent, place, ports).sources);
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  });

async function allOf(reading: SessionReading): Promise<{ parts: SessionPart[]; end: SessionEnd }> {
  const parts: SessionPart[] = [];
  for await (const part of reading.parts()) parts.push(part);
  const end = await reading.end();
  reading.close();
  return { parts, end };
}

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => (each instanceof Uint8Array ? [...each] : each?.data ? each.data : each)),
  );

describe('a thread that reads sessions ahead', () => {
  it('gives the parts of each session that reading it here gives, and those of the subagents in its file', async () => {
    const found = await sources();
    ahead = readAhead(found, DATA, OPTIONS)!;
    let insides = 0;
    let isPacked = false;
    for (const source of found) {
      const given = await allOf(ahead.next(source)!);
      expect(plain(given)).toEqual(plain(await allOf(await readSession(source, OPTIONS))));
      expect(Buffer.concat(given.parts.flatMap(({ rows }) => rows.map(({ words }) => words))).includes(SECRET)).toBe(
        false,
      );
      isPacked ||= given.parts.some(({ rows }) => rows.some(({ text }) => text instanceof Uint8Array));
      for (const key of given.end.insides) {
        const inside = source.inside!(key);
        expect(plain(await allOf(ahead.next(inside)!))).toEqual(plain(await allOf(await readSession(inside, OPTIONS))));
        insides += 1;
      }
    }
    expect({ isPacked, insides }).toEqual({ isPacked: true, insides: 2 });
    expect(ahead.next(found[0]!)).toBeUndefined();
  });

  it('passes over sessions that are not taken, and one that is gone costs only itself', async () => {
    const found = await sources();
    const [first, gone, ...rest] = found;
    rmSync(gone!.path);
    ahead = readAhead(found, DATA, OPTIONS)!;
    expect((await allOf(ahead.next(first!)!)).parts).not.toEqual([]);
    await expect(allOf(ahead.next(gone!)!)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect((await allOf(ahead.next(rest.at(-1)!)!)).parts).not.toEqual([]);
  });

  it('leaves the rest to this one where it breaks down', async () => {
    const found = await sources();
    ahead = readAhead(found, DATA, OPTIONS)!;
    await ahead.close();
    for (const source of found) {
      expect(plain(await allOf(ahead.next(source)!))).toEqual(plain(await allOf(await readSession(source, OPTIONS))));
    }
  });
});
