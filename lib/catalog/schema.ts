// The tables of the catalogue. The number in the name of its file is theirs: a change of a table is a new number and a
// new file, because everything in it can be derived again.
import type { DerivedFileForm } from './derived-file.ts';
import { LISTED } from './list-table.ts';
import { TOKENIZER } from './prepared-text.ts';

const CATALOG_NUMBER = 16;
export const CATALOG_NAME = catalogName(CATALOG_NUMBER);

function catalogName(number: number): string {
  return `catalog-${number}.sqlite`;
}

const REVISING = [
  { event: 'INSERT', row: 'NEW' },
  { event: 'UPDATE', row: 'NEW' },
  { event: 'DELETE', row: 'OLD' },
]
  .map(
    ({ event, row }) => `
  CREATE TRIGGER sessions_revised_by_${event.toLowerCase()} AFTER ${event} ON sessions BEGIN
    INSERT INTO revisions VALUES (${row}.agent, 1) ON CONFLICT (agent) DO UPDATE SET number = number + 1;
  END;`,
  )
  .join('');

/**
 * `listed` is the table that lists are asked of, see list-table.ts: the row of each session of any agent, as JSON, with
 * the state of its file when read (`stamp`: inode, size and the time of its last change, which no program can set).
 * `owner` is the agent, `directory` where it keeps its sessions, `key` the id. `reader` is the version of the code that
 * read it. It has checksums, because SQLite notices a damaged page only by luck.
 * `agreed`: the revision of an agent's sessions with which all rows of a directory agree.
 *
 * What searches know:
 * - `sessions`: each session of any agent that was indexed. Times are milliseconds since 1970. `state` is “here”, or
 *   “gone” for one whose source has vanished. `branches` is JSON: which seq count now.
 *   `shape`: see session-shape.ts. `remote`: the repository that it works in, see gitRemote. `parent`: of a fork of
 *   ours, and of a session that a call of another one began. `forked_from`: of a fork that another program made.
 *   `copied`: of a session that ollm wrote for another program, see copies.ts.
 *   `program_id`: the id that its program prints, where `id` is another one.
 *   `said` and `said_by`: how the last message of a person or a model begins, and whose it is.
 * - `revisions`: a number for each agent that grows with every change of its sessions, so that a list knows whether to
 *   read them again.
 * - `sources`: how far its source was read, and the file as it was then. `progress` is packed JSON: the place, the
 *   first bytes as they were, and the state of the folds there. `content`: the hash of all that it was read from, for
 *   one of many sessions in a file, and null while an indexing changes its rows. Rows of messages with a seq above
 *   `seq` are of an indexing that was broken off.
 * - `messages`: the texts of sessions. `id` begins with the second that it happened in, so that the order of ids is
 *   the order of time. `text` is packed, see packed-text.ts, and `size` counts its characters. `cut` is 1 where only
 *   its ends were kept. `key`: the agent's id of the record where it has one, else `seq` is it. `tool` is that of a
 *   call or an output, `about` what the call of an output asked for, `blob` the attachment that has all of an output.
 * - `counted`: each request, turn and call, see session-counts.ts. Copies of one have the same `record`. Rows with a
 *   `seq` above that of `sources` are of an indexing that was broken off. `at` is 0 where no time is known.
 * - `changes`: files that calls changed, see changes.ts. `call` is the row of the call among the messages, `name` the
 *   last part of the path, `marks` those of its lines, see line-marks.ts. `body` is compressed with the text of the
 *   call as its dictionary.
 * - `words`: the full-text index over the prepared text of the message with the same rowid.
 * - `terms`: its words, each with the number of texts.
 * - `looks`: 1 is the last look at the sessions of other programs, see last-look.ts. It names files of sessions, so it
 *   goes with each of them. 2 is there once all of those sessions were read.
 * - `names`: the same over what names the session with that number. `prompt`: the first one of a session without title.
 */
export const SCHEMA = `
${LISTED}
  CREATE TABLE agreed (
    owner TEXT NOT NULL,
    directory TEXT NOT NULL,
    revision TEXT NOT NULL,
    PRIMARY KEY (owner, directory)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    directory TEXT NOT NULL,
    id TEXT NOT NULL,
    path TEXT,
    title TEXT,
    project TEXT,
    model TEXT,
    started INTEGER,
    last_activity INTEGER,
    messages INTEGER,
    tokens INTEGER,
    cost REAL,
    branch TEXT,
    remote TEXT,
    parent TEXT,
    forked_from TEXT,
    copied TEXT,
    program_id TEXT,
    state TEXT NOT NULL,
    shape BLOB,
    said TEXT,
    said_by TEXT,
    branches TEXT,
    UNIQUE (agent, directory, id)
  ) STRICT;
  CREATE INDEX sessions_by_id ON sessions (agent, id);
  CREATE INDEX sessions_copied ON sessions (copied) WHERE copied IS NOT NULL;
  CREATE TABLE revisions (agent TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID, STRICT;
${REVISING}
  CREATE TABLE sources (
    session INTEGER PRIMARY KEY,
    inode REAL,
    size INTEGER,
    changed REAL,
    reader TEXT NOT NULL,
    seq INTEGER NOT NULL,
    progress ANY NOT NULL,
    content TEXT
  ) STRICT;
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    message TEXT,
    key TEXT,
    role TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    text ANY NOT NULL,
    tool TEXT,
    about TEXT,
    blob TEXT,
    cut INTEGER
  ) STRICT;
  CREATE INDEX messages_of_session ON messages (session, message, seq);
  CREATE INDEX messages_cut ON messages (cut) WHERE cut = 1;
  CREATE TABLE counted (
    session INTEGER NOT NULL,
    record INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    model TEXT,
    tool TEXT,
    input INTEGER,
    output INTEGER,
    cached INTEGER,
    cost REAL,
    took REAL,
    paused REAL,
    failed INTEGER,
    PRIMARY KEY (session, record)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX counted_by_time ON counted (at);
  CREATE TABLE changes (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    call INTEGER NOT NULL,
    name TEXT NOT NULL,
    at INTEGER NOT NULL,
    state INTEGER NOT NULL,
    decided TEXT,
    marks BLOB,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX changes_of_session ON changes (session, seq);
  CREATE INDEX changes_by_name ON changes (name);
  CREATE INDEX changes_by_call ON changes (call);
  CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize="${TOKENIZER}");
  CREATE VIRTUAL TABLE terms USING fts5vocab(words, row);
  CREATE VIRTUAL TABLE names USING fts5(
    title, prompt, project, branch, content='', contentless_delete=1, tokenize="${TOKENIZER}"
  );
  CREATE TABLE looks (number INTEGER PRIMARY KEY, look TEXT NOT NULL) STRICT;
  CREATE TRIGGER looks_forget AFTER DELETE ON sessions BEGIN DELETE FROM looks WHERE number = 1; END;
  PRAGMA user_version = ${CATALOG_NUMBER};
`;

export const CATALOG_FORM: DerivedFileForm = {
  number: CATALOG_NUMBER,
  nameOf: catalogName,
  lockName: 'catalog.lock',
  schema: SCHEMA,
  indexes: ['words', 'names'],
};
