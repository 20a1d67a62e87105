// The store in which the Claude Agent SDK mirrors its sessions: `query({ prompt, options: { sessionStore } })`. Each is
// kept as an import of a session of Claude Code, its lines and the events that they give, so that ollm lists, searches,
// replays and resumes it as one. The package is not needed here: its interface is met by its members.
import { redactValue } from '../environment/redact-value.ts';
import { checkArguments, checkAsyncCalls } from '../errors/arguments.ts';
import type { JournalStore } from '../journal/types.ts';
import { type ClaudeSessionKey, isSameKey, keyOf, pathOf, sourcesOf } from './kept/claude-key.ts';
import { ClaudeMirror, type Line, mirroredLines } from './kept/claude-mirror.ts';
import { type AdapterOptions, OPTIONS, storeOf } from './kept/options.ts';

export type { ClaudeSessionKey };

/** A line of a transcript: the SDK's `SessionStoreEntry`. */
export interface ClaudeSessionEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [member: string]: unknown;
}

/** The interface `SessionStore` of the SDK. */
export interface ClaudeSessionStore extends AsyncDisposable {
  /** Entries with a `uuid` that is there already are stored once. On the device when it resolves. */
  append(key: ClaudeSessionKey, entries: readonly ClaudeSessionEntry[]): Promise<void>;
  /** Null for a key that was never written. */
  load(key: ClaudeSessionKey): Promise<ClaudeSessionEntry[] | null>;
  /** `mtime`: milliseconds since 1970. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** Moves the session to the trash, with its subagents unless the key is of one of them. */
  delete(key: ClaudeSessionKey): Promise<void>;
  listSubkeys(key: { readonly projectKey: string; readonly sessionId: string }): Promise<string[]>;
  /** Releases all sessions for other writers. Without it, that happens a moment after the last entry. */
  close(): Promise<void>;
}

/** As many sessions are continued without being read again. */
const MAX_MIRRORS = 64;

/**
 * @example
 * const sessionStore = claudeSessionStore({ store: openFileStore('/home/me/sessions') });
 * for await (const message of query({ prompt: 'Hello', options: { sessionStore } })) show(message);
 * @throws OllmError its methods USAGE (no key), JOURNAL_LOCKED, JOURNAL_FULL and others
 */
export function claudeSessionStore(options: Pick<AdapterOptions, 'store' | 'redactor'>): ClaudeSessionStore {
  checkArguments('claudeSessionStore', { options: OPTIONS }, [options]);
  const store = storeOf(options);
  const { redactor } = options;
  const mirrors = new Map<string, ClaudeMirror>();
  const keys = new Map<string, ClaudeSessionKey | undefined>();

  const sessions: ClaudeSessionStore = {
    async append(key, entries) {
      const lines = JSON.parse(JSON.stringify(entries)) as Line[];
      if (lines.length === 0) return;
      const clean = redactor ? redactValue(lines, (text) => redactor.redact(text).text) : lines;
      const mirror = await mirrorOf(key);
      await mirror.append(clean as Line[]).catch((error: unknown) => {
        mirrors.delete(pathOf(key));
        throw error;
      });
    },
    async load(key) {
      const id = await idOf(key);
      const lines = id === undefined ? undefined : await mirroredLines(store, id);
      return (lines as ClaudeSessionEntry[] | undefined) ?? null;
    },
    async listSessions(projectKey) {
      const sessions: { sessionId: string; mtime: number }[] = [];
      for (const { id, key } of await mirrored()) {
        if (key.projectKey !== projectKey || key.subpath !== undefined) continue;
        const info = await store.info(id);
        if (info !== undefined) sessions.push({ sessionId: key.sessionId, mtime: Math.floor(info.modifiedMs) });
      }
      return sessions;
    },
    async delete(key) {
      for (const found of await mirrored()) {
        const isIt = key.subpath === undefined ? isSameSession(found.key, key) : isSameKey(found.key, key);
        if (!isIt) continue;
        await mirrors.get(pathOf(found.key))?.close();
        mirrors.delete(pathOf(found.key));
        await store.trash(found.id);
        keys.delete(found.id);
      }
    },
    async listSubkeys(key) {
      const found = await mirrored();
      return found.flatMap((one) => (isSameSession(one.key, key) && one.key.subpath ? [one.key.subpath] : []));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  const key = 'object';
  return checkAsyncCalls(sessions, {
    append: { key, entries: 'list of objects' },
    ...{ load: { key }, delete: { key }, listSubkeys: { key } },
    listSessions: { projectKey: 'text' },
  });

  async function close(): Promise<void> {
    const open = [...mirrors.values()];
    mirrors.clear();
    await Promise.all(open.map((mirror) => mirror.close()));
  }

  async function mirrorOf(key: ClaudeSessionKey): Promise<ClaudeMirror> {
    const path = pathOf(key);
    let mirror = mirrors.get(path);
    if (mirror === undefined) {
      const [wanted, otherwise] = sourcesOf(key);
      const id = (await idOf(key)) ?? ((await store.has(wanted.id)) ? otherwise.id : wanted.id);
      mirror = mirrors.get(path) ?? new ClaudeMirror(store, key, id === wanted.id ? wanted : otherwise);
    }
    mirrors.delete(path);
    mirrors.set(path, mirror);
    for (const [oldest, idle] of mirrors) {
      if (mirrors.size <= MAX_MIRRORS) break;
      mirrors.delete(oldest);
      await idle.close();
    }
    return mirror;
  }

  /** The id of the journal that has this key; undefined if none has. */
  async function idOf(key: ClaudeSessionKey): Promise<string | undefined> {
    for (const { id } of sourcesOf(key)) if (isSameKey(key, await keyAt(store, id, keys))) return id;
    return undefined;
  }

  async function mirrored(): Promise<{ readonly id: string; readonly key: ClaudeSessionKey }[]> {
    const ids = (await store.ids()).filter((id) => id.startsWith('claude-'));
    const found: { readonly id: string; readonly key: ClaudeSessionKey }[] = [];
    for (const id of ids) {
      const key = await keyAt(store, id, keys);
      if (key !== undefined) found.push({ id, key });
    }
    return found;
  }
}

/** The key in the first line of a journal, which never changes. */
async function keyAt(
  store: JournalStore,
  id: string,
  known: Map<string, ClaudeSessionKey | undefined>,
): Promise<ClaudeSessionKey | undefined> {
  if (!(await store.has(id))) {
    known.delete(id);
    return undefined;
  }
  if (known.has(id)) return known.get(id);
  using reader = store.openReader(id);
  const first = await reader.first();
  const key = first && keyOf(first.data);
  if (first !== undefined) known.set(id, key);
  return key;
}

function isSameSession(one: ClaudeSessionKey, other: Omit<ClaudeSessionKey, 'subpath'>): boolean {
  return one.projectKey === other.projectKey && one.sessionId === other.sessionId;
}
