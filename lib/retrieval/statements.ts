// Statements of SQL are prepared once for each database: a project has thousands of files.
import type { DatabaseSync } from 'node:sqlite';

/**
 * Remembers what `prepare` makes of each database.
 *
 * @example
 * const statementsOf = preparedOnce((database) => ({ remove: database.prepare('DELETE FROM words') }));
 */
export function preparedOnce<Statements extends object>(
  prepare: (database: DatabaseSync) => Statements,
): (database: DatabaseSync) => Statements {
  const prepared = new WeakMap<DatabaseSync, Statements>();
  return (database) => {
    const known = prepared.get(database) ?? prepare(database);
    prepared.set(database, known);
    return known;
  };
}
