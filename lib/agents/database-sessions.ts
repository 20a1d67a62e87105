// The sessions in a database of another program, of which each is a row of one table.
import type { DiscoveredSession, JsonObject, Looking } from './agent.ts';

/** As many rows take at most 50 ms. */
const PAGE = 500;

interface SessionTable {
  readonly path: string;
  readonly table: string;
  /** Each is read where the version of the database has it, after `id`. */
  readonly columns: readonly string[];
  /** The other members of the source, from these columns. */
  readonly factsOf: (row: JsonObject) => Omit<DiscoveredSession, 'id' | 'path'>;
}

/** Yields the sessions by their ids. A row without an id is left out. */
export function* sessionsInTable(
  looking: Looking,
  { path, table, columns, factsOf }: SessionTable,
): Iterable<DiscoveredSession> {
  const wanted = ['id', ...columns];
  const rows = looking.query(path, { [table]: wanted }, (database) => {
    const names = wanted.filter((name) => database.has(table, name));
    const found: JsonObject[] = [];
    if (!names.includes('id')) return found;
    const statement = `SELECT ${names.join(', ')} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`;
    for (let after: unknown = ''; typeof after === 'string'; ) {
      const page = database.all(statement, after, PAGE);
      found.push(...page);
      after = page.length < PAGE ? undefined : page.at(-1)?.id;
    }
    return found;
  });
  for (const row of rows ?? []) {
    const { id } = row;
    if (typeof id === 'string' && id !== '') yield { ...factsOf(row), id, path };
  }
}
