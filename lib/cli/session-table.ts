// How a list of sessions looks on a terminal: short ids, relative times, and as many columns as there is room for.
import { basename } from 'node:path';
import { titleOf } from '../app/list/list-forms.ts';
import type { OwnSessionRow } from '../app/list/session-row.ts';
import { formatBytes } from '../display/quantities.ts';
import { relativeTime } from '../display/relative-time.ts';
import type { Column } from '../display/table.ts';
import { fitWidth } from '../display/width.ts';

const SHORTEST = 8;
const PROJECT_COLUMNS = 20;
/** A cut that saves no more characters than this is not made. */
const SPARED = 4;

export function sessionTable(rows: readonly OwnSessionRow[], nowMs: number): readonly Column[] {
  return [
    { title: 'ID', cells: shortIds(rows.map(({ id }) => id)), style: 'cyan' },
    { title: 'ACTIVITY', cells: rows.map(({ lastActivity = '' }) => relativeTime(lastActivity, nowMs)), style: 'dim' },
    {
      title: 'MESSAGES',
      cells: rows.map(({ messageCount }) => String(messageCount ?? '')),
      align: 'right',
      dropAt: 110,
    },
    { title: 'SIZE', cells: rows.map(({ bytes }) => formatBytes(bytes)), align: 'right', dropAt: 120 },
    { title: 'PROJECT', cells: rows.map(projectOf), dropAt: 60 },
    { title: 'MODEL', cells: rows.map(({ model = '' }) => model), style: 'dim', dropAt: 90 },
    { title: 'TITLE', cells: rows.map(titleOf), grows: true },
  ];
}

function projectOf({ project = '' }: OwnSessionRow): string {
  return fitWidth(basename(project), PROJECT_COLUMNS);
}

/** For each id a prefix that no other of them begins with, in their order. Short names stay whole. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const sorted = [...ids].sort();
  const lengths = new Map<string, number>();
  for (const [place, id] of sorted.entries()) {
    const shared = Math.max(sharedBeginning(id, sorted[place - 1]), sharedBeginning(id, sorted[place + 1]));
    lengths.set(id, Math.max(SHORTEST, shared + 1));
  }
  return ids.map((id) => {
    const length = lengths.get(id)!;
    return id.length <= length + SPARED ? id : id.slice(0, length);
  });
}

/** Characters that both begin with. */
function sharedBeginning(id: string, other = ''): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
