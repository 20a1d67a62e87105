// An output of a genuine session is found by a word of its middle, and what a user asks weeks later is answered.
// Reads ../shared/data where that is there; without it, it is skipped.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App } from '../../lib/app/app.ts';
import { findConversation } from '../../lib/app/find/find-session.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { matchExpression, parseQuery } from '../../lib/catalog/query.ts';
import { type HubWorld, hubWorld } from '../hub/world.ts';
import { areSessionsAtHand, hasArchive, sessionsAtHand, unpackArchive } from '../support/sessions-at-hand.ts';
import { isExample } from '../support/times.ts';

const SETS = fileURLToPath(new URL('../../bench/session-search/', import.meta.url));
const FIRST = 10;
const WORD = /(?<![\p{L}\p{N}\p{M}_])[A-Za-z]{6,40}(?![\p{L}\p{N}\p{M}_])/gu;
const FEW = 15;
/** Outputs that follow each other, of which one is tried. */
const ONE_OF = 3;

interface AskedSession {
  readonly question: string;
  /** The beginning of the address that answers, or of several. */
  readonly session: string | readonly string[];
}

/** Words of the middle of each output of a session. */
async function middlesOf(app: App, address: string): Promise<string[]> {
  const { read } = await findConversation(app, address);
  return read(async (reader) => {
    const words: string[] = [];
    for await (const batch of reader.outcomes()) {
      for (const one of batch) {
        if (one.kind !== 'event' || one.event.type !== 'tool.finished') continue;
        const { result } = one.event.data as { readonly result?: { readonly llmContent?: string } };
        const text = result?.llmContent ?? '';
        const middle = text.length / 2;
        const near = [...text.matchAll(WORD)].toSorted(
          (a, b) => Math.abs(a.index - middle) - Math.abs(b.index - middle),
        );
        if (near[0] !== undefined) words.push(near[0][0]);
      }
    }
    return words;
  });
}

const HOLDS = `
  SELECT count(*) AS n, total(s.agent || ':' || s.id = ?2) AS here
  FROM words JOIN messages m ON m.id = words.rowid JOIN sessions s ON s.number = m.session WHERE words MATCH ?1`;

async function notFound(
  hub: HubWorld,
  addresses: readonly string[],
): Promise<{ outputs: number; missed: readonly string[] }> {
  const missed: string[] = [];
  let outputs = 0;
  await hub.withApp(async (app) => {
    for (const address of addresses) {
      for (const word of await middlesOf(app, address)) {
        outputs += 1;
        if (!isExample(outputs, ONE_OF)) continue;
        const match = matchExpression(parseQuery(word));
        const held = await app.catalog.ask((database) => database.prepare(HOLDS).get(match, address));
        const { n, here } = (held.kind === 'done' ? held.value : undefined) as { n: number; here: number };
        if (here === 0) missed.push(`${address}: ${word}`);
        if (n > FEW || here === 0) continue;
        const { hits } = await searchSessions(app, { text: word }, { syncMs: 0 });
        if (!hits.some(({ agent, id, importId = id }) => [`${agent}:${id}`, `ollm:${importId}`].includes(address)))
          missed.push(`${address}: ${word}, in the search`);
      }
    }
  });
  return { outputs, missed };
}

async function indexed(hub: HubWorld): Promise<string[]> {
  return hub.withApp(async (app) => {
    const rows = await app.catalog.ask((database) => database.prepare('SELECT agent, id FROM sessions').all());
    return rows.kind === 'done' ? rows.value.map(({ agent, id }) => `${agent}:${id}`) : [];
  });
}

(hasArchive ? describe : describe.skip)('sessions of the archive', () => {
  let hub: HubWorld;
  beforeAll(async () => {
    hub = hubWorld();
    unpackArchive(hub.home);
    await hub.sync();
  });
  afterAll(() => hub.remove());

  it('sessions answer a question of weeks later among the first ten hits, also for questions without tuning', async () => {
    for (const set of ['questions', 'held-out', 'weeks-later']) {
      const asked = readFileSync(join(SETS, `${set}.jsonl`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as AskedSession);
      const missed: string[] = [];
      for (const { question, session } of asked) {
        const { hits } = await hub.withApp((app) => searchSessions(app, { text: question, limit: FIRST }));
        const isAnswer = (address: string) => [session].flat().some((each) => address.startsWith(each));
        if (!hits.some(({ address }) => isAnswer(address))) missed.push(question);
      }
      console.log(`${set}: ${asked.length - missed.length} of ${asked.length}. Missed: ${missed.join('; ')}`);
      expect(missed.length).toBeLessThanOrEqual(0.1 * asked.length);
    }
  });

  it('sessions of every program are found by a word in the middle of an output, also subagents inside files', async () => {
    const addresses = await indexed(hub);
    const { outputs, missed } = await notFound(hub, addresses);
    console.log(`${outputs} outputs of ${addresses.length} sessions.`);
    expect(missed).toEqual([]);
    expect(outputs).toBeGreaterThan(1_000);
  });
});

(areSessionsAtHand ? it : it.skip)(
  'imports of other files are found by a word in the middle of an output',
  async () => {
    const hub = hubWorld();
    try {
      const files = (await sessionsAtHand()).map(({ source }) => source.path).filter(existsSync);
      await hub.withApp(async (app) => {
        for (const [index, path] of [...new Set(files)].entries()) {
          // A file of another user is refused.
          const file = join(hub.home, 'at-hand', String(index), basename(path));
          cpSync(path, file);
          await importForeign(app, { file }).catch(() => undefined);
        }
      });
      await hub.sync();
      const addresses = await indexed(hub);
      const { outputs, missed } = await notFound(hub, addresses);
      console.log(`${outputs} outputs of ${addresses.length} sessions of ${files.length} files.`);
      expect(missed).toEqual([]);
      expect(outputs).toBeGreaterThan(100);
    } finally {
      hub.remove();
    }
  },
);
