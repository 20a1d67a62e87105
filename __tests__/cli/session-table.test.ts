// The table of sessions that a person sees: the same from the index of the list as from the sessions themselves, and the same as
// one that is put together of texts, column by column, without a thought of how long that takes.
import fc from 'fast-check';
import picocolors from 'picocolors';
import type { App } from '../../lib/app/app.ts';
import { titleOf } from '../../lib/app/sessions/list/list-forms.ts';
import { listSessions, listUnanswered } from '../../lib/app/sessions/list/list-sessions.ts';
import { type ListedLines, linesFromIndex, linesOf } from '../../lib/app/sessions/list/listed-lines.ts';
import { activityOf, type SessionRow } from '../../lib/app/sessions/list/session-row.ts';
import { sessionTable } from '../../lib/cli/session-table.ts';
import { printableLine } from '../../lib/display/printable.ts';
import { formatBytes } from '../../lib/display/quantities.ts';
import { relativeTime } from '../../lib/display/relative-time.ts';
import { fitWidth, textWidth } from '../../lib/display/width.ts';
import { happen, type Incident, MINUTE_MS, makeSession, SETTLED, withoutIndex } from '../app/sessions/list-world.ts';
import { appWorld } from '../app/world.ts';

const TITLES = [
  'Plain',
  'two  blanks\tand a tab',
  '每个事件都有校验和'.repeat(9),
  '🚀 e\u0301 👩‍👩‍👧 \u202e ok',
  'x'.repeat(300),
  ' … ',
];
const WIDTHS = [20, 45, 50, 69, 70, 90, 100, 250];
const HOUR_MS = 60 * MINUTE_MS;

interface Look {
  readonly width: number;
  readonly isColored: boolean;
}

/** Sessions of an hour each, and an index of them. Their ids begin alike, by pairs, or not at all. */
async function listedWorld(titles: readonly string[]) {
  const world = await appWorld();
  for (let number = 0; number < SETTLED; number += 1) {
    const title = titles[number % titles.length]!;
    await (await makeSession(world.app, `s-${number}`, title, number % 3 === 0 ? undefined : title)).close('exit');
    world.clock.advance(number * HOUR_MS);
  }
  for (const id of [
    '550e8400-e29b-41d4-a716-446655440000',
    '550e8400-e29c-41d4-a716-446655440000',
    's-1-and-more-of-it',
  ])
    await (await makeSession(world.app, id, 'Hello', titles[0])).close('exit');
  world.clock.advance(MINUTE_MS);
  listSessions(world.app);
  world.clock.advance(MINUTE_MS);
  return world;
}

const fromIndex = (app: App, limit?: number) =>
  linesFromIndex(app, { limit, read: async (unanswered) => listUnanswered(app, unanswered) });

/** Made anew for each session. */
const plainly = (app: App, limit?: number) => linesOf(listSessions(withoutIndex(app), { limit }));

function printed(lines: ListedLines, nowMs: number, { width, isColored }: Look): string {
  const colors = picocolors.createColors(isColored);
  // The memory of a block is used again for the next one.
  return Array.from(sessionTable(lines, { colors, columns: width }, nowMs), (block) =>
    Buffer.from(block).toString(),
  ).join('');
}

/** The same of texts. */
function reference(rows: readonly SessionRow[], nowMs: number, { width, isColored }: Look): string {
  const { cyan, dim } = picocolors.createColors(isColored);
  const ids = rows.map(({ id }) => id);
  const columns = [
    { name: 'ID', cells: ids.map((id) => shortId(id, ids)), style: cyan },
    { name: 'ACTIVITY', cells: rows.map((row) => relativeTime(activityOf(row), nowMs)), style: dim },
    {
      name: 'MESSAGES',
      cells: rows.map(({ summary }) => String(summary?.messageCount ?? '?')),
      isRight: true,
      from: 50,
    },
    { name: 'SIZE', cells: rows.map(({ bytes }) => formatBytes(bytes)), isRight: true, from: 70 },
    { name: 'MODEL', cells: rows.map(({ summary }) => summary?.model ?? ''), style: dim, from: 90 },
    { name: 'TITLE', cells: rows.map(titleOf) },
  ].filter(({ from = 0 }) => width >= from);
  const shown = columns.map(({ name, cells }) => [name, ...cells.map(printableLine)]);
  const widths = shown.map((cells) => Math.max(...cells.map((cell) => textWidth(cell))));
  const others = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  widths[widths.length - 1] = Math.max(1, width - others);
  const lines = [-1, ...rows.keys()].map((row) =>
    columns
      .map(({ style = String, isRight = false }, index) => {
        const text = fitWidth(shown[index]![row + 1]!, widths[index]!);
        const space = ' '.repeat(index === columns.length - 1 ? 0 : widths[index]! - textWidth(text));
        const styled = row === -1 ? dim(text) : style(text);
        return isRight ? space + styled : styled + space;
      })
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function shortId(id: string, ids: readonly string[]): string {
  const isUnique = (length: number) => ids.filter((other) => other.startsWith(id.slice(0, length))).length === 1;
  const length = Array.from({ length: id.length }, (_, index) => index + 1).find((each) => each >= 8 && isUnique(each));
  return length === undefined || id.length <= length + 4 ? id : id.slice(0, length);
}

describe('the table of sessions', () => {
  it.each(WIDTHS)('is the one of texts where a terminal has %i columns', async (width) => {
    const { app, clock } = await listedWorld(TITLES);
    for (const isColored of [true, false]) {
      const table = printed((await fromIndex(app))!, clock.now(), { width, isColored });
      expect(table).toBe(reference(listSessions(withoutIndex(app)), clock.now(), { width, isColored }));
      for (const line of isColored ? [] : table.split('\n'))
        expect(textWidth(line)).toBeLessThanOrEqual(Math.max(width, 40));
    }
  });

  it('is printed in blocks where it is long, and has all of its lines', () => {
    const title = 'long '.repeat(50);
    const lines = Array.from({ length: 3000 }, (_, row) => `id-${row}\t2026-01-01T00:00:00Z\t1\tm\t${title}\n`).join(
      '',
    );
    const listed: ListedLines = {
      text: Buffer.from(lines),
      bytes: new Array<number>(3000).fill(1),
      byName: Uint32Array.from({ length: 3000 }, (_, row) => row),
    };
    const table = printed(listed, 0, { width: 250, isColored: false }).split('\n');
    expect(table).toHaveLength(1 + 3000 + 1);
    expect(table[3000]).toMatch(/^id-2999 .*long …$/);
  });

  it('says the same from the index as from the sessions, whatever happened to them', async () => {
    const which = fc.nat({ max: SETTLED - 1 }).map((number) => `s-${number}`);
    const kind = fc.constantFrom<(Incident | 'wait' | 'list')[]>(
      ...([
        'talk',
        'leave open',
        'trash',
        'append bytes',
        'cut',
        'take its place',
        'lose index',
        'wait',
        'list',
      ] as const),
    );
    const look = fc.record({ width: fc.constantFrom(...WIDTHS), isColored: fc.boolean() });
    const limit = fc.constantFrom(undefined, 1, 5, SETTLED, 1000);
    const titles = fc.array(fc.oneof(fc.constantFrom(...TITLES), fc.string({ unit: 'binary' })), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(titles, fc.array(fc.tuple(kind, which, look, limit), { maxLength: 6 }), async (texts, steps) => {
        const world = await listedWorld(texts);
        const { app, clock } = world;
        for (const [count, [incident, id, seen, most]] of steps.entries()) {
          if (incident === 'wait') clock.advance(HOUR_MS);
          else if (incident === 'list') listSessions(app);
          // What cannot be done now is not done.
          else await happen(world, incident, id, count).catch(() => {});
          const lines = await fromIndex(app, most);
          const table = reference(listSessions(withoutIndex(app), { limit: most }), clock.now(), seen);
          if (lines !== undefined) expect(printed(lines, clock.now(), seen)).toBe(table);
          expect(printed(plainly(app, most), clock.now(), seen)).toBe(table);
        }
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});
