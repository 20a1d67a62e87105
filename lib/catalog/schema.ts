// The tables of the catalogue. The number in the name of its file is theirs: a change of a table is a new number and a
// new file, because everything in it can be derived again.

export const CATALOG_NUMBER = 1;
export const CATALOG_NAME = `catalog-${CATALOG_NUMBER}.sqlite`;

/**
 * `sources`: the file that a session was read from, as it was then. `changed` is the time of its last change in
 * nanoseconds since 1970, which no program can set. `reader` is the version of the fold that read it.
 *
 * `sessions`: `summary` is what the fold said, as JSON, and `checksum` is of it, because SQLite notices a damaged page
 * only by luck. The columns behind them are read out of the summary, for queries.
 *
 * Sessions of several stores lie side by side, each under the directory of its store.
 */
export const SCHEMA = `
  CREATE TABLE sources (
    directory TEXT NOT NULL,
    session TEXT NOT NULL,
    inode REAL NOT NULL,
    size INTEGER NOT NULL,
    changed REAL NOT NULL,
    reader INTEGER NOT NULL,
    PRIMARY KEY (directory, session)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE sessions (
    directory TEXT NOT NULL,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    summary TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    title TEXT AS (summary ->> 'title'),
    model TEXT AS (summary ->> 'model'),
    provider TEXT AS (summary ->> 'provider'),
    started TEXT AS (summary ->> 'startTime'),
    last_activity TEXT AS (summary ->> 'lastActivity'),
    messages INTEGER AS (summary ->> 'messageCount'),
    turns INTEGER AS (summary ->> 'turnCount'),
    tokens INTEGER AS (summary ->> 'tokenCount'),
    cwd TEXT AS (summary ->> 'cwd'),
    parent TEXT AS (summary ->> 'parent'),
    PRIMARY KEY (directory, id)
  ) WITHOUT ROWID, STRICT;
  PRAGMA user_version = ${CATALOG_NUMBER};
`;
