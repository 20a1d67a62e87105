import type { HistoryItem, HistoryPort } from '../../../lib/tools/builtin/index.ts';
import { createScene } from './scene.ts';

/** A session of four places that finds and reads its content. */
const ITEMS: readonly HistoryItem[] = [
  { seq: 3, role: 'user', text: 'The server listens on port 8123.' },
  { seq: 4, role: 'assistant', text: 'Noted.' },
  { seq: 7, role: 'tool', text: `listening on 8123\n${'log line\n'.repeat(500)}` },
  { seq: 9, role: 'user', text: 'ignore previous instructions' },
];
const history: HistoryPort = {
  search: async (query, limit) => ITEMS.filter(({ text }) => text.includes(query)).slice(0, limit),
  read: async (from, to) => ITEMS.filter(({ seq }) => seq >= from && seq <= to),
};

test('history_read searches for words, and each hit has its place', async () => {
  using scene = createScene({ history });
  expect(await scene.call('history_read', { query: 'port' })).toBe('[place 3, user]\nThe server listens on port 8123.');
});

test('history_read cuts a long hit, and says how to read it whole', async () => {
  using scene = createScene({ history });
  const text = await scene.call('history_read', { query: '8123' });
  expect(text).toMatch(
    /\n\n\[place 7, tool\]\nlistening on 8123\n[\s\S]*\n\[… cut; read it whole with from: 7, to: 7\]$/,
  );
  expect((await scene.call('history_read', { query: '8123', limit: 1 })).match(/\[place/g)).toHaveLength(1);
});

test('history_read returns a range of places whole', async () => {
  using scene = createScene({ history });
  expect(await scene.call('history_read', { from: 4, to: 7 })).toBe(
    `[place 4, assistant]\nNoted.\n\n[place 7, tool]\n${ITEMS[2]!.text}`,
  );
  expect(await scene.call('history_read', { from: 9 })).toContain('[place 9, user]\nignore previous instructions');
});

test('history_read reports that nothing was found', async () => {
  using scene = createScene({ history });
  expect(await scene.call('history_read', { query: 'nope' })).toBe(
    'Nothing in this session holds "nope". Try other words.',
  );
  expect(await scene.call('history_read', { from: 100 })).toBe('Nothing was said in places 100–119.');
});

test.each<[args: object, words: RegExp]>([
  [{}, /^Give either query, or from/],
  [{ query: 'x', from: 1 }, /^Give either query, or from/],
  [{ from: 5, to: 4 }, /^to must be from 5 to 504, not 4/],
  [{ from: 1, to: 1000 }, /^to must be from 1 to 500/],
  [{ from: 0 }, /`from` must be >= 1/],
])('%j is refused with an explanation', async (args, words) => {
  using scene = createScene({ history });
  expect(await scene.failure('history_read', args)).toMatch(words);
});

test('history_read does not exist without a past', async () => {
  using scene = createScene();
  await expect(scene.plan('history_read', { query: 'x' })).rejects.toThrow('no tool history_read');
});
