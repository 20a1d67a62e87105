// A provider that needs nothing: it answers from the project's files and from the session, by a search that the caller
// provides, and says so in every answer. A message that names a tool is a call of it, whose result is quoted; it never
// calls a tool by itself. It opens nothing except through its ports.
import { basename } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ProjectFiles } from '../../discovery/types.ts';
import { OllmError } from '../../errors/index.ts';
import { type Ids, systemIds } from '../../platform/ids.ts';
import { unlessAborted } from '../../platform/waiting.ts';
import { readIntent } from '../../ranking/intent.ts';
import { SEARCH_NOTICE } from '../../ranking/search-notice.ts';
import { type Query, readQuery, wordsIn } from '../../ranking/words.ts';
import type { ModelMessage, ModelRequest, ModelToolResult, Provider } from '../provider.ts';
import * as say from './answer.ts';
import { type PastMessage, type PastMessages, searchPast } from './history.ts';
import { type LineRange, type OfflineQuestion, readQuestion } from './question.ts';
import type { OfflineSearch } from './search.ts';
import { readToolRequests, toolNamed } from './tool-request.ts';

export interface OfflineOptions {
  readonly files: ProjectFiles;
  readonly search: OfflineSearch;
  /** Earlier messages. The messages of the request are searched in any case. */
  readonly history?: (() => PastMessages) | undefined;
  /** Names the calls of tools. Default: random. */
  readonly ids?: Pick<Ids, 'uuid'> | undefined;
  /** Tools that there may be: a message that names one that is not offered is answered with that. */
  readonly toolNames?: readonly string[] | undefined;
  /** Files that an answer quotes at most. Default 5. */
  readonly maxPassages?: number | undefined;
}

export const OFFLINE_MODEL = 'search';

const MAX_PAST_SHOWN = 3;
const MAX_PAST_ASKED_FOR = 8;
const MAX_LINES_SHOWN = 200;
/** Below this share of the best file's score, a file only dilutes the answer. */
const MIN_SHARE_OF_BEST = 0.25;
/** A shorter question may be part of any line. */
const MIN_QUOTED_QUESTION = 16;

export function createOfflineProvider(options: OfflineOptions): Provider {
  const { ids = systemIds, files } = options;
  return {
    name: 'offline',
    capabilities: {
      streaming: true,
      toolCalling: true,
      tokenCounting: false,
      compaction: false,
      maxContextWindow: undefined,
    },
    models: async () => [{ name: OFFLINE_MODEL }],

    async *stream(request, { signal }) {
      try {
        signal.throwIfAborted();
        const calls = request.messages.at(-1)?.role === 'user' ? readToolRequests(asked(request), request.tools) : [];
        for (const call of calls) yield { type: 'tool-call', call: { callId: `call-${ids.uuid()}`, ...call } };
        if (calls.length > 0) return yield { type: 'finish', reason: 'tool-calls' };
        const answer = await new Search(options, request, signal).answer();
        for (const text of answer.split(/(?<=\n)/)) {
          // A screen may draw, and an abort may come, between two lines.
          await nextTick();
          signal.throwIfAborted();
          yield { type: 'text', text };
        }
        yield { type: 'finish', reason: 'stop' };
      } catch (error) {
        if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped before the answer was complete.');
        throw failure(error, files.root);
      }
    },
  };
}

/** The answer to one request. */
class Search {
  readonly #options: OfflineOptions;
  readonly #request: ModelRequest;
  readonly #signal: AbortSignal;
  readonly #asked: string;
  /** Undefined where files were not searched. */
  #extent: say.Extent | undefined;

  constructor(options: OfflineOptions, request: ModelRequest, signal: AbortSignal) {
    this.#options = options;
    this.#request = request;
    this.#signal = signal;
    this.#asked = asked(request);
  }

  async answer(): Promise<string> {
    const { messages, tools } = this.#request;
    const results = lastResults(messages);
    const text = results.length > 0 ? results.map(say.toolResult).join('') : await this.#search();
    // How to get a model is worth saying once in a conversation.
    const howTo = messages.some(isOwnAnswer) ? '' : say.HOW_TO_GET_A_MODEL;
    // An offered tool was called, or the words after its name are none of its arguments.
    const others = this.#options.toolNames?.filter((name) => !tools.some((tool) => tool.name === name)) ?? [];
    const switchedOff = results.length > 0 ? undefined : toolNamed(this.#asked, others);
    const notice = switchedOff === undefined ? '' : say.toolNotOffered(switchedOff);
    return `${notice}${text}${say.closing(this.#extent)}${howTo}`;
  }

  async #search(): Promise<string> {
    const question = readQuestion(this.#asked);
    switch (question.type) {
      case 'greeting':
        return say.greeting(
          this.#options.files.root,
          this.#request.tools.map(({ name }) => name),
        );
      case 'thanks':
        return say.thanked();
      case 'past': {
        const past = await this.#past(question.about, MAX_PAST_ASKED_FOR);
        return say.saidBefore(past, shownWords(readQuery(question.about).terms));
      }
      case 'file':
        return this.#file(question);
      case 'search':
        return this.#words(question.text);
    }
  }

  async #file({ path, range, isCertain }: OfflineQuestion & { type: 'file' }): Promise<string> {
    const { paths, isCut } = await this.#list();
    const ending = `/${path.toLowerCase()}`;
    const meant = paths.includes(path) ? [path] : paths.filter((each) => each.toLowerCase().endsWith(ending));
    if (meant.length > 1) return say.severalFiles(path, meant);
    if (meant[0] !== undefined) return this.#lines(meant[0], range);
    if (!isCertain) return this.#words(path);
    this.#extent = { root: this.#options.files.root, files: paths.length, isCut, skipped: {} };
    return say.fileMissing(path, similarNames(path, paths));
  }

  async #allFiles(): Promise<string> {
    const { paths, isCut } = await this.#list();
    this.#extent = { root: this.#options.files.root, files: paths.length, isCut, skipped: {} };
    return say.allFiles(paths, isCut);
  }

  async #lines(path: string, { from, to }: LineRange): Promise<string> {
    const document = await unlessAborted(this.#options.files.read(path), this.#signal);
    if ('skipped' in document) return say.fileSkipped(path, document.skipped);
    const all = say.splitLines(document.text);
    const lines = all.slice(from - 1, Math.min(to, from - 1 + MAX_LINES_SHOWN));
    const shown = lines.map((text, index) => ({ number: from + index, text: say.shorten(text) }));
    return say.fileLines(path, shown, all.length);
  }

  async #words(text: string): Promise<string> {
    const { files, search, maxPassages = 5 } = this.#options;
    if (readIntent(text, [basename(files.root)]).overview === 'files') return this.#allFiles();
    const { terms } = readQuery(text);
    const quotes = this.#asked.trim();
    const found = await search.find(text, {
      limit: maxPassages,
      signal: this.#signal,
      // What quotes the question answers nothing.
      isLeftOut: (passage) =>
        passage.answers === undefined && quotes.length >= MIN_QUOTED_QUESTION && passage.text.includes(quotes),
    });
    this.#extent = { root: files.root, ...found };
    const parts = found.passages.filter(({ answers }) => answers !== undefined);
    if (parts.length > 0) return say.overview(parts, found.paths);
    const [best] = found.passages;
    const hits = found.passages.filter(({ score }) => score >= best!.score * MIN_SHARE_OF_BEST);
    const said = terms.length === 0 ? [] : await this.#past(text, MAX_PAST_SHOWN);
    if (hits.length === 0 && said.length === 0)
      return found.files === 0 ? say.allFiles([], false) : say.nothingFound(shownWords(terms));
    return say.found(hits, said, said.length > 0 ? [] : found.missing);
  }

  /** Searches the given messages and the request itself, without the question and without its own earlier answers. */
  async #past(question: string, limit: number): Promise<readonly PastMessage[]> {
    const { history = () => [], search } = this.#options;
    const counts = ({ role, text }: PastMessage) =>
      (role === 'user' && text !== this.#asked && readQuestion(text).type === 'search') ||
      (role === 'assistant' && !text.includes(SEARCH_NOTICE));
    const rank: OfflineSearch['rank'] = (...texts) => search.rank(...texts);
    const past = { question, limit, counts, signal: this.#signal, rank };
    return unlessAborted(searchPast([history(), earlierMessages(this.#request.messages)], past), this.#signal);
  }

  /** A port that does not look at the signal itself is not waited for after an abort. */
  #list() {
    return unlessAborted(this.#options.files.list({ signal: this.#signal }), this.#signal);
  }
}

/**
 * The newest typed text, without attached files and text that was found for it. Unanswered messages precede it in the
 * same message: a call that was cancelled or cut off is not repeated with the words that came after it.
 */
function asked({ messages }: ModelRequest): string {
  const last = messages.findLast((message) => message.role === 'user');
  const typed = last?.parts.findLast((part) => (part.type === 'text' || part.type === 'file') && !('isQuoted' in part));
  return typed?.type === 'text' ? typed.text : '';
}

/** What tools answered to the last message. */
function lastResults(messages: readonly ModelMessage[]): readonly ModelToolResult[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(last + 1).flatMap((message) => (message.role === 'tool' ? message.results : []));
}

function earlierMessages(messages: readonly ModelMessage[]): PastMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(0, Math.max(0, last))
    .flatMap((message) => (message.role === 'context' ? [] : [{ role: message.role, text: textOf(message) }]));
}

function isOwnAnswer(message: ModelMessage): boolean {
  return message.role === 'assistant' && textOf(message).includes(SEARCH_NOTICE);
}

function textOf(message: ModelMessage): string {
  if (message.role === 'context') return message.text;
  if (message.role === 'tool') return message.results.map(({ content }) => content).join('\n');
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Paths that share words with a name, the most first. */
function similarNames(name: string, paths: readonly string[]): string[] {
  const asked = new Set(Array.from(wordsIn(name), ({ stem }) => stem));
  const shared = (path: string) =>
    new Set(Array.from(wordsIn(path), ({ stem }) => stem).filter((stem) => asked.has(stem))).size;
  return paths
    .map((path) => ({ path, score: shared(path) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length)
    .map(({ path }) => path);
}

function shownWords(terms: Query['terms']): string[] {
  return terms.map(({ shown }) => shown);
}

function failure(error: unknown, root: string): OllmError {
  if (error instanceof OllmError && error.code.startsWith('PROVIDER_')) return error;
  const reason = error instanceof OllmError ? error.message : `${root} could not be searched.`;
  return new OllmError('PROVIDER_FAILED', reason, {
    hint: 'Start in a directory that can be read, or choose another provider with /provider.',
    cause: error,
  });
}
