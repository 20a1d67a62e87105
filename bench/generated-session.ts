// Events with the shape of real sessions, the same for the same seed: most bytes are tool output, the median event is
// about 1 kB, a few reach 1 MB, and some text is CJK or emoji.
import type { NewEvent } from '../lib/journal/types.ts';

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

const WORDS =
  'the journal keeps every event in order and a reader finds damage by its checksum while const value return await import error at line null undefined path src lib test 1024 0x7f true'.split(
    ' ',
  );
const WIDE = ['日誌は追記のみです。', '每个事件都有校验和。', '🙂🚀', 'Größe über 4 kB'];

/** `count` events that a journal accepts after its first line. */
export function* generatedEvents(count: number, options: { readonly seed?: number } = {}): Generator<NewEvent> {
  const random = seededRandom(options.seed ?? 1);
  const text = (bytes: number): string => {
    const parts: string[] = [];
    for (let length = 0; length < bytes; ) {
      const word = random() < 0.02 ? WIDE[Math.floor(random() * WIDE.length)]! : WORDS[Math.floor(random() * WORDS.length)]!;
      parts.push(word);
      length += word.length + 1;
    }
    return parts.join(random() < 0.3 ? '\n' : ' ');
  };
  /** Log-normal around `median`, as lengths of texts are. */
  const about = (median: number, spread: number): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(8, Math.min(1_000_000, Math.round(median * Math.exp(normal * spread))));
  };
  const tokens = (bytes: number) => ({ count: Math.ceil(bytes / 4), method: 'estimated' as const });

  let made = 0;
  for (let turn = 1; made < count; turn++) {
    const question = text(about(200, 1));
    const steps = 1 + Math.floor(random() * 4);
    const events: NewEvent[] = [
      { type: 'turn.started', turn, data: { input: question } },
      message('user', question, true),
    ];
    for (let step = 0; step < steps; step++) {
      const callId = `call-${turn}-${step}`;
      const output = text(random() < 0.001 ? 1_000_000 : about(2500, 1.4));
      events.push(
        { type: 'tool.requested', turn, data: { callId, name: 'file_read', args: { path: `lib/${step}.ts`, from: turn } } },
        { type: 'tool.decided', turn, data: { callId, decision: 'allow', by: 'policy', rule: 'read-inside-project' } },
        { type: 'tool.started', turn, data: { callId, sandbox: 'none', envRemoved: [] } },
        {
          type: 'tool.finished',
          turn,
          data: {
            callId,
            status: 'ok',
            result: { llmContent: output },
            tokens: tokens(output.length),
            durationMs: Math.round(random() * 1000),
            trusted: false,
          },
        },
      );
    }
    const answer = text(about(900, 1));
    events.push(
      message('assistant', answer, true),
      {
        type: 'usage.reported',
        turn,
        data: { inputTokens: 1000 + turn, outputTokens: 200, source: 'provider', model: 'm', requestHash: '0'.repeat(16) },
      },
      { type: 'turn.ended', turn, data: { status: 'completed', steps, durationMs: 1234 } },
    );
    for (const event of events) {
      if (made++ >= count) return;
      yield event;
    }

    function message(role: 'user' | 'assistant', content: string, trusted: boolean): NewEvent {
      return {
        type: 'message.added',
        turn,
        data: { role, parts: [{ type: 'text', text: content }], tokens: tokens(content.length), trusted },
      };
    }
  }
}

/** What line 0 of a generated session says. */
export const CREATED = { format: 1, sessionId: 'generated', model: 'm', provider: 'offline', ollm: '0.0.0' };
