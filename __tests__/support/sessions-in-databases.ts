// Programs that keep many sessions in one database, with the tables of their genuine schemas that hold sessions: made,
// and changed one session at a time, as the programs and other tools do.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const START = 1_772_352_000_000;

/** A program that has its database open. Times of its rows never change: no clock helps to find what did. */
export interface DatabaseOwner {
  readonly agent: string;
  readonly path: string;
  readonly database: DatabaseSync;
  begin(session: string): void;
  /** Adds a message of the user with this number, from 0. */
  say(session: string, number: number, text: string): void;
  /** Puts another text in its place. */
  edit(session: string, number: number, text: string): void;
  remove(session: string, number: number): void;
  /** Undefined where its sessions have no title. */
  rename?: ((session: string, title: string) => void) | undefined;
  end(session: string): void;
  /** Writes what belongs to no session. */
  idle(): void;
}

type Owned = Omit<DatabaseOwner, 'agent' | 'path' | 'database' | 'idle'>;

interface Kind {
  readonly agent: string;
  readonly path: string;
  readonly schema: string;
  readonly owned: (run: (sql: string, ...values: (string | number | null)[]) => void, database: DatabaseSync) => Owned;
}

const opencode = (agent: string, path: string): Kind => ({
  agent,
  path,
  schema: `
    CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, revert text,
      metadata text, time_created integer, time_updated integer);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
      time_updated integer, data text);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id)`,
  owned: (run) => ({
    begin: (session) =>
      run("INSERT INTO session VALUES (?, NULL, '/home/ada/boat', ?, '1', NULL, NULL, 1, 2)", session, session),
    say(session, number, text) {
      const id = `msg_${session}_${number}`;
      const info = JSON.stringify({ role: 'user', time: { created: START + number } });
      run('INSERT INTO message VALUES (?, ?, ?, 1, ?)', id, session, number, info);
      const part = JSON.stringify({ type: 'text', text });
      run('INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)', `prt_${session}_${number}`, id, session, part);
    },
    edit: (session, number, text) =>
      run('UPDATE part SET data = ? WHERE id = ?', JSON.stringify({ type: 'text', text }), `prt_${session}_${number}`),
    remove(session, number) {
      run('DELETE FROM part WHERE id = ?', `prt_${session}_${number}`);
      run('DELETE FROM message WHERE id = ?', `msg_${session}_${number}`);
    },
    rename: (session, title) => run('UPDATE session SET title = ? WHERE id = ?', title, session),
    end: (session) => run('DELETE FROM session WHERE id = ?', session),
  }),
});

const crush: Kind = {
  agent: 'crush',
  path: 'boat/.crush/crush.db',
  schema: `
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
      updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL,
      model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT);
    CREATE INDEX idx_messages_session_id ON messages (session_id)`,
  owned: (run) => {
    const parts = (text: string) => JSON.stringify([{ type: 'text', data: { text } }]);
    return {
      begin: (session) =>
        run('INSERT INTO sessions VALUES (?, NULL, ?, 1767348300, 1767348000, NULL)', session, session),
      say(session, number, text) {
        const values = "(?, ?, 'user', ?, NULL, 1767348000, 1767348000, NULL, NULL)";
        run(`INSERT INTO messages VALUES ${values}`, `${session}-${number}`, session, parts(text));
      },
      edit: (session, number, text) =>
        run('UPDATE messages SET parts = ? WHERE id = ?', parts(text), `${session}-${number}`),
      remove: (session, number) => run('DELETE FROM messages WHERE id = ?', `${session}-${number}`),
      rename: (session, title) => run('UPDATE sessions SET title = ? WHERE id = ?', title, session),
      end: (session) => run('DELETE FROM sessions WHERE id = ?', session),
    };
  },
};

const goose: Kind = {
  agent: 'goose',
  path: '.local/share/goose/sessions/sessions.db',
  schema: `
    CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
      working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP, session_type TEXT, provider_name TEXT,
      model_config_json TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL,
      role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);
    CREATE INDEX idx_messages_session ON messages (session_id)`,
  owned: (run) => {
    const content = (text: string) => JSON.stringify([{ type: 'text', text }]);
    return {
      begin: (session) =>
        run(
          `INSERT INTO sessions VALUES (?, ?, '', '/home/ada/boat', '2026-01-02 10:00:00', '2026-01-02 10:05:00', 'user',
            NULL, '{"model_name":"gpt-5.4"}')`,
          session,
          session,
        ),
      say(session, number, text) {
        const values = `(NULL, ?, ?, 'user', ?, ${START / 1000}, NULL)`;
        run(`INSERT INTO messages VALUES ${values}`, `${session}-${number}`, session, content(text));
      },
      edit: (session, number, text) =>
        run('UPDATE messages SET content_json = ? WHERE message_id = ?', content(text), `${session}-${number}`),
      remove: (session, number) => run('DELETE FROM messages WHERE message_id = ?', `${session}-${number}`),
      rename: (session, title) => run('UPDATE sessions SET name = ? WHERE id = ?', title, session),
      end: (session) => run('DELETE FROM sessions WHERE id = ?', session),
    };
  },
};

const hermes: Kind = {
  agent: 'hermes',
  path: '.hermes/state.db',
  schema: `
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, model_config TEXT, parent_session_id TEXT,
      started_at REAL, title TEXT, title_source TEXT, cwd TEXT, git_branch TEXT, billing_provider TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT,
      tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL, finish_reason TEXT, display_kind TEXT,
      active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0);
    CREATE INDEX idx_messages_session ON messages (session_id, timestamp)`,
  owned: (run) => ({
    begin: (session) =>
      run(
        `INSERT INTO sessions (id, source, model, started_at, title, cwd)
          VALUES (?, 'cli', 'm-1', ${START / 1000}, ?, '/home/ada/boat')`,
        session,
        session,
      ),
    say: (session, number, text) =>
      run(
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
        session,
        text,
        START / 1000 + number,
      ),
    edit: (session, number, text) =>
      run(
        'UPDATE messages SET content = ? WHERE session_id = ? AND timestamp = ?',
        text,
        session,
        START / 1000 + number,
      ),
    /** As an undo of the program does. */
    remove: (session, number) =>
      run('UPDATE messages SET active = 0 WHERE session_id = ? AND timestamp = ?', session, START / 1000 + number),
    rename: (session, title) => run('UPDATE sessions SET title = ? WHERE id = ?', title, session),
    end: (session) => run('DELETE FROM sessions WHERE id = ?', session),
  }),
};

const kiro: Kind = {
  agent: 'kiro',
  path: '.local/share/kiro-cli/data.sqlite3',
  schema: `
    CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id))`,
  owned: (run) => {
    const KEY = "key = '/home/ada/boat' AND conversation_id = ?";
    const user = (text: string) =>
      JSON.stringify({ content: { Prompt: { prompt: text } }, timestamp: '2026-02-03T09:15:20+01:00' });
    const set = (session: string, change: string, ...values: (string | number)[]) =>
      run(`UPDATE conversations_v2 SET value = ${change} WHERE ${KEY}`, ...values, session);
    return {
      begin: (session) =>
        run(
          "INSERT INTO conversations_v2 VALUES ('/home/ada/boat', ?, ?, 1, 1)",
          session,
          JSON.stringify({ conversation_id: session, history: [] }),
        ),
      say: (session, _number, text) =>
        set(session, "json_insert(value, '$.history[#]', json_object('user', json(?)))", user(text)),
      edit: (session, number, text) =>
        set(session, 'json_set(value, ?, json(?))', `$.history[${number}].user`, user(text)),
      remove: (session, number) => set(session, 'json_remove(value, ?)', `$.history[${number}]`),
      end: (session) => run(`DELETE FROM conversations_v2 WHERE ${KEY}`, session),
    };
  },
};

const cursor: Kind = {
  agent: 'cursor',
  path: '.config/Cursor/User/globalStorage/state.vscdb',
  schema: 'CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)',
  owned(run) {
    const put = (key: string, value: object) =>
      run('INSERT INTO cursorDiskKV VALUES (?, ?)', key, JSON.stringify(value));
    const set = (session: string, change: string, ...values: string[]) =>
      run(`UPDATE cursorDiskKV SET value = ${change} WHERE key = ?`, ...values, `composerData:${session}`);
    const bubble = (session: string, number: number) => `bubbleId:${session}:b${number}`;
    const say = (session: string, number: number, text: string) =>
      put(bubble(session, number), { type: 1, bubbleId: `b${number}`, text, createdAt: '2026-03-01T08:00:02.000Z' });
    return {
      begin: (session) =>
        put(`composerData:${session}`, {
          ...{ composerId: session, name: session, createdAt: START, status: 'completed' },
          fullConversationHeadersOnly: [],
        }),
      say(session, number, text) {
        say(session, number, text);
        const header = JSON.stringify({ bubbleId: `b${number}`, type: 1 });
        set(session, "json_insert(value, '$.fullConversationHeadersOnly[#]', json(?))", header);
      },
      edit: say,
      remove: (session, number) => set(session, 'json_remove(value, ?)', `$.fullConversationHeadersOnly[${number}]`),
      rename: (session, title) => set(session, "json_set(value, '$.name', ?)", title),
      end(session) {
        run('DELETE FROM cursorDiskKV WHERE key = ?', `composerData:${session}`);
        run('DELETE FROM cursorDiskKV WHERE key LIKE ?', `bubbleId:${session}:%`);
      },
    };
  },
};

const KINDS: readonly Kind[] = [
  opencode('opencode', '.local/share/opencode/opencode.db'),
  opencode('kilo-cli', '.local/share/kilo/kilo.db'),
  crush,
  goose,
  hermes,
  kiro,
  cursor,
];

/** Makes the databases of all these programs below a home. Half of the programs keep a log, as if they still ran. */
export function databaseOwners(home: string): readonly DatabaseOwner[] {
  return KINDS.map(({ agent, path: name, schema, owned }, index) => {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode = ${index % 2 === 0 ? 'WAL' : 'DELETE'}; ${schema}; CREATE TABLE idle (n)`);
    const run = (sql: string, ...values: (string | number | null)[]) => {
      database.prepare(sql).run(...values);
    };
    return { agent, path, database, idle: () => run('INSERT INTO idle VALUES (1)'), ...owned(run, database) };
  });
}
