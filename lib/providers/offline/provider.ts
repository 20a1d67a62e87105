// A provider that needs nothing: it answers from the project's files and from the session, by searching, and says so in
// every answer. A message that names a tool is a call of it, whose result is quoted; it never calls one by itself. It
// opens nothing but through what it is handed, and looks at the abort signal between two files.
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ProjectFiles, SkipReason } from '../../discovery/types.ts';
import { OllmError } from '../../errors/index.ts';
import { type Ids, systemIds } from '../../platform/ids.ts';
import { unlessAborted } from '../../platform/waiting.ts';
import { Ranking } from '../../ranking/rank.ts';
import { SEARCH_NOTICE } from '../../ranking/search-notice.ts';
import { type Query, readQuery } from '../../ranking/words.ts';
import type { ModelMessage, ModelRequest, ModelToolResult, Provider } from '../provider.ts';
import * as say from './answer.ts';
import { excerptOf, shorten, splitLines } from './excerpt.ts';
import { type Messages, type PastMessage, searchPast } from './history.ts';
import { type LineRange, type Question, readQuestion } from './question.ts';
import { readToolRequests, toolNamed } from './tool-request.ts';

export interface OfflineOptions {
  readonly files: ProjectFiles;
  /** What was said before. The messages of the request are searched in any case. */
  readonly history?: (() => Messages) | undefined;
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
const FILES_BETWEEN_BREATHS = 32;
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
    // A tool that is offered was called, or the words behind its name are none of its arguments.
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
      case 'past': {
        const query = readQuery(question.about);
        return say.saidBefore(await this.#past(query, MAX_PAST_ASKED_FOR), shownWords(query.terms));
      }
      case 'file':
        return this.#file(question);
      case 'search':
        return this.#words(question.text);
    }
  }

  async #file({ path, range, isCertain }: Question & { type: 'file' }): Promise<string> {
    const { paths, isCut } = await this.#list();
    const ending = `/${path.toLowerCase()}`;
    const meant = paths.includes(path) ? [path] : paths.filter((each) => each.toLowerCase().endsWith(ending));
    if (meant.length > 1) return say.severalFiles(path, meant);
    if (meant[0] !== undefined) return this.#lines(meant[0], range);
    if (!isCertain) return this.#words(path);
    this.#extent = { root: this.#options.files.root, files: paths.length, isCut, skipped: {} };
    const similar = new Ranking<string>(readQuery(path));
    for (const each of paths) similar.add(each, '', each);
    const names = similar.best().map(({ item }) => item);
    return say.fileMissing(path, names);
  }

  async #lines(path: string, { from, to }: LineRange): Promise<string> {
    const document = await this.#read(path);
    if ('skipped' in document) return say.fileSkipped(path, document.skipped);
    const all = splitLines(document.text);
    const lines = all.slice(from - 1, Math.min(to, from - 1 + MAX_LINES_SHOWN));
    const shown = lines.map((text, index) => ({ number: from + index, text: shorten(text) }));
    return say.fileLines(path, shown, all.length);
  }

  async #words(text: string): Promise<string> {
    const { files, maxPassages = 5 } = this.#options;
    const query = readQuery(text);
    const { paths, isCut } = await this.#list();
    const ranking = new Ranking<string>(query);
    const skipped: Partial<Record<SkipReason, number>> = {};
    for (const [index, path] of (query.terms.length === 0 ? [] : paths).entries()) {
      if (index % FILES_BETWEEN_BREATHS === 0) await nextTick();
      const document = await this.#read(path);
      if ('skipped' in document) skipped[document.skipped] = (skipped[document.skipped] ?? 0) + 1;
      ranking.add(path, 'text' in document ? document.text : '', path);
    }
    this.#extent = { root: files.root, files: paths.length, isCut, skipped };
    const ranked = ranking.best().slice(0, maxPassages);
    const weights = ranking.weights();
    const hits: say.FileHit[] = [];
    for (const { item: path, score } of ranked) {
      if (score < ranked[0]!.score * MIN_SHARE_OF_BEST) break;
      const document = await this.#read(path);
      hits.push('text' in document ? { path, excerpt: excerptOf(document.text, query, weights) } : document);
    }
    const said = query.terms.length === 0 ? [] : await this.#past(query, MAX_PAST_SHOWN);
    if (hits.length === 0 && said.length === 0) return say.nothingFound(shownWords(query.terms));
    const missing = said.length > 0 ? [] : query.terms.filter((_, index) => weights[index] === 0);
    return say.found(hits, said, shownWords(missing));
  }

  /** In what was handed in and in the request itself, without the question and without answers of ours. */
  async #past(query: Query, limit: number): Promise<readonly PastMessage[]> {
    const { history = () => [] } = this.#options;
    const counts = ({ role, text }: PastMessage) =>
      (role === 'user' && text !== this.#asked) || (role === 'assistant' && !text.includes(SEARCH_NOTICE));
    const search = { query, limit, counts, signal: this.#signal };
    return unlessAborted(searchPast([history(), earlierMessages(this.#request.messages)], search), this.#signal);
  }

  /** A port that does not look at the signal itself is not waited for after an abort. */
  #list() {
    return unlessAborted(this.#options.files.list({ signal: this.#signal }), this.#signal);
  }

  /** A file without the lines that quote the question: they answer nothing. */
  async #read(path: string) {
    const document = await unlessAborted(this.#options.files.read(path), this.#signal);
    const question = this.#asked.trim();
    if ('skipped' in document || question.length < MIN_QUOTED_QUESTION || !document.text.includes(question))
      return document;
    const lines = document.text.split('\n').map((line) => (line.includes(question) ? '' : line));
    return { path, text: lines.join('\n') };
  }
}

/**
 * What was typed last, without the files that go along and the text that was found for it. Messages that were never
 * answered come before it in the same one: a call that was cancelled or cut off is not made again with the words that
 * came after it.
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
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
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
