// How a list of sessions looks on a terminal: short ids, relative times, and as many columns as there is room for.
import { titleOf } from '../app/list/list-forms.ts';
import { activityOf, type SessionRow } from '../app/list/session-row.ts';
import { formatBytes } from '../display/quantities.ts';
import { relativeTime } from '../display/relative-time.ts';
import { type Column, renderTable } from '../display/table.ts';
import type { Output } from './output.ts';
import { shortIds } from './short-ids.ts';

/** In blocks of whole lines. */
export function sessionTable(
  rows: readonly SessionRow[],
  { colors, columns: width }: Pick<Output, 'colors' | 'columns'>,
  nowMs: number,
): Iterable<string> {
  const columns: Column[] = [
    { title: 'ID', cells: shortIds(rows.map(({ id }) => id)), style: colors.cyan },
    { title: 'ACTIVITY', cells: rows.map((row) => relativeTime(activityOf(row), nowMs)), style: colors.dim },
    {
      title: 'MESSAGES',
      cells: rows.map(({ summary }) => String(summary?.messageCount ?? '')),
      empty: '?',
      align: 'right',
      dropAt: 50,
    },
    { title: 'SIZE', cells: rows.map(({ bytes }) => formatBytes(bytes)), align: 'right', dropAt: 70 },
    { title: 'MODEL', cells: rows.map(({ summary }) => summary?.model ?? ''), style: colors.dim, dropAt: 90 },
    { title: 'TITLE', cells: rows.map(titleOf), grows: true },
  ];
  return renderTable(columns, { width, header: colors.dim });
}
