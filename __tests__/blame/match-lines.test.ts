import fc from 'fast-check';
import type { BlamedLine } from '../../lib/blame/git-lines.ts';
import { matchLines, type WrittenChange } from '../../lib/blame/match-lines.ts';

const DAY_MS = 86_400_000;
const COMMITTED_MS = Date.UTC(2026, 0, 10);

function fileOf(texts: readonly string[], more: Partial<BlamedLine> = {}): BlamedLine[] {
  return texts.map((text, index) => ({
    ...{ line: index + 1, text, name: 'a.ts', commit: 'a'.repeat(40) },
    ...{ authoredMs: COMMITTED_MS, committedMs: COMMITTED_MS, ...more },
  }));
}

function wrote(session: string, texts: readonly string[], { at = COMMITTED_MS - 1000, context = [] as string[] } = {}) {
  const lines = (some: readonly string[], isAdded: boolean) => some.map((text) => ({ text, isAdded }));
  const change: WrittenChange<string> = {
    ...{ call: `${session}!`, session, atMs: at, hunks: [[...lines(context, false), ...lines(texts, true)]] },
  };
  return change;
}

const LONG = [
  'const limit = options.limit ?? DEFAULT;',
  'if (limit < 1) throw new RangeError(limit);',
  'return Math.min(limit, MAXIMUM);',
];
const found = (lines: readonly BlamedLine[], changes: readonly WrittenChange<string>[]) =>
  matchLines(lines, changes).map(({ class: kind, why, change }) => [kind, why, change?.session]);

describe('a line of a file', () => {
  it('certainly belongs to the only session that wrote its run within the day before the commit', () => {
    expect(found(fileOf(LONG), [wrote('a', LONG)])).toEqual(LONG.map(() => ['certain', undefined, 'a']));
  });

  it('does not belong to a change after its commit, but to one up to a minute later', () => {
    expect(found(fileOf(LONG), [wrote('a', LONG, { at: COMMITTED_MS + 61_000 })])[0]).toEqual([
      'unknown',
      'written only later',
      undefined,
    ]);
    expect(found(fileOf(LONG), [wrote('a', LONG, { at: COMMITTED_MS + 59_000 })])[0]![0]).toBe('certain');
  });

  it('is likely for a change before the commit was amended', () => {
    const lines = fileOf(LONG, { committedMs: COMMITTED_MS + 1_800_000 });
    expect(found(lines, [wrote('a', LONG, { at: COMMITTED_MS + 1_000_000 })])[0]).toEqual(['likely', 'amended', 'a']);
  });

  it('is likely, or unknown, for a change older than a day, depending on how distinctive its run is', () => {
    const at = COMMITTED_MS - 2 * DAY_MS;
    expect(found(fileOf(LONG), [wrote('a', LONG, { at })])[0]).toEqual(['likely', 'older', 'a']);
    expect(found(fileOf(['return limit;']), [wrote('a', ['return limit;'], { at })])[0]).toEqual([
      'unknown',
      'written long before',
      undefined,
    ]);
  });

  it('belongs to the call that wrote it first if a later call of the session rewrote the whole file', () => {
    const first = wrote('a', LONG, { at: COMMITTED_MS - 9000 });
    const more = ['export const MAXIMUM = 500;', ...LONG];
    const again = { ...wrote('a', more), call: 'again', isWholeFile: true };
    const owners = (changes: readonly WrittenChange<string>[]) =>
      matchLines(fileOf(more), changes).map(({ change }) => change?.call);
    expect(owners([first, again])).toEqual(['again', 'a!', 'a!', 'a!']);
    expect(owners([wrote('b', LONG, { at: COMMITTED_MS - 9000 }), again])).toEqual(more.map(() => 'again'));
  });

  it('belongs to a much longer run rather than to a newer one with its text', () => {
    const long = Array.from({ length: 30 }, (_, at) => `const step${at} = await begin(${at});`);
    const broken = [...long, 'return steps;'];
    const newer = wrote('a', [...long.slice(4, 9), 'not in the file']);
    const older = wrote('a', [...long, 'not in the file either'], { at: COMMITTED_MS - 9000 });
    const owners = matchLines(fileOf(broken), [older, newer]).map(({ change }) => change);
    expect(owners.slice(0, 30).every((owner) => owner === older)).toBe(true);
  });

  it('is likely if two sessions wrote it, and belongs to the newer one', () => {
    const changes = [wrote('a', LONG, { at: COMMITTED_MS - 9000 }), wrote('b', LONG)];
    expect(found(fileOf(LONG), changes)[0]).toEqual(['likely', 'two sessions', 'b']);
  });

  it('is likely if it was indented since, or is a bracket between two lines of the change', () => {
    const lines = fileOf(['  if (isReady) {', '', '  }', 'finish(everything, now);']);
    const change = wrote('a', ['if (isReady) {', 'start(everything, now);', '}', 'finish(everything, now);']);
    expect(found(lines, [change])).toEqual([
      ['likely', 'reformatted', 'a'],
      ['likely', 'between', 'a'],
      ['likely', 'reformatted', 'a'],
      ['likely', 'weak', 'a'],
    ]);
  });

  it('does not belong to a change that only has it as context', () => {
    const change = wrote('a', [LONG[2]!], { context: [LONG[0]!, LONG[1]!] });
    expect(found(fileOf(LONG), [change]).map(([kind]) => kind)).toEqual(['unknown', 'unknown', 'certain']);
  });

  it('that occurs in the file more than eight times is too common to decide', () => {
    const texts = Array.from({ length: 9 }, () => 'return undefined;');
    expect(found(fileOf(texts), [wrote('a', ['return undefined;'])])[0]).toEqual([
      'unknown',
      'too common to tell',
      undefined,
    ]);
  });
});

const WORDS = ['alpha beta gamma', 'delta epsilon', '}', '', 'zeta eta theta iota', 'x = 1', 'return kappa;'];
const texts = fc.array(fc.constantFrom(...WORDS), { maxLength: 14 });
const change = fc.record({
  session: fc.constantFrom('a', 'b', 'c'),
  texts,
  at: fc.integer({ min: -3, max: 1 }).map((days) => COMMITTED_MS + days * DAY_MS),
});

it('each claimed line is one that its change added, in any file and with any sessions', () => {
  fc.assert(
    fc.property(texts, fc.array(change, { maxLength: 4 }), (file, written) => {
      const changes = written.map(({ session, texts: some, at }) => wrote(session, some, { at }));
      for (const [at, { class: kind, change: of, why }] of matchLines(fileOf(file), changes).entries()) {
        expect(of === undefined).toBe(kind === 'unknown');
        if (of === undefined || why === 'between') continue;
        const added = of.hunks.flat().map(({ text }) => text.replace(/\s+/g, ''));
        expect(added).toContain(file[at]!.replace(/\s+/g, ''));
        expect(of.atMs!).toBeLessThanOrEqual(COMMITTED_MS + 60_000);
      }
    }),
  );
});

it('the order in which sessions are read changes no certain verdict', () => {
  fc.assert(
    fc.property(texts, fc.array(change, { maxLength: 4 }), (file, written) => {
      const changes = written.map(({ session, texts: some, at }) => wrote(session, some, { at }));
      const kinds = (some: readonly WrittenChange<string>[]) =>
        matchLines(fileOf(file), some).map(({ class: kind, change: of }) => (kind === 'certain' ? of!.session : ''));
      expect(kinds(changes.toReversed())).toEqual(kinds(changes));
    }),
  );
});
