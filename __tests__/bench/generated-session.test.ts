// The sessions that the bench reads have the shape that their generator says: figures taken on others would mean something else.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatedEvents, generatedTurns } from '../../bench/generated-session.ts';
import { median } from '../../bench/measure.ts';
import { writeJournal } from '../../bench/sessions.ts';
import type { EventData } from '../../lib/events/index.ts';
import { validateEvent } from '../../lib/events/validate.ts';

const CARRIES_TEXT = ['turn.started', 'message.added', 'tool.requested', 'tool.finished'];

interface Line {
  readonly type: string;
  readonly data: object;
  readonly bytes: number;
}

describe('a generated session', () => {
  it('is the same for the same seed, and another one for another', () => {
    const [one, again, other] = [1, 1, 2].map((seed) => [...generatedEvents(20, { seed })]);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it('is made of turns, numbered from where it is asked to begin', () => {
    let number = 7;
    for (const events of generatedTurns({ seed: 1, firstTurn: number })) {
      expect([events[0]!.type, events.at(-1)!.type]).toEqual(['turn.started', 'turn.ended']);
      expect(new Set(events.map(({ turn }) => turn))).toEqual(new Set([number]));
      if (++number > 8) break;
    }
  });

  it('has nothing in it that its schemas do not allow', () => {
    const problems = [...generatedEvents(2_000, { seed: 1 })].flatMap(({ type, data }) => validateEvent(type, data));
    expect(problems).toEqual([]);
  });
});

describe('the shape of 20,000 generated events', () => {
  let lines: readonly Line[];
  beforeAll(async () => {
    lines = await journalLines(20_000);
  });

  const of = (...types: string[]) => lines.filter(({ type }) => types.includes(type));
  const bytesOf = (some: readonly Line[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  const outputs = () => of('tool.finished').map(({ data }) => data as EventData<'tool.finished'>);

  it('has 78 % of its bytes in tool output', () => {
    expectWithin(bytesOf(of('tool.finished')) / bytesOf(lines), 0.775, 0.01);
  });

  it('has a median line of 0.25 kB, one of 0.7 kB where it carries text, and a mean of 1.9 kB', () => {
    expectWithin(median(lines.map(({ bytes }) => bytes)), 250, 5);
    expectWithin(median(of(...CARRIES_TEXT).map(({ bytes }) => bytes)), 715, 15);
    expectWithin(bytesOf(lines) / lines.length, 1880, 20);
  });

  it('has one output of 1 MB in two thousand, and no longer one', () => {
    const lengths = outputs().map(({ result }) => result.llmContent.length);
    expect(lengths.length).toBe(3333);
    expect(lengths.filter((length) => length > 400_000)).toEqual([1_000_000, 1_000_000]);
    expectWithin(median(lengths), 3400, 50);
  });

  it('has four failed calls in a hundred, of several tools and decided on in several ways', () => {
    const failed = outputs().filter(({ status }) => status !== 'ok');
    expectWithin(failed.length / outputs().length, 0.04, 0.005);
    expect(kinds('tool.requested', ['name'])).toEqual(['bash', 'file_edit', 'file_read', 'search_files']);
    expect(kinds('tool.decided', ['by', 'rule'])).toEqual(['grant for-this-session', 'policy inside-project', 'user ']);
  });

  it('has characters that are not ASCII in every seventh text', () => {
    const wide = outputs().filter(({ result }) => /[^\x00-\x7f]/.test(result.llmContent));
    expectWithin(wide.length / outputs().length, 0.15, 0.01);
  });

  function kinds(type: string, members: readonly string[]): string[] {
    const all = of(type).map(({ data }) => members.map((name) => (data as Record<string, string>)[name]).join(' '));
    return [...new Set(all)].sort();
  }
});

function expectWithin(value: number, middle: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(middle - most);
  expect(value).toBeLessThanOrEqual(middle + most);
}

/** As the product stores them. */
async function journalLines(count: number): Promise<Line[]> {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-generated-'));
  try {
    const { path } = await writeJournal(directory, 'journal', count, { seed: 1 });
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1, count + 1);
    return lines.map((line) => ({ ...JSON.parse(line), bytes: Buffer.byteLength(line) + 1 }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
