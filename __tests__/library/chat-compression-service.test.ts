import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { isCut } from '../../lib/context/compaction/cut-text.ts';
import { DEFAULT_COMPACTION } from '../../lib/context/compaction/due.ts';
import { SUMMARY_SECTIONS } from '../../lib/context/compaction/sections.ts';
import {
  type CompressionStrategy,
  createChatCompressionService,
  summaryText,
} from '../../lib/library/chat-compression-service.ts';
import { createChatRecordingService, type SessionMessage } from '../../lib/library/chat-recording-service.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { estimateParts } from '../../lib/tokens/estimate.ts';
import { compact } from '../../lib/turn/compaction/compact.ts';
import { memoryWorld, said } from '../session/world.ts';
import { says, scriptedProvider } from '../support/scripted-provider.ts';

const RUNS = { numRuns: 150 };
const SUMMARY = SUMMARY_SECTIONS.map(({ title }) => `### ${title}\n- kept`).join('\n');

const text = (role: SessionMessage['role'], content: string): SessionMessage => ({
  role,
  parts: [{ type: 'text', text: content }],
  timestamp: '2026-01-01T00:00:00.000Z',
});
const conversation = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 120 })), { minLength: 1, maxLength: 30 }),
  )
  .map(([hasPrompt, list]) => [
    ...(hasPrompt ? [text('system', 'You are terse.')] : []),
    ...list.map(([isUser, words], index) => text(isUser ? 'user' : 'assistant', `${index} ${'word '.repeat(words)}`)),
  ]);
const strategy = fc.constantFrom<CompressionStrategy>('summarize', 'truncate', 'hybrid');
const summarizer = fc.constantFrom('model', 'extract', 'broken', 'none', 'wordy');
const tokensOf = (messages: readonly SessionMessage[]) =>
  messages.reduce((sum, { parts }) => sum + estimateParts(parts), 0);

function serviceWith(kind: string) {
  const ask = async () => {
    if (kind === 'broken') throw new Error('no model');
    return kind === 'wordy' ? `${SUMMARY}\n${'- much more than there was\n'.repeat(2000)}` : SUMMARY;
  };
  return createChatCompressionService({
    summaries: kind === 'none' ? undefined : kind === 'extract' ? 'extract' : ask,
  });
}

/** The newest messages that hold at least that many tokens. */
function recentOf(messages: readonly SessionMessage[], tokens: number): readonly SessionMessage[] {
  const at = messages.findLastIndex((_, index) => tokensOf(messages.slice(index)) >= tokens);
  return messages.slice(Math.max(0, Math.min(at, messages.length - 1)));
}

test('Feature: services-sessions, Property 10: compression is needed if the tokens exceed the share of the limit', () => {
  fc.assert(
    fc.property(
      conversation,
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0.1, max: 1, noNaN: true }),
      (messages, limit, share) => {
        const service = createChatCompressionService();
        expect(service.shouldCompress(messages, limit, share)).toBe(tokensOf(messages) > limit * share);
        const exactly = tokensOf(messages);
        expect(service.shouldCompress(messages, exactly, 1)).toBe(false);
        expect(service.shouldCompress(messages, exactly - 1, 1)).toBe(exactly > 1);
        expect(service.shouldCompress(messages, 2 * exactly, 0.5)).toBe(false);
      },
    ),
    RUNS,
  );
});

test('Feature: services-sessions, Property 11: the system prompt and the recent messages stay unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      conversation,
      strategy,
      summarizer,
      fc.integer({ min: 0, max: 400 }),
      async (messages, name, kind, recent) => {
        const service = serviceWith(kind);
        const options = { strategy: name, preserveRecentTokens: recent, targetTokens: 3000 };
        // A message that is larger than the target by itself is cut: see below.
        const { compressedMessages } = await service.compress(messages, options);
        if (messages[0]?.role === 'system') expect(compressedMessages[0]).toEqual(messages[0]);
        const conversationOnly = messages[0]?.role === 'system' ? messages.slice(1) : messages;
        const kept = recentOf(conversationOnly, recent);
        expect(compressedMessages.slice(compressedMessages.length - kept.length)).toEqual(kept);
      },
    ),
    RUNS,
  );
});

test('Feature: services-sessions, Property 12: compression reduces the tokens, or changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      conversation,
      strategy,
      summarizer,
      fc.integer({ min: 0, max: 400 }),
      async (messages, name, kind, recent) => {
        const result = await serviceWith(kind).compress(messages, { strategy: name, preserveRecentTokens: recent });
        const { compressedMessages, originalTokenCount, compressedTokenCount } = result;
        expect(originalTokenCount).toBe(tokensOf(messages));
        expect(compressedTokenCount).toBe(tokensOf(compressedMessages));
        if (compressedTokenCount >= originalTokenCount) expect(compressedMessages).toEqual(messages);
        const talk = messages.filter(({ role }) => role !== 'system');
        const mayGo = talk.slice(0, talk.length - recentOf(talk, recent).length);
        if (mayGo.length > 0) expect(compressedTokenCount).toBeLessThan(originalTokenCount);
      },
    ),
    RUNS,
  );
});

test('Feature: services-sessions, Property 13: each compression of a session counts one, and the messages stay in its record', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), strategy, async (times, name) => {
      const { store, create } = memoryWorld();
      const recording = createChatRecordingService({ store });
      const session = await create('notes');
      const provider = scriptedProvider(() => says(SUMMARY));
      const dependencies = { provider, model: 'm', contextWindow: 4000, store, log: silentLog };
      const settings = { ...DEFAULT_COMPACTION, strategy: name, preserveRecentTokens: 50 };
      for (let time = 1; time <= times; time++) {
        for (let index = 0; index < 8; index++)
          await session.append(said(index % 2 ? 'assistant' : 'user', 'word '.repeat(200)));
        const request = { settings, by: 'user', signal: new AbortController().signal } as const;
        expect(await compact(session, dependencies, request)).toMatchObject({ kind: 'compacted', strategy: name });
        const recorded = await recording.getSession('notes');
        expect(recorded?.metadata.compressionCount).toBe(time);
        expect(recorded?.messages).toHaveLength(8 * time);
      }
    }),
    { numRuns: 100 },
  );
});

test('a conversation that fits the target stays unchanged, and one that does not gets shorter', async () => {
  await fc.assert(
    fc.asyncProperty(conversation, strategy, summarizer, fc.integer({ min: -300, max: 300 }), async (...drawn) => {
      const [messages, name, kind, spare] = drawn;
      const targetTokens = Math.max(0, tokensOf(messages) + spare);
      const service = serviceWith(kind);
      const options = { strategy: name, preserveRecentTokens: 0, targetTokens };
      const truncated = service.truncate(messages, targetTokens);
      const { compressedMessages } = await service.compress(messages, options);
      if (spare >= 0) {
        for (const result of [truncated, compressedMessages, await service.hybrid(messages, options)])
          expect(result).toEqual(messages);
      } else {
        const talk = messages.filter(({ role }) => role !== 'system').length;
        expect(truncated.length).toBeLessThan(talk > 1 ? messages.length : messages.length + 1);
      }
    }),
    RUNS,
  );
});

test('a summary that is at least as long as the messages it replaces is not used', async () => {
  const old = text('user', 'word '.repeat(60));
  const recent = [text('assistant', 'answer '.repeat(60)), text('user', 'question '.repeat(60))];
  const messages = [old, ...recent];
  const counts = new Set<number>();
  for (let extra = 0; extra < 240; extra++) {
    const words = `${SUMMARY}\n- ${'x'.repeat(extra)}`;
    const service = createChatCompressionService({ summaries: async () => words });
    const [summary] = await service.summarize([old, ...recent.slice(0, 1)], 2000);
    const found = tokensOf([summary!]) - tokensOf([old]);
    counts.add(Math.sign(found));
    const options = { strategy: 'hybrid', preserveRecentTokens: tokensOf(recent), targetTokens: 200 } as const;
    const result = await service.compress(messages, options);
    expect([extra, result.strategy]).toEqual([extra, found < 0 ? 'hybrid' : 'truncate']);
    expect(result.compressedTokenCount).toBeLessThan(result.originalTokenCount);
  }
  expect([...counts].sort()).toEqual([-1, 0, 1]);
});

test('a summary has the time of the newest message that it replaces', async () => {
  await fc.assert(
    fc.asyncProperty(conversation, fc.integer({ min: 0, max: 200 }), async (plain, recent) => {
      const messages = plain.map((message, index) => ({
        ...message,
        timestamp: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
      }));
      const options = { strategy: 'hybrid', preserveRecentTokens: recent } as const;
      const result = await serviceWith('model').hybrid(messages, options);
      const at = result.findIndex((message) => summaryText(message) !== undefined);
      if (at < 0) return;
      const kept = result.slice(at + 1);
      const whole = kept.filter((message) => messages.some((other) => isDeepStrictEqual(other, message)));
      const last = messages[messages.length - whole.length - 1]!;
      // A cut message keeps an excerpt: the part that the summary replaces ends with it.
      expect(result[at]!.timestamp).toBe(last.timestamp);
    }),
    RUNS,
  );
});

test('a message of a few words, which cannot be cut, stays whole and is not summarized too', async () => {
  const messages = [text('assistant', '0 word word word '), text('assistant', '1 word ')];
  for (const preserveRecentTokens of [3, 4])
    expect(await serviceWith('model').hybrid(messages, { strategy: 'hybrid', preserveRecentTokens })).toEqual(messages);
});

describe('the compression service', () => {
  const talk = Array.from({ length: 10 }, (_, index) =>
    text(index % 2 ? 'assistant' : 'user', `${index} ${'word '.repeat(50)}`),
  );

  it('puts one summary after the system prompt, and names the strategy used', async () => {
    const prompt = text('system', 'You are terse.');
    const service = serviceWith('model');
    const result = await service.compress([prompt, ...talk], { strategy: 'hybrid', preserveRecentTokens: 60 });
    expect(result.strategy).toBe('hybrid');
    expect(result.compressedMessages[1]?.parts[0]).toMatchObject({ text: expect.stringContaining('### Decisions') });
    const fallen = await serviceWith('broken').compress(talk, { strategy: 'hybrid', preserveRecentTokens: 60 });
    expect(fallen.strategy).toBe('truncate');
  });

  it('summarizes, truncates and does both when called directly', async () => {
    const service = serviceWith('extract');
    expect(service.truncate(talk, 130)).toEqual(talk.slice(-2));
    expect(await service.summarize(talk, 400)).toHaveLength(3);
    expect(
      (await service.hybrid(talk, { strategy: 'hybrid', preserveRecentTokens: 60, targetTokens: 400 })).length,
    ).toBeGreaterThan(3);
  });

  it('cuts a single message that is larger than the target, with a marker', () => {
    const large = [text('user', 'small'), text('assistant', `BEGIN ${'word '.repeat(5000)} END`), text('user', 'and?')];
    const cut = createChatCompressionService().truncate(large, 500);
    expect(cut.at(-1)).toEqual(large.at(-1));
    expect(tokensOf(cut)).toBeLessThan(500);
  });

  it('keeps both ends of a message larger than the target if recent tokens are preserved', async () => {
    const large = [text('user', 'small'), text('assistant', `BEGIN ${'word '.repeat(5000)} END`), text('user', 'and?')];
    const options = { strategy: 'truncate', preserveRecentTokens: 200, targetTokens: 500 } as const;
    const { compressedMessages } = await createChatCompressionService().compress(large, options);
    const [excerpt] = compressedMessages[0]?.parts ?? [];
    const shown = excerpt?.type === 'text' ? excerpt.text : '';
    expect(isCut(shown)).toBe(true);
    expect(shown).toMatch(/^BEGIN[\s\S]+END$/);
  });

  it('truncates ten thousand messages', () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      text(index % 2 ? 'assistant' : 'user', `message ${index}`),
    );
    expect(createChatCompressionService().truncate(many, 200).length).toBeLessThan(100);
  });
});
