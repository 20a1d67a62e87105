// Keeps texts as passages and finds those that answer a question, by their words: messages of conversations and files,
// in memory or in a file of the caller's. What is handed over is indexed in the background; a question first takes in
// what waits.
import { chmodSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTransaction } from '../catalog/catalog-edit.ts';
import { OllmError } from '../errors/index.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { cutText } from '../retrieval/cut-text.ts';
import { passagesOfFile } from '../retrieval/index-files.ts';
import { numberOfSource, replacePassages, withoutColours } from '../retrieval/passages.ts';
import { type FoundPassage, type RecallScope, retrieve } from '../retrieval/retrieve.ts';
import { PASSAGES_FORM } from '../retrieval/schema.ts';
import { redactedLog } from './redacted-log.ts';

/** A text to be found. One that is indexed again under the same name, or key, takes the place of the one before. */
export type RagItem =
  | {
      readonly kind: 'message';
      /** The conversation that it belongs to. */
      readonly session: string;
      /** Its name in there. */
      readonly key: string;
      readonly text: string;
      /** The directory that the conversation is about. */
      readonly project?: string | undefined;
      /** Milliseconds since 1970. */
      readonly at?: number | undefined;
    }
  | {
      readonly kind: 'file';
      /** The directory of the project. */
      readonly project: string;
      /** From there, with `/`. */
      readonly path: string;
      readonly text: string;
    };

export interface ConversationRAG {
  /** Takes a text in. Resolves when it can be found, which need not be waited for: `retrieve` does. */
  index(item: RagItem): Promise<void>;
  /**
   * The passages that answer a question, best first, with score, ranks and place (`path:line` or `session#key`).
   * `limit`: default 8.
   */
  retrieve(
    query: string,
    limit?: number,
    options?: { readonly scope?: RecallScope | undefined },
  ): Promise<readonly FoundPassage[]>;
  /** Takes in what waits, and closes the file. */
  close(): Promise<void>;
}

export interface ConversationRAGSettings {
  /** A SQLite file, made where it is absent, readable for its user alone. Default: memory. */
  readonly file?: string | undefined;
  readonly log?: Log | undefined;
}

const DEFAULT_LIMIT = 8;
const ITEMS_AT_ONCE = 50;

/**
 * @example
 * const rag = createConversationRAG();
 * rag.index({ kind: 'message', session: 'notes', key: '7', text: 'The port is 8471, as harbour.toml says.' });
 * const [best] = await rag.retrieve('which port?');
 */
export function createConversationRAG({ file, log: given = silentLog }: ConversationRAGSettings = {}): ConversationRAG {
  const log = redactedLog(given);
  const waiting: RagItem[] = [];
  let opened: Promise<DatabaseSync> | undefined;
  let work: Promise<void> = Promise.resolve();
  let isClosed = false;

  const database = (): Promise<DatabaseSync> => {
    opened ??= open(file);
    return opened;
  };
  const takeIn = async (): Promise<void> => {
    while (waiting.length > 0) {
      const into = await database();
      const some = waiting.splice(0, ITEMS_AT_ONCE);
      try {
        inTransaction(into, () => {
          for (const item of some) put(into, item);
        });
      } catch (error) {
        log.error({ service: 'rag', operation: 'index', items: some.length, error }, 'Texts could not be indexed');
        throw new OllmError('IO_FAILED', `The index of passages cannot be written: ${(error as Error).message}`, {
          hint: file === undefined ? 'Index less.' : `Check the disk, or remove ${file} and index again.`,
          cause: error,
        });
      }
      await nextTurn();
    }
  };
  const settle = (): Promise<void> => {
    work = work.then(takeIn, takeIn);
    return work;
  };
  const requireOpen = (): void => {
    if (isClosed) throw new OllmError('USAGE', 'The index of passages was closed.');
  };

  return {
    async index(item) {
      requireOpen();
      waiting.push(item);
      const done = settle();
      // One that is not waited for must not end the program; the log has it.
      done.catch(() => {});
      return done;
    },
    async retrieve(query, limit = DEFAULT_LIMIT, { scope } = {}) {
      requireOpen();
      await settle();
      return retrieve(await database(), { question: query, limit, scope });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await settle();
      (await opened)?.close();
    },
  };
}

async function open(file: string | undefined): Promise<DatabaseSync> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  if (file !== undefined) {
    // SQLite itself would make one that others may read.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  }
  const database = new Database(file ?? ':memory:');
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version !== 0 && version !== PASSAGES_FORM.number) {
    database.close();
    throw new OllmError('IO_FAILED', `${file} is not an index of passages of this version.`, {
      hint: 'Remove it, and index again.',
    });
  }
  if (version === 0) database.exec(PASSAGES_FORM.schema);
  return database;
}

/** A message is a source of its own: so it can be replaced alone. */
function put(database: DatabaseSync, item: RagItem): void {
  const text = withoutColours(item.text);
  const isFile = item.kind === 'file';
  const name = isFile ? item.path : item.session;
  const home = isFile ? item.project : item.key;
  const source = { kind: isFile ? 'file' : 'session', home, name, project: item.project } as const;
  const passages = isFile
    ? passagesOfFile(item.path, text)
    : cutText(text, { isMarkdown: true }).map(({ headings, text: body }) => ({
        about: headings.join(' › '),
        text: body,
        record: { key: item.key, message: 0, size: text.length, at: item.at ?? 0 },
      }));
  replacePassages(database, numberOfSource(database, source), passages);
}
