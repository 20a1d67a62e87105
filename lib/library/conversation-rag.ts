// Keeps texts as passages and finds those that answer a question, by their words, and by meaning if a model makes
// vectors: messages of conversations and files, in memory or in a file of the caller. Added texts are indexed in the
// background; a question first indexes those that wait. If the model fails, only words count.
import { chmodSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CatalogEdit, inTransaction } from '../catalog/catalog-edit.ts';
import { checkArguments, checkAsyncCalls } from '../errors/arguments.ts';
import { OllmError } from '../errors/index.ts';
import { systemClock } from '../platform/clock.ts';
import { Lanes } from '../platform/lanes.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Provider } from '../providers/provider.ts';
import { orderByMeaning, type QuestionVector } from '../retrieval/by-meaning.ts';
import { nearestPassages, provideDistance } from '../retrieval/compare-vectors.ts';
import { cutText } from '../retrieval/cut-text.ts';
import { Embeddings } from '../retrieval/embeddings.ts';
import { passagesOfFile } from '../retrieval/index-files.ts';
import { makeVectors, type VectorFile } from '../retrieval/make-vectors.ts';
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
      /** The name in the source. */
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
   *
   * @throws OllmError USAGE (it was closed), IO_FAILED (the index cannot be written); the reason of `signal`
   */
  retrieve(query: string, limit?: number, options?: RagQuestion): Promise<readonly FoundPassage[]>;
  /** Indexes waiting texts, and closes the file. */
  close(): Promise<void>;
}

export interface RagQuestion {
  readonly scope?: RecallScope | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ConversationRAGSettings {
  /** A SQLite file, created if it is missing, readable only by its user. Default: memory. */
  readonly file?: string | undefined;
  /**
   * A model that makes vectors. It is sent each question and each passage, beginning with the first question. Default:
   * passages are found only by their words.
   */
  readonly embeddings?: { readonly provider: Provider; readonly model: string } | undefined;
  /**
   * How long a question waits for its own vector, in milliseconds, and as long again for those of new passages, which
   * are made in the background. Default: 10 seconds.
   */
  readonly vectorWaitMs?: number | undefined;
  /** Called with a sentence about passages that were not compared by meaning. */
  readonly onNote?: ((note: string) => void) | undefined;
  readonly log?: Log | undefined;
}

const DEFAULT_LIMIT = 8;
const ITEMS_AT_ONCE = 50;
const VECTOR_WAIT_MS = 10_000;

/**
 * @example
 * const rag = createConversationRAG();
 * rag.index({ kind: 'message', session: 'notes', key: '7', text: 'The port is 8471, as harbour.toml says.' });
 * const [best] = await rag.retrieve('which port?');
 * @throws OllmError USAGE: the provider makes no vectors
 */
export function createConversationRAG(settings: ConversationRAGSettings = {}): ConversationRAG {
  checkArguments('createConversationRAG', { settings: { 'file?': 'text', 'embeddings?': 'object' } }, [settings]);
  const { file, vectorWaitMs = VECTOR_WAIT_MS, onNote } = settings;
  const log = redactedLog(settings.log ?? silentLog);
  const waiting: RagItem[] = [];
  let opened: Promise<DatabaseSync> | undefined;
  const writing = new Lanes(1);
  let isClosed = false;

  const database = (): Promise<DatabaseSync> => {
    opened ??= open(file, { comparesVectors: settings.embeddings !== undefined });
    return opened;
  };
  const embeddings = settings.embeddings && embeddingsBy(settings.embeddings, database, log);
  /** Undefined, with a note that says why, where the model cannot be asked. */
  const vectorOf = async (
    question: string,
    { scope = {}, signal }: RagQuestion,
  ): Promise<QuestionVector | undefined> => {
    if (embeddings === undefined) return undefined;
    const { vector, notes } = await embeddings.question(question, { signal, timeoutMs: vectorWaitMs });
    const dimensions = vector?.vector.length;
    const sendable = async () => () => true;
    const wait = { signal, waitMs: vectorWaitMs, sendable };
    const behind = dimensions === undefined ? [] : await embeddings.catchUp(scope, { ...wait, dimensions });
    for (const note of [...notes, ...behind]) onNote?.(note);
    return vector;
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
  const settle = (): Promise<void> => writing.run(takeIn);
  const requireOpen = (): void => {
    if (isClosed) throw new OllmError('USAGE', 'The index of passages was closed.');
  };

  const rag: ConversationRAG = {
    async index(item) {
      requireOpen();
      waiting.push(item);
      const done = settle();
      // A promise without an awaiter must not end the program; the log has the error.
      done.catch(() => {});
      return done;
    },
    async retrieve(query, limit = DEFAULT_LIMIT, options = {}) {
      requireOpen();
      await settle();
      const { scope } = options;
      const vector = await vectorOf(query, options);
      const from = await database();
      const request = { question: query, limit, scope };
      const near = vector && (await orderByMeaning(from, request, vector, (each) => nearestPassages(from, each)));
      for (const note of near?.notes ?? []) onNote?.(note);
      return retrieve(from, { ...request, byMeaning: near?.passages });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await settle();
      await embeddings?.close();
      (await opened)?.close();
    },
  };
  return checkAsyncCalls(rag, {
    index: { item: { kind: 'text', text: 'text' } },
    retrieve: { query: 'text', 'limit?': 'number', 'options?': 'object' },
  });
}

function embeddingsBy(
  { provider, model }: NonNullable<ConversationRAGSettings['embeddings']>,
  database: () => Promise<DatabaseSync>,
  log: Log,
): Embeddings {
  const { embed } = provider;
  if (embed === undefined) throw new OllmError('USAGE', `The provider ${provider.name} makes no vectors.`);
  const file: VectorFile = {
    edit: async (action) => ({ kind: 'done', value: await action(new CatalogEdit(await database())) }),
    tryRead: async (query) => ({ kind: 'done', value: await query(await database()) }),
  };
  return new Embeddings({
    embedder: {
      name: `${provider.name} ${model}`,
      embed: (texts, signal) => embed.call(provider, { model, texts }, { signal }),
    },
    makeVectors: (update) => makeVectors(file, update),
    redactor: async () => (text) => text,
    clock: systemClock,
    log,
  });
}

async function open(
  file: string | undefined,
  { comparesVectors }: { readonly comparesVectors: boolean },
): Promise<DatabaseSync> {
  const { DatabaseSync: Database } = await import('node:sqlite');
  if (file !== undefined) {
    // SQLite itself would make one that others may read.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  }
  const database = new Database(file ?? ':memory:', { allowExtension: comparesVectors });
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version !== 0 && version !== PASSAGES_FORM.number) {
    database.close();
    throw new OllmError('IO_FAILED', `${file} is not an index of passages of this version.`, {
      hint: 'Remove it, and index again.',
    });
  }
  if (version === 0) database.exec(PASSAGES_FORM.schema);
  if (comparesVectors) await provideDistance(database);
  return database;
}

/** A message is a separate source, so that it can be replaced by itself. */
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
