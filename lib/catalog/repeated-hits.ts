// An import says what its source says, and so does the beginning of a session that was handed over: where both are in
// the catalogue, each message would be found twice. The one of the source stays, whose address also leads to the import
// once the source is gone.
import type { DatabaseSync } from 'node:sqlite';
import { partsOf } from './address-parts.ts';
import { type CopyOf, knownCopies } from './copies.ts';
import { idBefore, lastIdBeside } from './message-id.ts';
import { unpacked } from './packed-text.ts';

/** The id of the journal that a session of another program is imported into. */
export type ImportedId = (agent: string, id: string) => string;

type HitRow = Readonly<Record<string, unknown>>;

/** The plus keeps SQLite from looking at each message of the session: those of one second are few. */
const SAME = `
  SELECT text FROM messages
  WHERE id > ? AND id <= ? AND +session IN (SELECT value FROM json_each(?)) AND at = ? AND kind = ? AND size = ?`;

/** Texts and sessions that the catalogue has twice. */
export interface Repetitions {
  /** Whether a hit, one of the rows that a search reads, is that of an import or a copy whose source says the same. */
  isRepeated(row: HitRow): boolean;
  /** Whether a session is an import, or a copy in which nothing happened since, and its source is there. */
  hasSource(session: { readonly agent: string; readonly id: string; readonly lastMs: number }): boolean;
}

interface RepetitionOptions {
  readonly importedId: ImportedId;
  /** By `agent:id`. */
  readonly copies?: ReadonlyMap<string, CopyOf> | undefined;
  readonly textOf: (row: HitRow) => string;
}

export const NO_REPETITIONS: Repetitions = { isRepeated: () => false, hasSource: () => false };

export function repeatedHits(
  database: DatabaseSync,
  ownAgent: string,
  { importedId, copies, textOf }: RepetitionOptions,
): Repetitions {
  const byAgent = new Map<string, ReadonlyMap<string, number[]>>();
  const known = knownCopies(database, copies);
  const sourcesOf = (journal: string): readonly number[] => {
    const [agent = ''] = journal.split('-', 1);
    let sources = byAgent.get(agent);
    if (sources === undefined) {
      const rows = database.prepare('SELECT number, id FROM sessions WHERE agent = ?').all(agent);
      sources = Map.groupBy(
        rows.map(({ number }) => Number(number)),
        (_, index) => importedId(agent, String(rows[index]!.id)),
      );
      byAgent.set(agent, sources);
    }
    return sources.get(journal) ?? [];
  };
  const isCopied = (address: string, atMs: number): boolean => {
    const copy = known.get(address);
    return copy !== undefined && atMs <= copy.untilMs && isKnown(database, copy.from);
  };
  return {
    hasSource: ({ agent, id, lastMs }) =>
      agent === ownAgent ? sourcesOf(id).length > 0 : isCopied(`${agent}:${id}`, lastMs),
    isRepeated(row) {
      const { agent, name, at, kind, size } = row;
      if (agent !== ownAgent) return isCopied(`${agent}:${name}`, Number(at));
      const sources = sourcesOf(String(name));
      if (sources.length === 0) return false;
      const before = idBefore(Number(at));
      const values = [before, lastIdBeside(before), JSON.stringify(sources), Number(at), String(kind), Number(size)];
      const same = database.prepare(SAME).all(...values);
      return same.length > 0 && same.map(({ text }) => unpacked(text)).includes(textOf(row));
    },
  };
}

function isKnown(database: DatabaseSync, address: string): boolean {
  return database.prepare('SELECT 1 FROM sessions WHERE agent = ? AND id = ?').get(...partsOf(address)) !== undefined;
}
