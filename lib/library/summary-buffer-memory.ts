// The newest messages of a conversation unchanged, and a summary of the older ones, within a number of tokens. Works
// only on messages and stores nothing: a session compacts its own window.
import { checkAsyncCalls, checkCalls } from '../errors/arguments.ts';
import { Lanes } from '../platform/lanes.ts';
import type { SessionMessage } from '../projections/session.ts';
import { type ChatCompressionSettings, createChatCompressionService, summaryText } from './chat-compression-service.ts';

export interface SummaryBufferMemory {
  /** The newest messages, oldest first. */
  readonly recentBuffer: readonly SessionMessage[];
  /** The summary of the messages before them; empty while there is none. */
  readonly summary: string;
  addMessage(message: SessionMessage): void;
  /**
   * Summarizes older messages where all together have more tokens than the limit. Half of it stays for recent ones.
   * Never fails.
   */
  prune(tokenLimit: number): Promise<void>;
  /** What a model is sent: the system prompt, the summary as a system message, the recent messages. */
  toContext(): SessionMessage[];
}

/**
 * `summaries`: a model, or `extract`, which is the default. Where the model fails, the oldest messages are dropped.
 *
 * @example
 * const memory = createSummaryBufferMemory({ summaries: 'extract' });
 * memory.addMessage({ role: 'user', parts: [{ type: 'text', text: 'Hello' }], timestamp: now });
 * await memory.prune(4096);
 * const messages = memory.toContext();
 */
export function createSummaryBufferMemory(settings: ChatCompressionSettings = {}): SummaryBufferMemory {
  const compression = createChatCompressionService({ summaries: 'extract', ...settings });
  let messages: readonly SessionMessage[] = [];
  const prunings = new Lanes(1);

  async function prune(tokenLimit: number): Promise<void> {
    if (!compression.shouldCompress(messages, tokenLimit, 1)) return;
    const before = messages;
    const preserveRecentTokens = Math.floor(tokenLimit / 2);
    const options = { strategy: 'hybrid', preserveRecentTokens, targetTokens: tokenLimit } as const;
    const { compressedMessages } = await compression.compress(before, options);
    messages = [...compressedMessages, ...messages.slice(before.length)];
  }

  const memory: SummaryBufferMemory = {
    get recentBuffer() {
      return messages.filter((message) => message.role !== 'system');
    },
    get summary() {
      return messages.map(summaryText).find((text) => text !== undefined) ?? '';
    },
    addMessage(message) {
      messages = [...messages, message];
    },
    prune: (tokenLimit) => prunings.run(() => prune(tokenLimit)),
    toContext: () => [...messages],
  };
  checkCalls(memory, { addMessage: { message: { role: 'text', parts: 'list of objects' } } });
  return checkAsyncCalls(memory, { prune: { tokenLimit: 'number' } });
}
