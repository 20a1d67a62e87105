// The bounds of a search: very common words, filters that few hits pass, and a time that is over.
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA } from '../../lib/catalog/schema.ts';
import { search } from '../../lib/catalog/search.ts';
import type { SearchRequest } from '../../lib/catalog/search-request.ts';

const MESSAGES = 21_000;
const SECOND = 1_700_000_000;

let database: DatabaseSync;
beforeAll(() => {
  database = new DatabaseSync(':memory:');
  database.exec(
    `${SCHEMA} INSERT INTO sessions (number, agent, directory, id, state) VALUES (1, 'ollm', '/', 'oak', 'here'); BEGIN`,
  );
  const insert = database.prepare(
    "INSERT INTO messages VALUES (?, 1, ?, NULL, NULL, ?, ?, 'text', ?, ?, NULL, NULL, NULL, NULL)",
  );
  const index = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  for (let seq = 0; seq < MESSAGES; seq += 1) {
    const id = (SECOND + seq) * 2 ** 20 + 1;
    // The oldest is the best, and the only one of the user.
    const text = seq === 0 ? 'walrus walrus' : `walrus and other words ${seq}`;
    insert.run(id, seq, seq === 0 ? 'user' : 'assistant', (SECOND + seq) * 1000, text.length, text);
    index.run(id, text);
  }
  database.exec('COMMIT');
});
afterAll(() => database.close());

const still = { monotonic: () => 0 };
const ask = (request: SearchRequest) => search(database, request, { clock: still });

describe('a word that occurs in more than 20,000 messages', () => {
  it('is ranked among the newest of them, and the result says so', () => {
    const { hits, isCut, leftOut } = ask({ text: 'walrus', limit: 5 });
    expect(hits).toHaveLength(5);
    expect(hits.every(({ key }) => Number(key) >= MESSAGES - 20_000)).toBe(true);
    expect({ isCut, leftOut }).toEqual({
      isCut: true,
      leftOut: [expect.stringContaining('the newest 20,000 messages')],
    });
  });

  it('is counted by role on request, up to a bound', () => {
    const { hits, counts } = ask({ text: 'walrus', limit: 5, isCounted: true });
    expect(hits).toHaveLength(5);
    expect(counts).toEqual({ hits: 10_000, sessions: 1, roles: { assistant: 10_000 }, isWhole: false });
    expect(ask({ text: '"other words 17"', limit: 5, isCounted: true }).counts).toBeUndefined();
  });

  it('is searched further back if a filter rejects most of the newest messages', () => {
    const { hits, leftOut } = ask({ text: 'walrus', role: 'user' });
    expect(hits.map(({ key }) => key)).toEqual(['0']);
    expect(leftOut).toEqual([]);
  });

  it('that is common is found together with a rare one at any place', () => {
    expect(ask({ text: 'walrus 17' }).hits.map(({ key }) => key)).toEqual(['17']);
  });

  it('is found in the newest messages first if they are equally good', () => {
    const keys = ask({ text: 'other', limit: 3 }).hits.map(({ key }) => Number(key));
    expect(keys).toEqual([MESSAGES - 1, MESSAGES - 2, MESSAGES - 3]);
  });

  it('is found only after a given time', () => {
    const { hits, leftOut } = ask({ text: 'walrus', sinceMs: (SECOND + MESSAGES - 2) * 1000, limit: 50 });
    expect(hits.map(({ key }) => Number(key)).sort()).toEqual([MESSAGES - 2, MESSAGES - 1]);
    expect(leftOut).toEqual([]);
  });
});

describe('a regular expression', () => {
  it('reads from the newest to the oldest until its time is over, and reports how far it came', () => {
    let asked = 0;
    const clock = { monotonic: () => (asked += 1) };
    const { hits, isCut, leftOut } = search(database, { text: 'walrus walrus', isRegex: true }, { clock, regexMs: 10 });
    expect({ hits, isCut }).toEqual({ hits: [], isCut: true });
    expect(leftOut).toEqual([
      expect.stringMatching(/^The time was over: what is older than 20\d\d-.*Z was not searched\.$/),
    ]);
  });

  it('finds the very oldest message if it has the time', () => {
    expect(ask({ text: 'walrus walrus', isRegex: true }).hits.map(({ key }) => key)).toEqual(['0']);
  });
});
