// Thoughts that a model writes into its answer: however the text is cut into pieces, the thought is reasoning and the
// answer is text.
import fc from 'fast-check';
import type { Provider, ProviderSignal } from '../../lib/providers/provider.ts';
import { splittingThoughts } from '../../lib/providers/think-tags.ts';

async function split(pieces: readonly string[], fails = false) {
  async function* signals(): AsyncGenerator<ProviderSignal> {
    for (const text of pieces) yield { type: 'text', text };
    if (fails) throw new Error('cut');
    yield { type: 'finish', reason: 'stop' };
  }
  const provider = splittingThoughts({ stream: signals } as unknown as Provider);
  const found = { reasoning: '', text: '', ends: 0 };
  try {
    for await (const signal of provider.stream({} as never, { signal: AbortSignal.any([]) })) {
      if (signal.type === 'text' || signal.type === 'reasoning') found[signal.type] += signal.text ?? '';
      else found.ends += 1;
    }
  } catch (error) {
    expect(error).toMatchObject({ message: 'cut' });
  }
  return found;
}

/** The text in pieces that end at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].sort((one, other) => one - other);
  return ends.map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
}

test.each([
  ['<think>secret plan</think>\n\nThe answer.', 'secret plan', 'The answer.'],
  ['\n <think>a < b </thin> c</think>x', 'a < b </thin> c', 'x'],
  ['<think>never ends', 'never ends', ''],
  ['<think></think>x', '', 'x'],
  ['Use <think>tags</think>.', '', 'Use <think>tags</think>.'],
  ['<thinking>no</thinking>', '', '<thinking>no</thinking>'],
  ['<think>a</think>b <think>c</think>', 'a', 'b <think>c</think>'],
  ['  plain', '', '  plain'],
  ['<thi', '', '<thi'],
  ['', '', ''],
])('%j is split into its thought and its answer, in any pieces', async (whole, reasoning, text) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (places) => {
      expect(await split(cut(whole, places))).toEqual({ reasoning, text, ends: 1 });
    }),
    { numRuns: 100 },
  );
});

test('no character is lost if an answer breaks off', async () => {
  const texts = fc.array(fc.constantFrom('<think>', '</think>', '<', '</th', 'x', ' '), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(texts, async (pieces) => {
      const { reasoning, text } = await split(pieces, true);
      const said = pieces.join('').replaceAll(/\s|<\/?think>/g, '');
      expect(`${reasoning}${text}`.replaceAll(/\s|<\/?think>/g, '')).toBe(said);
    }),
    { numRuns: 200 },
  );
});
