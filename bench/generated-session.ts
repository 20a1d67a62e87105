// Events with the shape of real sessions, the same for the same seed: about 78 % of the bytes are tool output, the median
// line that carries text is about 0.7 kB, a few reach 1 MB, and every seventh text has CJK, emoji or box drawing in it.
import type { NewOllmEvent } from '../lib/events/index.ts';
import { estimateCall } from '../lib/tokens/estimate.ts';

/** A small seeded generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const PLAIN =
  'the journal keeps every event in order and a reader finds damage by its checksum while const value return await import error at line null undefined path src lib test 1024 0x7f true {} "name": // ok'.split(
    ' ',
  );
const WIDE = ['日誌は追記のみです。', '每个事件都有校验和。', '🙂🚀', 'Größe über 4 kB', '├──', '│', '✓'];
const WIDE_TEXTS = 0.15;
const POOL_LENGTH = 2 ** 21;
const MAX_TEXT_LENGTH = 1_000_000;

/** `count` events that a journal accepts behind its first line. They end at a turn's end only where `count` happens to. */
export function* generatedEvents(
  count: number,
  options: { readonly seed?: number; readonly firstTurn?: number } = {},
): Generator<NewOllmEvent> {
  let made = 0;
  for (const turn of generatedTurns(options)) {
    for (const event of turn) {
      if (made++ >= count) return;
      yield event;
    }
  }
}

/** Whole turns without end, each as the list of its events. */
export function* generatedTurns(
  options: { readonly seed?: number; readonly firstTurn?: number } = {},
): Generator<NewOllmEvent[]> {
  const random = seededRandom(options.seed ?? 1);
  const text = textSource(random);

  for (let turn = options.firstTurn ?? 1; ; turn++) {
    const question = text(90, 1.8);
    const steps = 1 + Math.floor(random() * 4);
    const events: NewOllmEvent[] = [
      { type: 'turn.started', turn, data: { input: question } },
      message('user', question, true),
    ];
    for (let step = 0; step < steps; step++) events.push(...toolCall(turn, step));
    const answer = text(900, 1);
    events.push(
      message('assistant', answer, true),
      {
        type: 'usage.reported',
        turn,
        data: {
          inputTokens: 1000 + turn,
          outputTokens: 200,
          source: 'provider',
          model: 'm',
          requestHash: '0'.repeat(16),
        },
      },
      { type: 'turn.ended', turn, data: { status: 'completed', steps, durationMs: 1234 } },
    );
    yield events;

    function message(role: 'user' | 'assistant', content: string, trusted: boolean): NewOllmEvent {
      const parts = [{ type: 'text' as const, text: content }];
      return { type: 'message.added', turn, data: { role, parts, tokens: estimated(content), trusted } };
    }
  }

  function toolCall(turn: number, step: number): NewOllmEvent[] {
    const callId = `call-${turn}-${step}`;
    const output = random() < 0.0005 ? text(MAX_TEXT_LENGTH, 0) : text(3500, 1.3);
    const name = 'file_edit';
    const args = { path: `lib/${step}.ts`, from: turn, text: text(130, 1.5) };
    return [
      {
        type: 'tool.requested',
        turn,
        data: { callId, name, tokens: estimateCall({ name, args }), args },
      },
      { type: 'tool.decided', turn, data: { callId, decision: 'allow', by: 'policy', rule: 'inside-project' } },
      { type: 'tool.started', turn, data: { callId, sandbox: 'none', envRemoved: [] } },
      {
        type: 'tool.finished',
        turn,
        data: {
          callId,
          status: 'ok',
          result: { llmContent: output },
          tokens: estimated(output),
          durationMs: Math.round(random() * 1000),
          trusted: false,
        },
      },
    ];
  }
}

/** The first ones. */
export function* take<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  for (const item of items) {
    if (count-- === 0) return;
    yield item;
  }
}

/** Whole turns, so many that they are at least that many events. */
export function* turnsUpTo(events: number, seed: number): Generator<NewOllmEvent[]> {
  let made = 0;
  for (const turn of generatedTurns({ seed })) {
    if (made >= events) return;
    made += turn.length;
    yield turn;
  }
}

/** Words that do not repeat themselves: an answer that chants would be ended. */
export function distinctWords(count: number, seed: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => `${Math.floor(random() * 36 ** 5).toString(36)} `);
}

/** What the first line of a generated session says, beside what the journal adds. */
export const CREATED = { model: 'm', provider: 'offline', ollm: '0.0.0' };

/** Texts whose lengths are log-normal around a median: cut from two long texts, one in ASCII and one that is not. */
function textSource(random: () => number): (median: number, spread: number) => string {
  const plain = pool(PLAIN, 0);
  const wide = pool(PLAIN, 0.05);
  return (median, spread) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const length = Math.max(8, Math.min(MAX_TEXT_LENGTH, Math.round(median * Math.exp(normal * spread))));
    const from = Math.floor(random() * (POOL_LENGTH - length));
    // A cut through an emoji would leave half of it, which JSON writes as an escape.
    return (random() < WIDE_TEXTS ? wide : plain)
      .slice(from, from + length)
      .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  };

  function pool(words: readonly string[], wideShare: number): string {
    const parts: string[] = [];
    for (let length = 0; length < POOL_LENGTH; ) {
      const from = random() < wideShare ? WIDE : words;
      const word = from[Math.floor(random() * from.length)]! + (random() < 0.1 ? '\n' : ' ');
      parts.push(word);
      length += word.length;
    }
    return parts.join('');
  }
}

function estimated(text: string): { count: number; method: 'estimated' } {
  return { count: Math.ceil(text.length / 4), method: 'estimated' };
}
