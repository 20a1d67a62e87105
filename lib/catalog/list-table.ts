// The table that lists are asked of: a row for each session of every program. The catalogue stores it; a process takes
// the stored rows over in one statement, looks at what changed, and stores the rows of that. Pages, counts and totals
// are queries of its own copy, which also has the rows that may not be stored: see docs/decisions/0012.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { SourceFile } from './text-source.ts';

/**
 * In which lists a row is shown: in none, because it is a subagent's; in each; only in that of ollm's own sessions, as
 * the journal of an import; or only in the others, as the session that it is the import of, unless that is listed.
 */
export type Shown = 'never' | 'always' | 'as import' | 'as source';

/** What a list orders, filters and counts by. The table stores the whole row as JSON. */
interface OrderedRow {
  readonly address: string;
  readonly agent: string;
  readonly project: string | undefined;
  readonly remote: string | undefined;
  readonly lastActivity: string | undefined;
}

/** A source of rows, named by `owner`, `directory` and `key`. */
export interface RowSource {
  /** The program that keeps it. */
  readonly owner: string;
  /** Where the program keeps its sessions. */
  readonly directory: string;
  readonly key: string;
  /** The source as JSON; undefined if it has vanished. */
  readonly source?: string | undefined;
  /** The facts of the catalogue that its row has, as JSON. */
  readonly known?: string | undefined;
  /** The state of the file at the last look: see `stampOf`. */
  readonly stamp?: string | undefined;
  /** Whether its row may change though its file looks the same. */
  readonly isPassing?: boolean | undefined;
  /** Whether its file is still to be read: the row then has only what its directory says. */
  readonly isUnread?: boolean | undefined;
  /** Whether a process may have it open. */
  readonly isOpen?: boolean | undefined;
  /** The id of the journal that is, or would be, its import. */
  readonly importId?: string | undefined;
}

/** A source with its rows. */
export interface ListedRows<Row extends OrderedRow = OrderedRow> {
  readonly source: RowSource;
  readonly rows: Partial<Readonly<Record<Shown, Row>>> | 'never';
  /** For lists of ollm's own sessions, which print more than the row has. */
  readonly summary?: object | undefined;
}

export interface ListFilter {
  /** Only rows of this program. Default: those of all. */
  readonly agent?: string | undefined;
  readonly address?: string | undefined;
  /** Milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** Only rows of these very directories. */
  readonly projects?: readonly string[] | undefined;
  readonly withoutProject?: boolean | undefined;
  /** Addresses of rows that are left out: of other programs only, and of all. */
  readonly hidden?: Iterable<string> | undefined;
  readonly leftOut?: Iterable<string> | undefined;
  /** Imports that are no sessions of their own: see `unexplained`. */
  readonly imports?: Iterable<string> | undefined;
}

/** Which of the rows, which are in the order of their activity. */
export interface ListRange {
  readonly limit?: number | undefined;
  readonly from?: number | undefined;
  /** Only the rows that follow this place. */
  readonly after?: { readonly lastActivity: string; readonly address: string } | undefined;
  /** At most this many of each project, the newest. */
  readonly ofEach?: number | undefined;
}

interface ListCount {
  readonly agent: string;
  readonly project: string | undefined;
  readonly sessions: number;
  /** RFC 3339: the newest activity of them, where any is known. */
  readonly lastActivity: string | undefined;
}

const IN_ORDER = 'listed_in_order';
const OF_AGENT = 'listed_of_agent';
/** In the catalogue and in memory. `reader`, the checksums and `summary` are of stored rows. */
export const LISTED = `
  CREATE TABLE listed (
    owner TEXT NOT NULL,
    directory TEXT NOT NULL,
    key TEXT NOT NULL,
    shown TEXT NOT NULL,
    agent TEXT,
    address TEXT,
    project TEXT,
    remote TEXT,
    last TEXT,
    at REAL,
    row TEXT,
    source TEXT,
    known TEXT,
    stamp TEXT,
    changed REAL,
    passing INTEGER NOT NULL,
    unread INTEGER NOT NULL,
    open INTEGER NOT NULL,
    import TEXT,
    reader TEXT,
    checksum INTEGER,
    summary TEXT,
    summed INTEGER,
    PRIMARY KEY (owner, directory, key, shown)
  ) STRICT;`;
const UNREAD = 'CREATE INDEX listed_unread ON listed (last DESC, address) WHERE unread = 1';
/** Rows are written quicker without them: they are made when the table is first asked again. */
const INDEXES = `
  CREATE INDEX ${IN_ORDER} ON listed (last DESC, address);
  CREATE INDEX ${OF_AGENT} ON listed (agent, last DESC, address);
  CREATE INDEX listed_of_address ON listed (address);
  CREATE INDEX listed_by_change ON listed (owner, changed DESC);
  CREATE INDEX listed_by_import ON listed (import) WHERE import IS NOT NULL;
  CREATE INDEX listed_passing ON listed (owner) WHERE passing = 1;
  CREATE INDEX listed_as_source ON listed (owner, key, import) WHERE shown = 'as source';
  CREATE INDEX listed_counted ON listed (unread, project, last DESC, address, shown, agent, at, remote, owner, key, import);
`;
const COLUMNS =
  'owner, directory, key, shown, agent, address, project, remote, last, at, row, source, known, stamp, changed, passing, unread, open, import';
const PUT = `INSERT OR REPLACE INTO listed (${COLUMNS}) VALUES (?${', ?'.repeat(18)})`;
export const STORE = `INSERT OR REPLACE INTO listed VALUES (?${', ?'.repeat(22)})`;
const SUMMED = ['shown', 'agent', 'address', 'project', 'remote', 'last', 'row', 'stamp', 'import'];
const IS_WHOLE = `checksum = crc_of(concat_ws(' ', ${SUMMED.join(', ')}))`;
const LOAD = `
  INSERT OR IGNORE INTO main.listed SELECT ${COLUMNS}, NULL, NULL, NULL, NULL FROM stored.listed
  WHERE owner = ? AND directory IN (SELECT value FROM json_each(?)) AND reader = ? AND ${IS_WHOLE}`;
const STORED =
  'SELECT count(*) AS count FROM stored.listed WHERE owner = ? AND directory IN (SELECT value FROM json_each(?))';
const AGREED = 'SELECT directory, revision FROM stored.agreed WHERE owner = ?';
const STAMPS = 'SELECT key, source, stamp, passing FROM listed WHERE owner = ? AND directory = ?';
const SOURCES = 'SELECT owner, directory, key, source, known, stamp, passing, unread, open, import FROM listed';
/** The plus keeps SQLite to the index of imports. */
const IS_SOURCE = "+shown IN ('always', 'never')";
const IS_LISTED = `import IN (SELECT import FROM listed WHERE import IS NOT NULL AND ${IS_SOURCE})`;
/** What a quarter of an hour has in milliseconds: the offset of each time zone is a multiple of it. */
export const QUARTER_MS = 900_000;
/** How long SQLite waits for another process. */
const BUSY_TIMEOUT_MS = 200;

export class ListTable<Row extends OrderedRow> {
  readonly #database = new DatabaseSync(':memory:', { timeout: BUSY_TIMEOUT_MS });
  readonly #own: string;
  readonly #blank: Row;
  readonly #statements = new Map<string, StatementSync>();
  #isIndexed = false;

  /** `own`: the agent of ollm's own sessions. `blank`: a row with all members, in their order. */
  constructor({ own, blank }: { readonly own: string; readonly blank: Row }) {
    this.#own = own;
    this.#blank = blank;
    this.#database.exec(`${LISTED} ${UNREAD}`);
    this.#database.function('crc_of', { deterministic: true }, (text) => crc32(String(text)));
  }

  close(): void {
    this.#database.close();
  }

  /**
   * Takes over the stored rows of these directories. Returns, for each directory of which all rows came, the revision
   * that they agree with. `attach`: see `Catalog.attach`.
   */
  async load(
    attach: (database: DatabaseSync, read: () => void) => Promise<unknown>,
    { owner, directories, reader }: Pick<RowSource, 'owner'> & { directories: readonly string[]; reader: string },
  ): Promise<ReadonlyMap<string, string>> {
    const agreed = new Map<string, string>();
    await attach(this.#database, () => {
      const place = [owner, JSON.stringify(directories)] as const;
      const { changes } = this.#database.prepare(LOAD).run(...place, reader);
      if (this.#database.prepare(STORED).get(...place)?.count !== changes) return;
      for (const { directory, revision } of this.#database.prepare(AGREED).all(owner))
        agreed.set(String(directory), String(revision));
    });
    return agreed;
  }

  /** From now on, few rows change between two questions. */
  index(): void {
    if (this.#isIndexed) return;
    this.#isIndexed = true;
    this.#database.exec(INDEXES);
  }

  /** All that `work` writes is one transaction: many rows are written quicker. */
  write(work: () => void): void {
    this.#database.exec('BEGIN');
    try {
      work();
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  /** Replaces the rows of one source. */
  put(listed: ListedRows<Row>): void {
    const put = this.#prepared(PUT);
    for (const values of valuesOf(listed)) put.run(...values);
  }

  drop(owner: string, directory: string, keys: Iterable<string>): void {
    const among = 'owner = ? AND directory = ? AND key IN (SELECT value FROM json_each(?))';
    this.#prepared(`DELETE FROM listed WHERE ${among}`).run(owner, directory, JSON.stringify([...keys]));
  }

  /** Drops the rows of an owner that are of other directories. */
  keep(owner: string, directories: readonly string[]): void {
    const statement = 'DELETE FROM listed WHERE owner = ? AND directory NOT IN (SELECT value FROM json_each(?))';
    this.#prepared(statement).run(owner, JSON.stringify(directories));
  }

  // ── For those who look at the sessions ──

  /** The sources of an owner in a directory, by their keys, with what a look compares. */
  stamps(owner: string, directory: string): Map<string, Pick<RowSource, 'source' | 'stamp' | 'isPassing'>> {
    const query = this.#prepared(STAMPS);
    query.setReturnArrays(true);
    const found = query.all(owner, directory) as unknown as [string, string | null, string | null, number][];
    return new Map(
      found.map(([key, source, stamp, passing]) => [
        key,
        { source: source ?? undefined, stamp: stamp ?? undefined, isPassing: passing === 1 },
      ]),
    );
  }

  /** The sources among these keys that are there. */
  named(owner: string, directory: string, keys: Iterable<string>): Map<string, RowSource> {
    const among = 'WHERE owner = ? AND directory = ? AND key IN (SELECT value FROM json_each(?))';
    return this.#sources(among, owner, directory, JSON.stringify([...keys]));
  }

  /** Sources whose files changed last, and those whose rows may change though their files look the same. */
  uncertain(owner: string, newest: number): RowSource[] {
    const last = this.#sources('WHERE owner = ? ORDER BY changed DESC LIMIT ?', owner, newest);
    const passing = this.#sources('WHERE owner = ? AND passing = 1', owner);
    return [...new Map([...last, ...passing]).values()];
  }

  #sources(among: string, ...values: SQLInputValue[]): Map<string, RowSource> {
    const found = this.#prepared(`${SOURCES} ${among}`).all(...values);
    return new Map(found.map((row) => [String(row.key), sourceIn(row)]));
  }

  /** Up to `limit` sources that are to be read, the newest first, with the rows that they have. */
  unread(filter: ListFilter, limit: number): { readonly source: RowSource; readonly row: Row }[] {
    const { sql, values } = this.#where({ ...filter, projects: undefined, withoutProject: undefined }, 1);
    const columns = SOURCES.replace(' FROM', ', row FROM');
    const found = this.#prepared(`${columns} ${sql} ORDER BY last DESC, address LIMIT ?`).all(...values, limit);
    return found.map((row) => ({ source: sourceIn(row), row: this.#rowIn(row.row) }));
  }

  /** Keys of imports whose source is not listed. */
  unexplained(owner: string): string[] {
    const sql = `SELECT key FROM listed WHERE owner = ? AND shown = 'as source' AND NOT ${IS_LISTED}`;
    return this.#prepared(sql)
      .all(owner)
      .map(({ key }) => String(key));
  }

  /** Whether a session is listed of which the journal with this id is, or would be, the import. */
  explains(importId: string): boolean {
    const sql = `SELECT 1 FROM listed WHERE import = ? AND ${IS_SOURCE}`;
    return this.#prepared(sql).get(importId) !== undefined;
  }

  // ── Lists ──

  /** The newest activity first. */
  rows(filter: ListFilter, { limit = -1, from = 0, after, ofEach }: ListRange = {}): Row[] {
    const { sql, values } = this.#where(filter, 0);
    const behind = after === undefined ? '' : ' AND (last < ? OR last = ? AND address > ?)';
    const place = after === undefined ? [] : [after.lastActivity, after.lastActivity, after.address];
    const isInOrder = this.#isIndexed && filter.address === undefined;
    const order = isInOrder ? `INDEXED BY ${filter.agent === undefined ? IN_ORDER : OF_AGENT}` : '';
    const query =
      ofEach === undefined
        ? `SELECT row FROM listed ${order} ${sql}${behind}`
        : `SELECT row FROM listed WHERE rowid IN (SELECT number FROM (${NTH} ${sql}) WHERE nth <= ?)${behind}`;
    const each = ofEach === undefined ? [] : [ofEach];
    const found = this.#prepared(`${query} ORDER BY last DESC, address LIMIT ? OFFSET ?`);
    return found.all(...values, ...each, ...place, limit, from).map(({ row }) => this.#rowIn(row));
  }

  total(filter: ListFilter, { ofEach }: Pick<ListRange, 'ofEach'> = {}): number {
    const { sql, values } = this.#where(filter, 0);
    const query =
      ofEach === undefined
        ? `SELECT count(*) AS count FROM listed ${sql}`
        : `SELECT sum(min(each, ?)) AS count FROM (SELECT count(*) AS each FROM listed ${sql} GROUP BY project)`;
    const each = ofEach === undefined ? [] : [ofEach];
    return Number(this.#prepared(query).get(...each, ...values)?.count ?? 0);
  }

  /** How many rows something happened in since `lastActivity`. */
  totalSince(filter: ListFilter, lastActivity: string): number {
    const { sql, values } = this.#where(filter, 0);
    const found = this.#prepared(`SELECT count(*) AS count FROM listed ${sql} AND last >= ?`).get(
      ...values,
      lastActivity,
    );
    return Number(found?.count);
  }

  /** How many rows each program has in each directory. */
  counts(filter: ListFilter): ListCount[] {
    const { sql, values } = this.#where(filter, 0);
    const query = `SELECT agent, project, count(*) AS count, max(last) AS newest FROM listed ${sql} GROUP BY agent, project`;
    return this.#prepared(query)
      .all(...values)
      .map(({ agent, project, count, newest }) => ({
        agent: String(agent),
        project: project === null ? undefined : String(project),
        sessions: Number(count),
        lastActivity: newest === '' ? undefined : String(newest),
      }));
  }

  /** By quarters of an hour since 1970, the newest first. Rows without a time are in none. */
  countsByQuarter(filter: ListFilter): { readonly quarter: number; readonly sessions: number }[] {
    const { sql, values } = this.#where(filter, 0);
    const query = `
      SELECT CAST(floor(at / ${QUARTER_MS}) AS INTEGER) AS quarter, count(*) AS count
      FROM listed ${sql} AND at IS NOT NULL GROUP BY quarter ORDER BY quarter DESC`;
    return this.#prepared(query)
      .all(...values)
      .map(({ quarter, count }) => ({ quarter: Number(quarter), sessions: Number(count) }));
  }

  /** The directories that rows have, each with the repository that the row names. */
  projects(
    filter: ListFilter,
  ): { readonly agent: string; readonly project: string; readonly remote: string | undefined }[] {
    const { sql, values } = this.#where(filter, 0);
    const query = `SELECT DISTINCT agent, project, remote FROM listed ${sql} AND project IS NOT NULL`;
    return this.#prepared(query)
      .all(...values)
      .map(({ agent, project, remote }) => ({
        agent: String(agent),
        project: String(project),
        remote: remote === null ? undefined : String(remote),
      }));
  }

  /** `unread` 1: rows whose files are still to be read; 0: the others. */
  #where(
    { agent, address, sinceMs, projects, withoutProject, hidden, leftOut, imports }: ListFilter,
    unread: 0 | 1,
  ): { readonly sql: string; readonly values: SQLInputValue[] } {
    const terms = [`unread = ${unread}`];
    const values: SQLInputValue[] = [];
    const add = (term: string, ...given: SQLInputValue[]): void => {
      terms.push(term);
      values.push(...given);
    };
    if (agent === this.#own) add("agent = ? AND shown IN ('always', 'as import')", agent);
    else {
      if (agent !== undefined) add('agent = ?', agent);
      add(`(shown = 'always' OR shown = 'as source' AND NOT ${IS_LISTED})`);
      addEach(imports, "NOT (shown = 'as source' AND key IN %)");
    }
    if (address !== undefined) add('address = ?', address);
    if (sinceMs !== undefined) add('at >= ?', sinceMs);
    if (withoutProject) add('project IS NULL');
    if (projects !== undefined) add('project IN (SELECT value FROM json_each(?))', JSON.stringify(projects));
    addEach(hidden, `NOT (owner <> '${this.#own}' AND address IN %)`);
    addEach(leftOut, 'address NOT IN %');
    return { sql: `WHERE ${terms.join(' AND ')}`, values };

    function addEach(texts: Iterable<string> | undefined, term: string): void {
      const all = [...(texts ?? [])];
      if (all.length > 0) add(term.replace('%', '(SELECT value FROM json_each(?))'), JSON.stringify(all));
    }
  }

  #rowIn(stored: unknown): Row {
    return { ...this.#blank, ...(JSON.parse(String(stored)) as Row) };
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const NTH = `
  SELECT rowid AS number, row_number() OVER (PARTITION BY project ORDER BY last DESC, address) AS nth FROM listed`;

function sourceIn(row: Readonly<Record<string, unknown>>): RowSource {
  const { owner, directory, key, source, known, stamp, passing, unread, open } = row;
  const text = (value: unknown) => (value === null ? undefined : String(value));
  return {
    owner: String(owner),
    directory: String(directory),
    key: String(key),
    source: text(source),
    known: text(known),
    stamp: text(stamp),
    isPassing: passing === 1,
    isUnread: unread === 1,
    isOpen: open === 1,
    importId: text(row.import),
  };
}

/** The values of each of its rows, in the order of `COLUMNS`. */
function valuesOf({ source, rows }: ListedRows<OrderedRow>): SQLInputValue[][] {
  const { owner, directory, key, known, stamp, isPassing, isUnread, isOpen, importId } = source;
  const rest: SQLInputValue[] = [
    ...[source.source ?? null, known ?? null, stamp ?? null, stamp === undefined ? null : changedIn(stamp)],
    ...[Number(isPassing ?? false), Number(isUnread ?? false), Number(isOpen ?? false), importId ?? null],
  ];
  if (rows === 'never') return [[owner, directory, key, rows, null, null, null, null, null, null, null, ...rest]];
  return Object.entries(rows).map(([shown, row]) => {
    const { agent, address, project = null, remote = null, lastActivity } = row;
    const at = Date.parse(lastActivity ?? '');
    const ordered = [project, remote, lastActivity ?? '', Number.isNaN(at) ? null : at];
    return [owner, directory, key, shown, agent, address, ...ordered, JSON.stringify(row), ...rest];
  });
}

/** For `STORE`. */
export function storedValuesOf(listed: ListedRows<OrderedRow>, reader: string): SQLInputValue[][] {
  const summary = listed.summary === undefined ? null : JSON.stringify(listed.summary);
  return valuesOf(listed).map((values) => {
    const [, , , shown, agent, address, project, remote, last, , row, , , stamp, , , , , importId] = values;
    const summed = [shown, agent, address, project, remote, last, row, stamp, importId];
    const checksum = crc32(summed.filter((value) => value !== null).join(' '));
    return [...values, reader, checksum, summary, summary === null ? null : crc32(summary)];
  });
}

/** Undefined of a file of which no text says that it changed. */
export function stampOf(file: SourceFile): string;
export function stampOf(file: Partial<SourceFile> | undefined): string | undefined;
export function stampOf({ inode, size, changedNs }: Partial<SourceFile> = {}): string | undefined {
  return inode === undefined || changedNs === undefined ? undefined : `${inode} ${size} ${changedNs}`;
}

export function fileIn(stamp: string): SourceFile;
export function fileIn(stamp: string | undefined): SourceFile | undefined;
export function fileIn(stamp: string | undefined): SourceFile | undefined {
  if (stamp === undefined) return undefined;
  const [inode, size, changedNs] = stamp.split(' ') as [string, string, string];
  return { inode: BigInt(inode), size: Number(size), changedNs: BigInt(changedNs) };
}

function changedIn(stamp: string): number {
  return Number(stamp.slice(stamp.lastIndexOf(' ') + 1));
}
