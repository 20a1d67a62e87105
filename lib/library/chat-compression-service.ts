// Makes message lists shorter: the service of the requirements, over the strategies of lib/context/compaction. Works on
// messages alone; what keeps a session's window free is lib/turn/compaction/compact.ts. Never makes a list longer: what does not help is
// not done, and said in the log.
import { type Cut, chooseCut } from '../context/compaction/cut.ts';
import { cutText } from '../context/compaction/cut-text.ts';
import { extractSummary } from '../context/compaction/extract.ts';
import type { CompactionStrategy } from '../context/compaction/strategy.ts';
import { partsText } from '../context/compaction/transcript.ts';
import { type AskModel, writeSummary } from '../context/compaction/write-summary.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { SessionMessage } from '../projections/session.ts';
import type { ViewMessage } from '../projections/view.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import { estimateParts, estimatingCounter } from '../tokens/estimate.ts';

export type CompressionStrategy = CompactionStrategy;

export interface CompressionOptions {
  readonly strategy: CompressionStrategy;
  /** At least that many tokens of the newest messages stay as they are. */
  readonly preserveRecentTokens: number;
  /** What the result should take. Default: half of what it takes now. */
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
  /** Whether the messages take more than this share of the limit. */
  shouldCompress(messages: readonly SessionMessage[], tokenLimit: number, threshold: number): boolean;
  /** Falls back to `truncate`, and then to the messages as they were. Never fails. */
  compress(messages: readonly SessionMessage[], options: CompressionOptions): Promise<CompressionResult>;
  /** A summary of everything but the newest message. @throws what the model fails with */
  summarize(messages: readonly SessionMessage[], targetTokens: number): Promise<SessionMessage[]>;
  /** Without the oldest messages. The system prompt and the newest message always stay. */
  truncate(messages: readonly SessionMessage[], targetTokens: number): SessionMessage[];
  /** The recent messages and a summary of the older ones. @throws what the model fails with */
  hybrid(messages: readonly SessionMessage[], options: CompressionOptions): Promise<SessionMessage[]>;
}

export interface ChatCompressionSettings {
  /** Who writes summaries: a model, or `extract` for a pure extraction. Default: nobody; then it truncates. */
  readonly summaries?: AskModel | 'extract' | undefined;
  readonly counter?: TokenCounter | undefined;
  /** What one question to the model may hold. Default: 6000. */
  readonly partTokens?: number | undefined;
  readonly log?: Log | undefined;
}

const DEFAULT_THRESHOLD = 0.8;
const DEFAULT_PART_TOKENS = 6_000;
/** Of the target, what a summary may take. */
const SUMMARY_SHARE = 0.25;
const MIN_SUMMARY_TOKENS = 64;

/**
 * Makes room in a list of messages. Nothing is stored by it, and the list that is handed in stays as it is.
 *
 * @example
 * const compression = createChatCompressionService({ summaries: 'extract' });
 * if (compression.shouldCompress(messages, 8192, 0.8)) {
 *   const options = { strategy: 'hybrid', preserveRecentTokens: 1024 } as const;
 *   const { compressedMessages } = await compression.compress(messages, options);
 * }
 */
export function createChatCompressionService(settings: ChatCompressionSettings = {}): ChatCompressionService {
  const { summaries, counter = estimatingCounter, partTokens = DEFAULT_PART_TOKENS, log = silentLog } = settings;

  const service: ChatCompressionService = {
    shouldCompress(messages, tokenLimit, threshold) {
      const share = threshold > 0 && threshold <= 1 ? threshold : DEFAULT_THRESHOLD;
      return tokenLimit > 0 && tokensOf(messages) > tokenLimit * share;
    },
    async compress(messages, options) {
      const originalTokenCount = tokensOf(messages);
      const wanted = summaries === undefined ? 'truncate' : options.strategy;
      for (const strategy of new Set([wanted, 'truncate' as const])) {
        const compressed = await attempt(strategy, messages, options);
        if (compressed === undefined) continue;
        const compressedTokenCount = tokensOf(compressed);
        if (compressedTokenCount < originalTokenCount) {
          return { compressedMessages: compressed, originalTokenCount, compressedTokenCount, strategy };
        }
        log.warn({ service: 'chat-compression', operation: strategy }, 'The result is not smaller: it is not used');
      }
      const unchanged = { originalTokenCount, compressedTokenCount: originalTokenCount, strategy: wanted };
      return { compressedMessages: [...messages], ...unchanged };
    },
    summarize: (messages, targetTokens) =>
      replaceOlder(messages, { targetTokens, preserveRecentTokens: 0, extent: 'allowed' }),
    truncate: (messages, targetTokens) => dropOlder(messages, { targetTokens, preserveRecentTokens: 0 }),
    hybrid: (messages, { preserveRecentTokens, targetTokens = halfOf(messages) }) =>
      replaceOlder(messages, { targetTokens, preserveRecentTokens, extent: 'needed' }),
  };
  return service;

  /** Undefined if it failed. */
  async function attempt(
    strategy: CompressionStrategy,
    messages: readonly SessionMessage[],
    { preserveRecentTokens, targetTokens = halfOf(messages) }: CompressionOptions,
  ): Promise<SessionMessage[] | undefined> {
    try {
      if (strategy === 'truncate') return dropOlder(messages, { targetTokens, preserveRecentTokens });
      const extent = strategy === 'summarize' ? 'allowed' : 'needed';
      return await replaceOlder(messages, { targetTokens, preserveRecentTokens, extent });
    } catch (error) {
      const action = 'It truncates in its place.';
      log.error({ service: 'chat-compression', operation: strategy, error, action }, 'A summary failed');
      return undefined;
    }
  }

  function dropOlder(
    messages: readonly SessionMessage[],
    { targetTokens, preserveRecentTokens }: { targetTokens: number; preserveRecentTokens: number },
  ): SessionMessage[] {
    const { prompt, rest } = apart(messages);
    const roomTokens = targetTokens - tokensOf(prompt);
    const cut = chooseCut(measured(rest), { preserveRecentTokens, roomTokens, extent: 'needed' });
    return cut === undefined ? [...messages] : [...prompt, ...excerpt(rest, cut), ...rest.slice(cut.at)];
  }

  async function replaceOlder(
    messages: readonly SessionMessage[],
    options: { targetTokens: number; preserveRecentTokens: number; extent: 'needed' | 'allowed' },
  ): Promise<SessionMessage[]> {
    const { targetTokens, preserveRecentTokens, extent } = options;
    const { prompt, rest } = apart(messages);
    const maxTokens = Math.max(MIN_SUMMARY_TOKENS, Math.floor(targetTokens * SUMMARY_SHARE));
    const roomTokens = targetTokens - tokensOf(prompt) - maxTokens;
    const cut = chooseCut(measured(rest), { preserveRecentTokens, roomTokens, extent });
    if (cut === undefined) return [...messages];
    const older = rest.slice(0, cut.at);
    const items = older.map(itemOf);
    const text =
      typeof summaries === 'function'
        ? await writeSummary(items, { ask: summaries, maxTokens, partTokens })
        : extractSummary(items, { maxTokens });
    const summary: SessionMessage = {
      role: 'system',
      parts: [{ type: 'text', text: `Earlier in this conversation:\n\n${text}` }],
      timestamp: older.at(-1)?.timestamp ?? '',
    };
    return [...prompt, summary, ...excerpt(rest, cut), ...rest.slice(cut.at)];
  }

  function tokensOf(messages: readonly SessionMessage[]): number {
    return messages.reduce((sum, { parts }) => sum + tokensOfParts(parts), 0);
  }

  function tokensOfParts(parts: SessionMessage['parts']): number {
    return parts.reduce(
      (sum, part) => sum + (part.type === 'text' ? counter.count(part.text).count : estimateParts([part])),
      0,
    );
  }

  function measured(messages: readonly SessionMessage[]) {
    return messages.map(({ role, parts }) => ({ tokens: tokensOfParts(parts), startsTurn: role === 'user' }));
  }

  function halfOf(messages: readonly SessionMessage[]): number {
    return Math.floor(tokensOf(messages) / 2);
  }
}

/** The system prompt, and what is a conversation. */
function apart(messages: readonly SessionMessage[]): { prompt: SessionMessage[]; rest: SessionMessage[] } {
  const isPrompt = messages[0]?.role === 'system';
  return { prompt: messages.slice(0, isPrompt ? 1 : 0), rest: messages.slice(isPrompt ? 1 : 0) };
}

/** Of a message that is too large to stay whole: its beginning and its end. */
function excerpt(messages: readonly SessionMessage[], { oversized }: Cut): SessionMessage[] {
  const message = oversized && messages[oversized.index];
  if (message === undefined) return [];
  const text = cutText(partsText(message.parts), oversized?.tokens ?? 0);
  return [{ ...message, parts: [{ type: 'text', text }] }];
}

function itemOf({ role, parts }: SessionMessage, seq: number): ViewMessage {
  return { kind: 'message', seq, tokens: 0, role, parts, trusted: false };
}
