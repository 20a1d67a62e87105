// A home with much of one kind: sessions, entries of the trash, sessions of another program, turns of a session, files
// of a project. For tables of counts, of commands and of routes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSession } from '../../lib/session/create.ts';
import { sha256Of } from '../../lib/session/identify.ts';
import { OPTIONS, turnEvents } from '../session/world.ts';
import type { Counts } from './counted-work.ts';
import { fileSystemWith, openStore } from './generated-journals.ts';

/** What a home has of each kind where it has little. */
export const LITTLE = { sessions: 10, trash: 10, foreign: 10, events: 10, files: 10 };
export type Sizes = typeof LITTLE;
export type Kind = keyof Sizes;
export const KINDS = Object.keys(LITTLE) as Kind[];

/** Why the cost of a piece of work grows with a kind. A kind without a reason costs the same, however much there is. */
export type Growth = Partial<Record<Kind, string>>;

/** Differences of a constant cost: a reader reads two pieces of 256 kB, a catalogue is written after a command. */
const SLACK: Counts = { stats: 100, opens: 50, directories: 20, readBytes: 400_000, parses: 100, rows: 100 };
/** The bound for each session, entry, foreign session, turn or file. */
const EACH: Counts = { stats: 25, opens: 12, directories: 3, readBytes: 10_000, parses: 25, rows: 25 };

/** Sentences on each count of work in a home of much that is over its bound. */
export function overBound(
  growthOf: (name: string) => Growth,
  {
    little,
    much,
    kind,
    many,
  }: {
    readonly little: Readonly<Record<string, Counts>>;
    readonly much: Readonly<Record<string, Counts>>;
    readonly kind: Kind;
    readonly many: number;
  },
): string[] {
  return Object.entries(much).flatMap(([name, counts]) =>
    (Object.keys(SLACK) as (keyof Counts)[]).flatMap((what) => {
      const few = little[name]![what];
      const most = few + SLACK[what] + (growthOf(name)[kind] === undefined ? 0 : EACH[what] * many);
      return counts[what] > most ? [`${name}, ${many} ${kind}: ${what} ${few} → ${counts[what]}`] : [];
    }),
  );
}

/**
 * Counts as they are when no file has just changed, at any load of the machine: a file is remembered only 2 seconds
 * after its last change. The clock of this process is an hour ahead until the value is disposed.
 */
export function anHourLater(): Disposable {
  const now = Date.now;
  Date.now = () => now() + 3_600_000;
  return {
    [Symbol.dispose]() {
      Date.now = now;
    },
  };
}

/** The sessions `target` and `other` have as many turns as `sizes.events`; `victim` is there to be deleted. */
export async function fillHome(home: string, sizes: Sizes): Promise<void> {
  const directory = join(home, 'ollm', 'session-data');
  for (const each of [directory, join(home, 'project')]) mkdirSync(each, { recursive: true });
  // What a test makes need not survive anything.
  const store = openStore(directory, { ...fileSystemWith(async () => {}), syncDirectory: async () => {} });
  const file = join(home, 'prompt.md');
  writeFileSync(file, 'Be brief.');
  const prompt = { file, sha256: sha256Of(Buffer.from('Be brief.')) };
  const make = async (id: string, turns: number) => {
    const created = { provider: 'offline', model: 'search', ollm: '0.0.0', cwd: join(home, 'project'), prompt };
    const session = await createSession(store, { id, created }, OPTIONS);
    for (let turn = 1; turn <= turns; turn += 1) {
      await session.append(turnEvents(turn, `${turn}. Where is the harbour of ${id}?`, 'Behind the dunes.'));
    }
    await session.close('exit');
  };
  for (let at = 0; at < sizes.files; at += 1) {
    const folder = join(home, 'project', `part-${at % 20}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `file-${at}.ts`),
      `// File ${at} is about the harbour.\nexport const harbour${at} = ${at};\n`,
    );
  }
  for (let at = 0; at < sizes.sessions; at += 1) await make(`s-${at}`, 1);
  for (let at = 0; at < sizes.trash; at += 1) {
    await make(`t-${at}`, 1);
    await store.trash(`t-${at}`);
  }
  for (const id of ['target', 'other']) await make(id, sizes.events);
  await make('victim', 1);
  const claude = join(home, '.claude/projects/-home-me');
  mkdirSync(claude, { recursive: true });
  for (let at = 0; at < sizes.foreign; at += 1) {
    const sessionId = `5f3c0000-1111-4222-8333-${String(at).padStart(12, '0')}`;
    const message = { role: 'user', content: `Where is the harbour? ${at}` };
    const record = { sessionId, cwd: home, type: 'user', uuid: `u${at}`, parentUuid: null, message };
    const timestamp = '2026-01-02T10:00:00.000Z';
    writeFileSync(
      join(claude, `${sessionId}.jsonl`),
      `${JSON.stringify({ ...record, timestamp, version: '2.1.0' })}\n`,
    );
  }
}
