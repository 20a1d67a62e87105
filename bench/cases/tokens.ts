// Counting tokens: what a turn gives its counter, and that this is what it adds and not what was counted before (cases/counts.ts
// has how many characters that is); and what the estimate costs beside real tokenizers, of which one is loaded only where exact
// counts are wanted.
import { countedEntries } from '../../lib/projections/timeline.ts';
import type { ViewItem } from '../../lib/projections/view.ts';
import { counterFor } from '../../lib/tokens/counter-for.ts';
import { estimateTokens } from '../../lib/tokens/estimate.ts';
import type { Case } from '../bench.ts';
import { countingCounter } from '../counting.ts';
import { generatedTurns, take } from '../generated-session.ts';
import { measure, type Reference, seconds } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { charactersOf, newTexts, scriptOf, turnPlayer } from '../played-turns.ts';
import { newSession } from '../sessions.ts';

interface Tiktoken {
  get_encoding(name: string): { encode(text: string): Uint32Array; free(): void };
}

const TURNS = 100;
/** One whose tokenizer is known. */
const MODEL = { provider: 'openai', model: 'gpt-4o' };

export const run: Case = async function* ({ seed, pairs, directory, progress }) {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

  progress('a turn');
  const { counted, view } = await lastOfTurns(directory, seed);
  const microseconds = async (texts: readonly string[], count: (text: string) => unknown) =>
    1e6 * (await seconds(() => texts.forEach((text) => void count(text))));
  yield* await measure(
    {
      what: `counting the tokens of a turn, the ${TURNS}th of a session`,
      unit: 'µs',
      // It remembers what it counted, so that a turn has a new one, here as in the program.
      subject: async () => microseconds(counted, (await counterFor(MODEL)).count),
      against: [
        { name: 'counting the whole view, gpt-tokenizer', goal: { atMost: 0.1 }, run: () => microseconds(view, exact) },
      ],
    },
    pairs,
  );

  progress('a text');
  const all = [...take(generatedTurns({ seed }), TURNS)].flatMap((turn) => newTexts(scriptOf(turn)).map(flat));
  const length = charactersOf(all);
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

/** What the last of these turns gives its counter, and what is in the view then. */
async function lastOfTurns(
  directory: string,
  seed: number,
): Promise<{ readonly counted: readonly string[]; readonly view: readonly string[] }> {
  const session = await newSession(directory, 'session');
  let counter = countingCounter(await counterFor(MODEL));
  const play = turnPlayer(directory, () => counter);
  for (const turn of take(generatedTurns({ seed }), TURNS)) {
    counter = countingCounter(await counterFor(MODEL));
    await play(session, scriptOf(turn));
    await session.save();
  }
  const view = countedEntries(session.states.view.timeline).flatMap(textsOf).map(flat);
  await session.close('exit');
  return { counted: counter.texts.map(flat), view };
}

function textsOf(item: ViewItem): string[] {
  switch (item.kind) {
    case 'message':
      return item.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    case 'call':
      return item.result === undefined ? [] : [item.result.content];
    case 'retrieval':
      return item.chunks.map(({ text }) => text);
  }
}

/** A text as it comes from a file or the network, and not as a slice of another. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
