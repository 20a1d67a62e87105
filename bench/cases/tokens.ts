// Counting tokens: a turn counts what it adds, never what was counted before; and what the estimate costs beside real
// tokenizers, of which one is loaded only where exact counts are wanted.
import { estimateTokens } from '../../lib/tokens/estimate.ts';
import type { Case } from '../bench.ts';
import { generatedTurns } from '../generated-session.ts';
import { measure, type Reference, seconds } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';

interface Tiktoken {
  get_encoding(name: string): { encode(text: string): Uint32Array; free(): void };
}

const TURNS = 100;

export const run: Case = async function* ({ seed, pairs, progress }) {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const turns = [...textsOfTurns(TURNS, seed)];
  const all = turns.flat();
  const last = turns.at(-1)!;
  const length = all.reduce((sum, text) => sum + text.length, 0);
  const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

  progress('a turn');
  const time = async (texts: readonly string[], count: (text: string) => number) =>
    1e6 * (await seconds(() => texts.forEach((text) => void count(text))));
  yield* await measure(
    {
      what: `tokens of a turn, the ${TURNS}th of a session`,
      unit: 'µs',
      subject: () => time(last, estimateTokens),
      against: [
        { name: 'counting the whole view, estimated', goal: { atMost: 0.1 }, run: () => time(all, estimateTokens) },
        { name: 'counting the whole view, gpt-tokenizer', goal: { atMost: 0.1 }, run: () => time(all, exact) },
      ],
    },
    pairs,
  );

  progress('a text');
  const rate = async (work: (text: string) => unknown) =>
    length / 1e6 / (await seconds(() => all.forEach((text) => void work(text))));
  const against: Reference[] = [{ name: 'gpt-tokenizer, o200k_base', run: () => rate(exact) }];
  const tiktoken = (await loadPeer<{ default: Tiktoken }>('tiktoken'))?.default;
  if (tiktoken) {
    const encoding = tiktoken.get_encoding('o200k_base');
    against.push({
      name: 'tiktoken (WebAssembly), o200k_base',
      run: () => rate((text) => encoding.encode(text).length),
    });
  } else yield missingPeer('an estimate against tiktoken', 'tiktoken');
  yield* await measure(
    { what: 'estimating a text', unit: 'MB/s', subject: () => rate(estimateTokens), against },
    pairs,
  );
};

function* textsOfTurns(count: number, seed: number): Generator<string[]> {
  for (const turn of generatedTurns({ seed })) {
    if (count-- === 0) return;
    yield turn.flatMap((event) => {
      if (event.type === 'tool.finished') return [flat(event.data.result.llmContent)];
      if (event.type !== 'message.added') return [];
      return event.data.parts.flatMap((part) => (part.type === 'text' ? [flat(part.text)] : []));
    });
  }
}

/** A text as it comes from a file or the network, and not as a slice of another. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
