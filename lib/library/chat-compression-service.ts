// Makes lists of messages shorter, by the strategies of lib/context/compaction. What keeps the window of a session free
// is lib/turn/compaction/compact.ts. The result is never longer than the list.
import { isDeepStrictEqual } from 'node:util';
import type { Cut } from '../context/compaction/cut.ts';
import { cutText } from '../context/compaction/cut-text.ts';
import { DEFAULT_COMPACTION } from '../context/compaction/due.ts';
import { extractSummary } from '../context/compaction/extract.ts';
import { partsText } from '../context/compaction/item-text.ts';
import { type CompactionStrategy, cutBy, STRATEGIES } from '../context/compaction/strategy.ts';
import { type AskModel, writeSummary } from '../context/compaction/write-summary.ts';
import type { Redactor } from '../environment/redact.ts';
import { checkArguments, checkAsyncCalls, checkCalls } from '../errors/arguments.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { SessionMessage } from '../projections/session.ts';
import type { ViewMessage } from '../projections/view.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import { estimateParts, estimatingCounter } from '../tokens/estimate.ts';
import { redactedLog } from './redacted-log.ts';

export type CompressionStrategy = CompactionStrategy;

export interface CompressionOptions {
  /** An unknown one counts as `hybrid`, with a warning in the log. */
  readonly strategy: CompressionStrategy;
  /** At least that many tokens of the newest messages stay as they are. */
  readonly preserveRecentTokens: number;
  /** The target size in tokens. Default: half of the messages' tokens. */
  readonly targetTokens?: number | undefined;
}

export interface CompressionResult {
  readonly compressedMessages: SessionMessage[];
  readonly originalTokenCount: number;
  readonly compressedTokenCount: number;
  /** The one that was used in the end. */
  readonly strategy: CompressionStrategy;
}

export interface ChatCompressionService {
  /**
   * Whether the messages have more tokens than this share of the limit. A share that is not above 0 and up to 1 counts
   * as 0.8.
   */
  shouldCompress(messages: readonly SessionMessage[], tokenLimit: number, threshold: number): boolean;
  /**
   * Leaves messages that fit the target as they are. Falls back to `truncate`, and then to the messages as they were.
   * Never fails.
   */
  compress(messages: readonly SessionMessage[], options: CompressionOptions): Promise<CompressionResult>;
  /** A summary of everything but the newest message. @throws the errors of the model */
  summarize(messages: readonly SessionMessage[], targetTokens: number): Promise<SessionMessage[]>;
  /**
   * Without the oldest messages, where all of them do not fit. The system prompt, an earlier summary and the newest
   * message always stay.
   */
  truncate(messages: readonly SessionMessage[], targetTokens: number): SessionMessage[];
  /**
   * The recent messages and a summary of the older ones, where all of them do not fit.
   * @throws the errors of the model
   */
  hybrid(messages: readonly SessionMessage[], options: CompressionOptions): Promise<SessionMessage[]>;
}

export interface ChatCompressionSettings {
  /** Writes summaries: a model, or `extract` for a pure extraction. Default: none; `compress` then truncates. */
  readonly summaries?: AskModel | 'extract' | undefined;
  readonly counter?: TokenCounter | undefined;
  /** Tokens of the conversation in one question to the model. Default: 6000. */
  readonly partTokens?: number | undefined;
  readonly log?: Log | undefined;
  /** Takes secrets out of log lines. Default: known shapes of secrets. */
  readonly redactor?: Redactor | undefined;
}

const DEFAULT_PART_TOKENS = 6_000;
/** The share of the target that a summary may take. */
const SUMMARY_SHARE = 0.25;
const MIN_SUMMARY_TOKENS = 64;
const SUMMARY_HEADING = 'Earlier in this conversation:\n\n';

/**
 * Makes room in a list of messages. Stores nothing, and leaves the list that is handed in as it is.
 *
 * @example
 * const compression = createChatCompressionService({ summaries: 'extract' });
 * if (compression.shouldCompress(messages, 8192, 0.8)) {
 *   const options = { strategy: 'hybrid', preserveRecentTokens: 1024 } as const;
 *   const { compressedMessages } = await compression.compress(messages, options);
 * }
 */
export function createChatCompressionService(settings: ChatCompressionSettings = {}): ChatCompressionService {
  checkArguments('createChatCompressionService', { settings: 'object' }, [settings]);
  const { summaries, counter = estimatingCounter, redactor } = settings;
  const log = redactedLog(settings.log ?? silentLog, redactor);
  const { shorten, truncated, tokensOf } = shortener({ ...settings, counter });

  const messages = 'list of messages';
  const service: ChatCompressionService = {
    shouldCompress(messages, tokenLimit, threshold) {
      const isShare = typeof threshold === 'number' && threshold > 0 && threshold <= 1;
      const share = isShare ? threshold : DEFAULT_COMPACTION.threshold;
      return tokenLimit > 0 && tokensOf(messages) > tokenLimit * share;
    },
    async compress(messages, options) {
      const { strategy, ...sizes } = checked(options);
      const originalTokenCount = tokensOf(messages);
      const wanted = summaries === undefined ? 'truncate' : strategy;
      const unchanged = { originalTokenCount, compressedTokenCount: originalTokenCount, strategy: wanted };
      if (fits(messages, sizes)) return { compressedMessages: [...messages], ...unchanged };
      for (const each of new Set([wanted, 'truncate'] as const)) {
        const compressed = await shorten(each, messages, sizes).catch((error: unknown) => {
          const action = 'It truncates instead.';
          log.error({ service: 'chat-compression', operation: each, error, action }, 'A summary failed');
          return undefined;
        });
        if (compressed === undefined) continue;
        const compressedTokenCount = tokensOf(compressed);
        if (compressedTokenCount < originalTokenCount) {
          return { compressedMessages: compressed, originalTokenCount, compressedTokenCount, strategy: each };
        }
        log.warn({ service: 'chat-compression', operation: each }, 'The result is not smaller: it is not used');
      }
      return { compressedMessages: [...messages], ...unchanged };
    },
    summarize: (messages, targetTokens) => shorten('summarize', messages, { targetTokens, preserveRecentTokens: 0 }),
    truncate(messages, targetTokens) {
      const sizes = { targetTokens, preserveRecentTokens: 0 };
      return fits(messages, sizes) ? [...messages] : truncated(messages, sizes);
    },
    async hybrid(messages, options) {
      const sizes = checked(options);
      return fits(messages, sizes) ? [...messages] : shorten('hybrid', messages, sizes);
    },
  };
  checkCalls(service, {
    shouldCompress: { messages, tokenLimit: 'number', threshold: 'anything' },
    truncate: { messages, targetTokens: 'number' },
  });
  return checkAsyncCalls(service, {
    compress: { messages },
    summarize: { messages, targetTokens: 'number' },
    hybrid: { messages },
  });

  function fits(messages: readonly SessionMessage[], { targetTokens = 0 }: Sizes): boolean {
    return tokensOf(messages) <= targetTokens;
  }

  function checked(options: CompressionOptions | undefined): CompressionOptions {
    const {
      strategy = 'hybrid',
      preserveRecentTokens = DEFAULT_COMPACTION.preserveRecentTokens,
      targetTokens,
    } = options ?? {};
    if (Object.hasOwn(STRATEGIES, strategy)) return { strategy, preserveRecentTokens, targetTokens };
    const action = `Name one of ${Object.keys(STRATEGIES).join(', ')}.`;
    log.warn(
      { service: 'chat-compression', operation: 'compress', strategy, action },
      'It compresses by hybrid instead',
    );
    return { strategy: 'hybrid', preserveRecentTokens, targetTokens };
  }
}

type Sizes = Pick<CompressionOptions, 'preserveRecentTokens' | 'targetTokens'>;

/** Shortens a list by any strategy: what goes is cut off, and a summary takes its place where the strategy has one. */
function shortener(settings: ChatCompressionSettings & { readonly counter: TokenCounter }) {
  const { summaries, counter, partTokens = DEFAULT_PART_TOKENS } = settings;
  const tokensOf = (messages: readonly SessionMessage[]) => tokensBy(counter, messages);

  /** Undefined where nothing may go. `standing`: the summary of an earlier compression. */
  function cut(strategy: CompressionStrategy, messages: readonly SessionMessage[], sizes: Sizes) {
    const { preserveRecentTokens, targetTokens = Math.floor(tokensOf(messages) / 2) } = sizes;
    const promptLength = messages[0]?.role === 'system' && summaryText(messages[0]) === undefined ? 1 : 0;
    const prompt = messages.slice(0, promptLength);
    const rest = messages.slice(promptLength);
    const summaryTokens = Math.max(MIN_SUMMARY_TOKENS, Math.floor(targetTokens * SUMMARY_SHARE));
    const limits = { preserveRecentTokens, targetTokens: targetTokens - tokensOf(prompt), summaryTokens };
    const steps = rest.map((message) => ({ tokens: tokensOf([message]), startsTurn: message.role === 'user' }));
    const place = cutBy(STRATEGIES[strategy], steps, limits);
    if (place === undefined) return undefined;
    const [part] = excerpt(rest, place);
    // A text of a few words cannot be cut: its message stays whole, and is not summarized too.
    const isWhole = part !== undefined && isDeepStrictEqual(part, rest[place.oversized!.index]);
    const at = isWhole ? place.oversized!.index : place.at;
    if (at === 0) return undefined;
    const older = rest.slice(0, at);
    const standing = older.slice(0, 1).filter((message) => summaryText(message) !== undefined);
    const kept = part === undefined || isWhole ? rest.slice(at) : [part, ...rest.slice(at)];
    return { prompt, older, standing, kept, summaryTokens };
  }

  async function summaryOf(older: readonly SessionMessage[], maxTokens: number): Promise<SessionMessage> {
    const previous = older[0] === undefined ? undefined : summaryText(older[0]);
    const items = (previous === undefined ? older : older.slice(1)).map(itemOf);
    const text =
      typeof summaries === 'function'
        ? await writeSummary(items, { ask: summaries, maxTokens, partTokens, previous })
        : extractSummary(items, { maxTokens, previous });
    const parts = [{ type: 'text', text: SUMMARY_HEADING + text } as const];
    return { role: 'system', parts, timestamp: older.at(-1)?.timestamp ?? '' };
  }

  function truncated(messages: readonly SessionMessage[], sizes: Sizes): SessionMessage[] {
    const parts = cut('truncate', messages, sizes);
    return parts === undefined ? [...messages] : [...parts.prompt, ...parts.standing, ...parts.kept];
  }

  async function shorten(
    strategy: CompressionStrategy,
    messages: readonly SessionMessage[],
    sizes: Sizes,
  ): Promise<SessionMessage[]> {
    const parts = STRATEGIES[strategy].summarizes ? cut(strategy, messages, sizes) : undefined;
    if (parts === undefined) return strategy === 'truncate' ? truncated(messages, sizes) : [...messages];
    return [...parts.prompt, await summaryOf(parts.older, parts.summaryTokens), ...parts.kept];
  }
  return { shorten, truncated, tokensOf };
}

/** The summary in a message of an earlier compression; undefined for any other message. */
export function summaryText({ role, parts }: SessionMessage): string | undefined {
  const [part] = parts;
  if (role !== 'system' || part?.type !== 'text' || !part.text.startsWith(SUMMARY_HEADING)) return undefined;
  return part.text.slice(SUMMARY_HEADING.length);
}

function tokensBy(counter: TokenCounter, messages: readonly SessionMessage[]): number {
  const tokensOf = (part: SessionMessage['parts'][number]) =>
    part.type === 'text' ? counter.count(part.text).count : estimateParts([part]);
  return messages.reduce((sum, { parts }) => parts.reduce((total, part) => total + tokensOf(part), sum), 0);
}

/** The beginning and the end of a message that is too large to stay whole. */
function excerpt(messages: readonly SessionMessage[], { oversized }: Cut): SessionMessage[] {
  const message = oversized && messages[oversized.index];
  if (message === undefined) return [];
  const text = cutText(partsText(message.parts), oversized?.tokens ?? 0);
  return [{ ...message, parts: [{ type: 'text', text }] }];
}

function itemOf({ role, parts }: SessionMessage, seq: number): ViewMessage {
  return { kind: 'message', seq, tokens: 0, role, parts, trusted: false };
}
