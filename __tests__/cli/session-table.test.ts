// The table of sessions that a person sees, against one that is laid out column by column here.
import { basename } from 'node:path';
import picocolors from 'picocolors';
import { titleOf } from '../../lib/app/list/list-forms.ts';
import { listSessions } from '../../lib/app/list/list-sessions.ts';
import { type OwnSessionRow, sessionRow } from '../../lib/app/list/session-row.ts';
import { sessionTable } from '../../lib/cli/session-table.ts';
import { createPaint } from '../../lib/display/paint.ts';
import { printableLine } from '../../lib/display/printable.ts';
import { formatBytes } from '../../lib/display/quantities.ts';
import { relativeTime } from '../../lib/display/relative-time.ts';
import { tableLines } from '../../lib/display/table.ts';
import { fitWidth, textWidth } from '../../lib/display/width.ts';
import { createSession } from '../../lib/session/create.ts';
import { appWorld } from '../app/world.ts';
import { OPTIONS, said } from '../session/world.ts';

const TITLES = [
  'Plain',
  'two  blanks\tand a tab',
  '每个事件都有校验和'.repeat(9),
  '🚀 e\u0301 👩‍👩‍👧 \u202e ok',
  'x'.repeat(300),
  ' … ',
];
const WIDTHS = [20, 45, 59, 60, 90, 109, 110, 120, 250];
const HOUR_MS = 3_600_000;

interface Look {
  readonly width: number;
  readonly isColored: boolean;
}

/** Sessions of an hour each. Their ids begin alike, by pairs, or not at all. */
async function listedWorld() {
  const world = await appWorld();
  const uuids = ['550e8400-e29b-41d4-a716-446655440000', '550e8400-e29c-41d4-a716-446655440000'];
  const ids = [...uuids, 's-1-and-more-of-it', ...Array.from({ length: 20 }, (_, number) => `s-${number}`)];
  for (const [number, id] of ids.entries()) {
    const title = number % 3 === 0 ? {} : { title: TITLES[number % TITLES.length]! };
    const created = { provider: 'offline', model: 'm-1', ollm: '0.0.0', ...title };
    const session = await createSession(world.app.store, { id, created }, OPTIONS);
    await session.append(said('user', TITLES[number % TITLES.length]!));
    await session.close('exit');
    world.clock.advance(number * HOUR_MS);
  }
  return world;
}

function printed(rows: readonly OwnSessionRow[], nowMs: number, { width, isColored }: Look): string {
  const lines = [...tableLines(sessionTable(rows, nowMs), { width, header: 'dim' })];
  return lines.map((line) => `${createPaint(isColored).line(line)}\n`).join('');
}

/** The rows laid out here, for comparison. */
function reference(rows: readonly OwnSessionRow[], nowMs: number, { width, isColored }: Look): string {
  const { cyan, dim } = picocolors.createColors(isColored);
  const ids = rows.map(({ id }) => id);
  const columns = [
    { name: 'ID', cells: ids.map((id) => shortId(id, ids)), style: cyan },
    { name: 'ACTIVITY', cells: rows.map(({ lastActivity = '' }) => relativeTime(lastActivity, nowMs)), style: dim },
    {
      name: 'MESSAGES',
      cells: rows.map(({ summary }) => String(summary?.messageCount ?? '')),
      isRight: true,
      from: 110,
    },
    { name: 'SIZE', cells: rows.map(({ bytes }) => formatBytes(bytes)), isRight: true, from: 120 },
    { name: 'PROJECT', cells: rows.map(({ summary }) => basename(summary?.cwd ?? '')), from: 60 },
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
  it.each(WIDTHS)('has its columns cut and dropped to fit a terminal of %i columns', async (width) => {
    const { app, clock } = await listedWorld();
    const rows = await listSessions(app);
    for (const isColored of [true, false]) {
      const table = printed(rows, clock.now(), { width, isColored });
      expect(table).toBe(reference(rows, clock.now(), { width, isColored }));
      for (const line of isColored ? [] : table.split('\n'))
        expect(textWidth(line)).toBeLessThanOrEqual(Math.max(width, 40));
    }
  });

  it('has all of its lines if it is long', () => {
    const rows = Array.from({ length: 3000 }, (_, number) =>
      sessionRow({ id: `id-${number}`, bytes: 1, modifiedMs: 0 }, { problem: 'long '.repeat(50) }),
    );
    const table = printed(rows, 0, { width: 250, isColored: false }).split('\n');
    expect(table).toHaveLength(3002);
    expect(table[3000]).toMatch(/^id-2999 /);
  });
});
