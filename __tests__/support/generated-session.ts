// Events with the shape of real sessions, the same for the same seed: 78 % of the bytes of their journal are tool
// output, lengths are log-normal, one output in two thousand is 1 MB, four calls in a hundred fail, and every seventh
// text has CJK, emoji or box drawing in it. The median line has 0.25 kB, the median of those that carry text 0.7 kB,
// the mean is 1.9 kB. Of conversations that other agents recorded, which have no lines for decisions, starts and usage,
// both medians are 0.4 kB and the mean is 1.7 kB, with 72 % tool output and as many failed calls.
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { estimateCall } from '../../lib/tokens/estimate.ts';

const { floor, imul } = Math;

/** A small seeded generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
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
const LONGEST_TEXT = 1_000_000;
const OUTPUTS_PER_LONGEST = 2_000;
/** Most text length of the others. */
const MAX_TEXT_LENGTH = 400_000;
const FAILED = 0.04;

/** A shell takes most calls. Each has one text of the same lengths. */
const TOOLS = [
  { share: 0.55, name: 'bash', argsOf: (_: number, text: string) => ({ command: text }) },
  { share: 0.2, name: 'file_edit', argsOf: (turn: number, text: string) => ({ path: `lib/${turn}.ts`, text }) },
  { share: 0.15, name: 'file_read', argsOf: (turn: number, text: string) => ({ path: text, from: turn }) },
  { share: 0.1, name: 'search_files', argsOf: (_: number, text: string) => ({ pattern: text, path: 'lib' }) },
] as const;
const DECISIONS = [
  { share: 0.8, how: { by: 'policy', rule: 'inside-project' } },
  { share: 0.2, how: { by: 'user' } },
] as const;

/** The first line of a generated session, without the members that the journal adds. */
export const CREATED = { model: 'm', provider: 'offline', ollm: '0.0.0' };

/**
 * `count` events that a journal accepts after its first line. They end at a turn's end only where `count` happens to.
 */
export function* generatedEvents(count: number, options: { readonly seed?: number } = {}): Generator<NewOllmEvent> {
  let made = 0;
  for (const turn of generatedTurns(options)) {
    for (const event of turn) {
      if (made++ >= count) return;
      yield event;
    }
  }
}

/** Whole turns without end, each as the list of its events. */
export function* generatedTurns({ seed = 1 }: { readonly seed?: number } = {}): Generator<NewOllmEvent[], never> {
  const random = seededRandom(seed);
  const textOf = textSource(random);
  const text = (median: number, spread: number) => textOf(lengthAround(median, spread, random));
  const message = (turn: number, role: 'user' | 'assistant', content: string): NewOllmEvent => {
    const parts = [{ type: 'text' as const, text: content }];
    return { type: 'message.added', turn, data: { role, parts, tokens: estimated(content), trusted: true } };
  };
  let outputs = 0;

  for (let turn = 1; ; turn++) {
    const input = text(90, 1.8);
    const steps = 1 + floor(random() * 4);
    const events = [{ type: 'turn.started' as const, turn, data: { input } }, message(turn, 'user', input)];
    for (let step = 0; step < steps; step++) events.push(...toolCall(turn, step));
    const usage = { inputTokens: 1000 + turn, outputTokens: 200, source: 'provider', model: 'm' } as const;
    events.push(message(turn, 'assistant', text(900, 1)), { type: 'usage.reported', turn, data: usage });
    events.push({ type: 'turn.ended', turn, data: { status: 'completed', steps, durationMs: 1234 } });
    yield events;
  }

  function toolCall(turn: number, step: number): NewOllmEvent[] {
    const callId = `call-${turn}-${step}`;
    const { name, argsOf } = drawn(TOOLS, random);
    const args = argsOf(turn, text(130, 1.5));
    const status = random() < FAILED ? 'error' : 'ok';
    outputs += 1;
    // Not by chance: that would leave it out of one session, and put two into the next.
    const isLongest = outputs % OUTPUTS_PER_LONGEST === OUTPUTS_PER_LONGEST / 2;
    const output = isLongest ? textOf(LONGEST_TEXT) : text(3500, 1.3);
    const durationMs = Math.round(random() * 1000);
    const result = { result: { llmContent: output }, tokens: estimated(output), durationMs };
    return [
      { type: 'tool.requested', turn, data: { callId, name, tokens: estimateCall({ name, args }), args } },
      { type: 'tool.decided', turn, data: { callId, decision: 'allow', ...drawn(DECISIONS, random).how } },
      { type: 'tool.started', turn, data: { callId, sandbox: 'none', envRemoved: [] } },
      { type: 'tool.finished', turn, data: { callId, status, ...result, trusted: false } },
    ];
  }
}

/** Words that do not repeat themselves: an answer that chants would be ended. */
export function distinctWords(count: number, seed: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => `${Math.floor(random() * 36 ** 5).toString(36)} `);
}

/** Draws one of them, with the probability of its share. */
function drawn<Drawn extends { readonly share: number }>(from: readonly Drawn[], random: () => number): Drawn {
  const place = random();
  let shares = 0;
  for (const each of from) {
    shares += each.share;
    if (place < shares) return each;
  }
  return from.at(-1)!;
}

/** Log-normal. */
function lengthAround(median: number, spread: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(8, Math.min(MAX_TEXT_LENGTH, Math.round(median * Math.exp(normal * spread))));
}

/** Cuts texts of a given length from two long ones, one in ASCII and one that is not. */
function textSource(random: () => number): (length: number) => string {
  const plain = pool(PLAIN, 0);
  const wide = pool(PLAIN, 0.05);
  return (length) => {
    const from = floor(random() * (POOL_LENGTH - length));
    // A cut through an emoji would leave half of it, which JSON writes as an escape.
    return (random() < WIDE_TEXTS ? wide : plain)
      .slice(from, from + length)
      .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  };

  function pool(words: readonly string[], wideShare: number): string {
    const parts: string[] = [];
    for (let length = 0; length < POOL_LENGTH; ) {
      const from = random() < wideShare ? WIDE : words;
      const word = from[floor(random() * from.length)]! + (random() < 0.1 ? '\n' : ' ');
      parts.push(word);
      length += word.length;
    }
    return parts.join('');
  }
}

function estimated(text: string): { count: number; method: 'estimated' } {
  return { count: Math.ceil(text.length / 4), method: 'estimated' };
}
