// Every statement that is prepared while `work` runs, with the place in the code that prepared it, and how SQLite would
// carry it out on the database at hand.

import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface RecordedStatement {
  /** On one line. */
  readonly sql: string;
  /** `lib/catalog/search.ts:121` */
  readonly place: string;
  /** `SEARCH sessions USING INDEX …`, or `SCAN sessions`. */
  readonly plan: readonly string[];
  /** By their names, the columns of each index that the plan names. */
  readonly indexes: ReadonlyMap<string, readonly string[]>;
}

export async function recordStatements(work: () => Promise<void>): Promise<readonly RecordedStatement[]> {
  const recorded = new Map<string, RecordedStatement>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...options) {
    const statement = prepare.call(this, sql, ...options);
    const place = placeOf(new Error().stack ?? '');
    const line = sql.replace(/\s+/g, ' ').trim();
    const key = `${place} ${line}`;
    if (place !== undefined && !recorded.has(key)) {
      const all = (query: string) => prepare.call(this, query).all();
      const plan = /^PRAGMA/.test(line) ? [] : all(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => String(detail));
      const names = plan.flatMap((step) => / INDEX (\S+) /.exec(step)?.[1] ?? []);
      const indexes = names.map((name) => {
        const columns = all(`SELECT name FROM pragma_index_info('${name}')`).map((column) => String(column.name));
        return [name, columns] as const;
      });
      recorded.set(key, { sql: line, place, plan, indexes: new Map(indexes) });
    }
    return statement;
  };
  try {
    await work();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return [...recorded.values()];
}

/** Undefined for a statement of a test, and for one in the database of another program, which refuses to explain it. */
function placeOf(stack: string): string | undefined {
  const frame = stack.split('\n')[2] ?? '';
  const [, path, line] = /(?:file:\/\/)?(\/[^\s()]+):(\d+):\d+\)?$/.exec(frame) ?? [];
  if (path === undefined || !path.startsWith(`${ROOT}lib/`) || path.startsWith(`${ROOT}lib/agents/`)) return undefined;
  return `${path.slice(ROOT.length)}:${line}`;
}
