// A provider that needs nothing: it answers from the project's files and from the session, by searching, and says so in
// every answer. A message that names a tool is a call of it, whose result is quoted; it never calls one by itself. It
// opens nothing but through what it is handed, and looks at the abort signal between two files.
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ProjectFiles, SkipReason } from '../../discovery/types.ts';
import { OllmError } from '../../errors/index.ts';
import { type Ids, systemIds } from '../../platform/ids.ts';
import { unlessAborted } from '../../platform/waiting.ts';
import type { ModelMessage, ModelRequest, ModelToolResult, Provider } from '../provider.ts';
import * as say from './answer.ts';
import { excerptOf, shorten, splitLines } from './excerpt.ts';
import { createHistorySearch, type HistoryHit, type HistorySearch, type PastMessage } from './history.ts';
import { type LineRange, type Question, readQuestion } from './question.ts';
import { Ranking } from './rank.ts';
import { readToolRequests, toolNamed } from './tool-request.ts';
import { type Query, readQuery } from './words.ts';

export interface OfflineOptions {
  readonly files: ProjectFiles;
  /** What was said before. The messages of the request are searched in any case. */
  readonly history?: HistorySearch | undefined;
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
        for (const text of await new Search(options, request, signal).answer()) {
          // A screen may draw, and an abort may come, between two pieces.
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

  constructor(options: OfflineOptions, request: ModelRequest, signal: AbortSignal) {
    this.#options = options;
    this.#request = request;
    this.#signal = signal;
    this.#asked = asked(request);
  }

  async answer(): Promise<string[]> {
    const { messages, tools } = this.#request;
    const results = lastResults(messages);
    const offered = tools.map(({ name }) => name);
    const { toolNames = [] } = this.#options;
    const pieces = results.length > 0 ? say.toolAnswer(results) : await this.#search(readQuestion(this.#asked));
    // A tool that is offered was called, or the words behind its name are none of its arguments.
    const switchedOff = toolNamed(
      this.#asked,
      toolNames.filter((name) => !offered.includes(name)),
    );
    if (results.length === 0 && switchedOff !== undefined) pieces.unshift(say.toolNotOffered(switchedOff));
    // How to get a model is worth saying once in a conversation.
    return messages.some(isOwnAnswer) ? pieces : [...pieces, say.HOW_TO_GET_A_MODEL];
  }

  async #search(question: Question): Promise<string[]> {
    switch (question.type) {
      case 'greeting':
        return say.greeting(
          this.#options.files.root,
          this.#request.tools.map(({ name }) => name),
        );
      case 'past': {
        const query = readQuery(question.about);
        return say.pastAnswer(await this.#past(query, MAX_PAST_ASKED_FOR), shownWords(query));
      }
      case 'file':
        return this.#file(question);
      case 'search':
        return this.#words(question.text);
    }
  }

  async #file({ path, range, isCertain }: Question & { type: 'file' }): Promise<string[]> {
    const { files } = this.#options;
    const { paths, isCut } = await this.#abortable(files.list({ signal: this.#signal }));
    const ending = `/${path.toLowerCase()}`;
    const meant = paths.includes(path) ? [path] : paths.filter((each) => each.toLowerCase().endsWith(ending));
    if (meant.length > 1) return say.severalFiles(path, meant);
    if (meant[0] !== undefined) return this.#lines(meant[0], range);
    if (!isCertain) return this.#words(path);
    const similar = new Ranking<string>(readQuery(path));
    for (const each of paths) similar.add(each, '', each);
    const extent = { root: files.root, files: paths.length, isCut, skipped: {} };
    return say.fileMissing(
      path,
      similar.best().map(({ item }) => item),
      extent,
    );
  }

  async #lines(path: string, range: LineRange | undefined): Promise<string[]> {
    const document = await this.#abortable(this.#options.files.read(path));
    if ('skipped' in document) return say.fileSkipped(path, document.skipped);
    const all = splitLines(document.text);
    const { from, to } = range ?? { from: 1, to: all.length };
    const lines = all.slice(from - 1, Math.min(to, from - 1 + MAX_LINES_SHOWN));
    return say.fileAnswer(
      path,
      lines.map((text, index) => ({ number: from + index, text: shorten(text) })),
      all.length,
    );
  }

  async #words(text: string): Promise<string[]> {
    const { files, maxPassages = 5 } = this.#options;
    const query = readQuery(text);
    const { paths, isCut } = await this.#abortable(files.list({ signal: this.#signal }));
    const ranking = new Ranking<string>(query);
    const skipped: Partial<Record<SkipReason, number>> = {};
    for (const [index, path] of (query.terms.length === 0 ? [] : paths).entries()) {
      if (index % FILES_BETWEEN_BREATHS === 0) await nextTick();
      const document = await this.#abortable(files.read(path));
      if ('skipped' in document) skipped[document.skipped] = (skipped[document.skipped] ?? 0) + 1;
      ranking.add(path, 'text' in document ? this.#withoutQuestion(document.text) : '', path);
    }
    const [best] = ranking.best();
    const hits: say.FileHit[] = [];
    for (const { item: path, score } of ranking.best().slice(0, maxPassages)) {
      if (score < best!.score * MIN_SHARE_OF_BEST) break;
      hits.push(await this.#hit(path, query, ranking.weights()));
    }
    const said = query.terms.length === 0 ? [] : await this.#past(query, MAX_PAST_SHOWN);
    const extent = { root: files.root, files: paths.length, isCut, skipped };
    if (hits.length === 0 && said.length === 0) return say.nothingFound(shownWords(query), extent);
    const missing = query.terms.filter((_, index) => said.length === 0 && ranking.weights()[index] === 0);
    return say.searchAnswer(hits, said, [...new Set(missing.map(({ shown }) => shown))], extent);
  }

  async #hit(path: string, query: Query, weights: readonly number[]): Promise<say.FileHit> {
    const document = await this.#abortable(this.#options.files.read(path));
    if ('skipped' in document) return { path, excerpt: undefined, skipped: document.skipped };
    return { path, excerpt: excerptOf(this.#withoutQuestion(document.text), query, weights) };
  }

  /** A line that quotes the question answers nothing. */
  #withoutQuestion(text: string): string {
    const question = this.#asked.trim();
    if (question.length < MIN_QUOTED_QUESTION || !text.includes(question)) return text;
    return text
      .split('\n')
      .map((line) => (line.includes(question) ? '' : line))
      .join('\n');
  }

  /**
   * In what was handed in and in the request itself; each message once, and neither the question nor an answer of ours.
   */
  async #past(query: Query, limit: number): Promise<HistoryHit[]> {
    const { history } = this.#options;
    const earlier = createHistorySearch(() => earlierMessages(this.#request.messages));
    const hits: HistoryHit[] = [];
    for (const search of history ? [history, earlier] : [earlier])
      hits.push(...(await this.#abortable(search(query, { limit: limit * 2, signal: this.#signal }))));
    const seen = new Set([`user${this.#asked}`]);
    return hits
      .filter(({ role, text }) => (role === 'user' || role === 'assistant') && !text.includes(say.NOTICE))
      .filter(({ role, text }) => !seen.has(role + text) && seen.add(role + text))
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }

  /** For a port that does not look at the signal itself: the answer does not wait for it after an abort. */
  #abortable<Value>(promise: Promise<Value>): Promise<Value> {
    return unlessAborted(promise, this.#signal);
  }
}

/**
 * What was typed last, without the files that go along. Messages that were never answered stand before it in the same
 * one: a call that was cancelled or cut off is not made again with the words that came after it.
 */
function asked({ messages }: ModelRequest): string {
  const last = messages.findLast((message) => message.role === 'user');
  const typed = last?.parts.findLast((part) => part.type === 'text' || (part.type === 'file' && !('isQuoted' in part)));
  return typed?.type === 'text' ? typed.text : '';
}

/** What tools answered to the last message. */
function lastResults(messages: readonly ModelMessage[]): readonly ModelToolResult[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(last + 1).flatMap((message) => (message.role === 'tool' ? message.results : []));
}

function earlierMessages(messages: readonly ModelMessage[]): PastMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(0, Math.max(0, last)).map((message) => ({ role: message.role, text: textOf(message) }));
}

function isOwnAnswer(message: ModelMessage): boolean {
  return message.role === 'assistant' && textOf(message).includes(say.NOTICE);
}

function textOf(message: ModelMessage): string {
  if (message.role === 'tool') return message.results.map(({ content }) => content).join('\n');
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function shownWords({ terms }: Query): string[] {
  return [...new Set(terms.map(({ shown }) => shown))];
}

function failure(error: unknown, root: string): OllmError {
  if (error instanceof OllmError && error.code.startsWith('PROVIDER_')) return error;
  const reason = error instanceof OllmError ? error.message : `${root} could not be searched.`;
  return new OllmError('PROVIDER_FAILED', reason, {
    hint: 'Start in a directory that can be read, or choose another provider with /provider.',
    cause: error,
  });
}
