// A provider that needs nothing: it answers from the project's files and from the session, by searching, and says so in
// every answer. A message that names a tool is a call of it, whose result is quoted; it never calls one by itself. Bounded in files, bytes and time between two looks at the abort signal. Opens nothing but through its ports.
import { setImmediate as nextTick } from 'node:timers/promises';
import { OllmError } from '../../errors/index.ts';
import { type Ids, systemIds } from '../../platform/ids.ts';
import type { ModelMessage, ModelRequest, ModelToolCall, ModelToolResult, Provider } from '../provider.ts';
import {
  type Extent,
  type FileHit,
  fileAnswer,
  fileMissing,
  fileSkipped,
  greeting,
  NOTICE,
  nothingFound,
  pastAnswer,
  searchAnswer,
  severalFiles,
  toolAnswer,
  toolNotOffered,
} from './answer.ts';
import { excerptOf, shorten, splitLines } from './excerpt.ts';
import { createHistorySearch } from './history.ts';
import type { HistoryHit, HistorySearch, PastMessage, ProjectFiles, SkipReason } from './ports.ts';
import { type LineRange, type Question, readQuestion } from './question.ts';
import { type Counted, countIn, rank, rarity } from './rank.ts';
import { readToolRequests, toolNamed } from './tool-request.ts';
import { type Query, readQuery } from './words.ts';

export interface OfflineOptions {
  readonly files: ProjectFiles;
  /** What was said before. The messages of the request are searched in any case. */
  readonly history?: HistorySearch | undefined;
  /** Names the calls of tools. Default: random. */
  readonly ids?: Pick<Ids, 'uuid'> | undefined;
  /** Tools that there may be: who names one that is not offered is told so. */
  readonly toolNames?: readonly string[] | undefined;
  /** Files that an answer quotes at most. Default 5. */
  readonly maxPassages?: number | undefined;
}

export const OFFLINE_MODEL = 'search';

const DEFAULT_PASSAGES = 5;
const MAX_PAST_SHOWN = 3;
const MAX_PAST_ASKED_FOR = 8;
const MAX_LINES_SHOWN = 200;
const FILES_BETWEEN_BREATHS = 32;

/** Below this share of the best file's score, a file only dilutes the answer. */
const MIN_SHARE_OF_BEST = 0.25;

export function createOfflineProvider(options: OfflineOptions): Provider {
  const { ids = systemIds } = options;
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
        const calls = callsFor(request, ids);
        if (calls.length > 0) {
          for (const call of calls) yield { type: 'tool-call', call };
          yield { type: 'finish', reason: 'tool-calls' };
          return;
        }
        for (const text of await answer(request, options, signal)) {
          // A screen may draw, and an abort may come, between two pieces.
          await nextTick();
          signal.throwIfAborted();
          yield { type: 'text', text };
        }
        yield { type: 'finish', reason: 'stop' };
      } catch (error) {
        if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped before the answer was complete.');
        throw failure(error, options.files.root);
      }
    },
  };
}

/** What the last message asks for by name, unless that was answered already. */
function callsFor({ messages, tools }: ModelRequest, ids: Pick<Ids, 'uuid'>): readonly ModelToolCall[] {
  if (messages.at(-1)?.role !== 'user') return [];
  return readToolRequests(lastQuestion(messages), tools).map((call) => ({ callId: `call-${ids.uuid()}`, ...call }));
}

async function answer(request: ModelRequest, options: OfflineOptions, signal: AbortSignal): Promise<string[]> {
  const results = lastResults(request.messages);
  if (results.length > 0) return toolAnswer(results);
  const asked = lastQuestion(request.messages);
  // One that is offered was called, or what stands behind it is none of its arguments.
  const offered = request.tools.map(({ name }) => name);
  const tool = toolNamed(
    asked,
    (options.toolNames ?? []).filter((name) => !offered.includes(name)),
  );
  const pieces = await search(asked, request, options, signal);
  return tool === undefined ? pieces : [toolNotOffered(tool), ...pieces];
}

async function search(
  asked: string,
  request: ModelRequest,
  options: OfflineOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const { files, history } = options;
  const question = readQuestion(asked);
  const past = { asked, history, earlier: earlierMessages(request.messages) };
  switch (question.type) {
    case 'greeting':
      return greeting(
        files.root,
        request.tools.map(({ name }) => name),
      );
    case 'past':
      return answerPast(readQuery(question.about), past, signal);
    case 'file':
      return answerFile(question, options, past, signal);
    case 'search':
      return answerSearch(question.text, options, past, signal);
  }
}

interface Past {
  /** The question itself, which the session holds already: quoting it would answer nothing. */
  readonly asked: string;
  readonly history: HistorySearch | undefined;
  readonly earlier: readonly PastMessage[];
}

async function answerPast(query: Query, past: Past, signal: AbortSignal): Promise<string[]> {
  const hits = await searchPast(query, past, MAX_PAST_ASKED_FOR, signal);
  return pastAnswer(hits, shownWords(query));
}

async function answerFile(
  question: Question & { type: 'file' },
  options: OfflineOptions,
  past: Past,
  signal: AbortSignal,
) {
  const { files } = options;
  const { paths, isCut } = await abortable(files.list({ signal }), signal);
  const named = paths.filter((path) => path === question.path);
  const meant =
    named.length > 0 ? named : paths.filter((path) => path.toLowerCase().endsWith(`/${question.path.toLowerCase()}`));
  if (meant.length > 1) return severalFiles(question.path, meant);
  if (meant.length === 1) return quoteFile(meant[0]!, question.range, files, signal);
  if (!question.isCertain) return answerSearch(question.path, options, past, signal);
  return fileMissing(question.path, similarPaths(question.path, paths), {
    root: files.root,
    files: paths.length,
    isCut,
    skipped: {},
  });
}

async function quoteFile(path: string, range: LineRange | undefined, files: ProjectFiles, signal: AbortSignal) {
  const document = await abortable(files.read(path), signal);
  if ('skipped' in document) return fileSkipped(path, document.skipped);
  const all = splitLines(document.text);
  const { from, to } = range ?? { from: 1, to: all.length };
  const lines = all.slice(from - 1, Math.min(to, from - 1 + MAX_LINES_SHOWN));
  return fileAnswer(
    path,
    lines.map((text, index) => ({ number: from + index, text: shorten(text) })),
    all.length,
  );
}

async function answerSearch(text: string, options: OfflineOptions, past: Past, signal: AbortSignal): Promise<string[]> {
  const { files, maxPassages = DEFAULT_PASSAGES } = options;
  const query = readQuery(text);
  const { counted, extent } = await countFiles(query, files, signal);
  const weights = rarity(query, counted, extent.files);
  const hits = await quoteBest(rank(counted, weights).slice(0, maxPassages), query, weights, files, signal);
  const said = query.terms.length === 0 ? [] : await searchPast(query, past, MAX_PAST_SHOWN, signal);
  if (hits.length === 0 && said.length === 0) return nothingFound(shownWords(query), extent);
  const missing =
    said.length > 0 ? [] : query.terms.filter((_, index) => weights[index] === 0).map(({ shown }) => shown);
  return searchAnswer(hits, said, [...new Set(missing)], extent);
}

/** One pass over the project: what stands where, how often. Nothing of the texts is kept here. */
async function countFiles(
  query: Query,
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<{ counted: Counted[]; extent: Extent }> {
  const { paths, isCut } = await abortable(files.list({ signal }), signal);
  const counted: Counted[] = [];
  const skipped: Partial<Record<SkipReason, number>> = {};
  for (const [index, path] of (query.terms.length === 0 ? [] : paths).entries()) {
    if (index % FILES_BETWEEN_BREATHS === 0) await nextTick();
    const document = await abortable(files.read(path), signal);
    if ('skipped' in document) skipped[document.skipped] = (skipped[document.skipped] ?? 0) + 1;
    const found = countIn(path, path, 'text' in document ? document.text : '', query);
    if (found) counted.push(found);
  }
  return { counted, extent: { root: files.root, files: paths.length, isCut, skipped } };
}

async function quoteBest(
  ranked: ReturnType<typeof rank>,
  query: Query,
  weights: readonly number[],
  files: ProjectFiles,
  signal: AbortSignal,
): Promise<FileHit[]> {
  const least = (ranked[0]?.score ?? 0) * MIN_SHARE_OF_BEST;
  const hits: FileHit[] = [];
  for (const { name: path, score } of ranked) {
    if (score < least) break;
    const document = await abortable(files.read(path), signal);
    hits.push(
      'text' in document
        ? { path, excerpt: excerptOf(document.text, query, weights) }
        : { path, excerpt: undefined, skipped: document.skipped },
    );
  }
  return hits;
}

/** In what was handed in and in the request itself; each message once, and no answer of our own. */
async function searchPast(
  query: Query,
  { asked, history, earlier }: Past,
  limit: number,
  signal: AbortSignal,
): Promise<HistoryHit[]> {
  const sources = [...(history ? [history] : []), createHistorySearch(() => earlier)];
  const hits: HistoryHit[] = [];
  for (const source of sources)
    hits.push(...(await abortable(source.search(query, { limit: limit * 2, signal }), signal)));
  const seen = new Set<string>();
  return hits
    .filter(({ role, text }) => (role === 'user' || role === 'assistant') && !text.includes(NOTICE))
    .filter(({ role, text }) => role !== 'user' || text !== asked)
    .filter(({ role, text }) => !seen.has(role + text) && seen.add(role + text))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

/**
 * What was typed last, without the files that go along. Messages that were never answered stand before it in the same one: a
 * call that was cancelled or cut off is not made again with the words that came after it.
 */
function lastQuestion(messages: readonly ModelMessage[]): string {
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

function textOf(message: ModelMessage): string {
  if (message.role === 'tool') return message.results.map(({ content }) => content).join('\n');
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function shownWords(query: Query): string[] {
  return [...new Set(query.terms.map(({ shown }) => shown))];
}

/** Paths that share words with the one that is not there, those with the most first. */
function similarPaths(path: string, paths: readonly string[]): string[] {
  const query = readQuery(path);
  const counted = paths.flatMap((candidate) => countIn(candidate, candidate, '', query) ?? []);
  return rank(counted, rarity(query, counted, paths.length)).map(({ name }) => name);
}

/** For a port that does not look at the signal itself: nobody waits for it once the signal is aborted. */
async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function failure(error: unknown, root: string): OllmError {
  if (error instanceof OllmError && error.code.startsWith('PROVIDER_')) return error;
  const reason = error instanceof OllmError ? error.message : `${root} could not be searched.`;
  return new OllmError('PROVIDER_FAILED', reason, {
    hint: 'Start in a directory that can be read, or choose another provider with /provider.',
    cause: error,
  });
}
