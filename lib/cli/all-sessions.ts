// How a list of sessions of all programs looks: a table on a terminal, cells with tabs between them through a pipe.
import type { SessionRow } from '../app/list/session-row.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { homePath } from '../display/home-path.ts';
import { relativeTime } from '../display/relative-time.ts';
import { withShortIds } from '../display/short-id.ts';
import type { Column } from '../display/table.ts';
import { shortIds } from './session-table.ts';

const PATH_CHARACTERS = 28;

export function allSessionsTable(listed: readonly SessionRow[], nowMs: number, home: string): readonly Column[] {
  const rows = copiesBelowSources(listed);
  const titleIn = titlesOf(rows);
  return [
    { title: 'ID', cells: shortAddresses(rows), style: 'cyan' },
    { title: 'ACTIVITY', cells: rows.map(({ lastActivity }) => relativeTime(lastActivity ?? '', nowMs)), style: 'dim' },
    {
      title: 'MESSAGES',
      cells: rows.map(({ messageCount }) => String(messageCount ?? '')),
      align: 'right',
      dropAt: 100,
    },
    { title: 'PROJECT', cells: rows.map(({ project = '' }) => shortPath(project, home)), dropAt: 70 },
    { title: 'MODEL', cells: rows.map(({ model = '' }) => model), style: 'dim', dropAt: 140 },
    { title: 'TITLE', cells: rows.map(titleIn), grows: true },
  ];
}

/** For a pipe: address, activity, messages, project, model, title. */
export function allSessionsCells(row: SessionRow): readonly unknown[] {
  const { address, lastActivity, messageCount, project, model } = row;
  return [address, lastActivity, messageCount, project, model, titleOf(row)];
}

/** Each copy follows its source, where both are listed; the first of them in the list says where they are. */
function copiesBelowSources(rows: readonly SessionRow[]): readonly SessionRow[] {
  if (!rows.some(({ copyOf }) => copyOf !== undefined)) return rows;
  const byAddress = new Map(rows.map((row) => [row.address, row]));
  const sourceOf = (row: SessionRow, passed: readonly SessionRow[] = []): SessionRow => {
    const source = byAddress.get(row.copyOf ?? '');
    return source === undefined || passed.includes(source) ? row : sourceOf(source, [...passed, row]);
  };
  const families = Map.groupBy(rows, (row) => sourceOf(row));
  return [...families].flatMap(([source, family]) => [source, ...family.filter((row) => row !== source)]);
}

/** A source says in which programs its copies were continued. */
function titlesOf(rows: readonly SessionRow[]): (row: SessionRow) => string {
  const copies = Map.groupBy(
    rows.filter(({ continued }) => continued),
    ({ copyOf }) => copyOf,
  );
  return (row) => titleOf(row, [...new Set(copies.get(row.address)?.map(({ agent }) => agent))]);
}

/** Without `ollm:`, because an id without a prefix means a session of ollm. */
function shortAddresses(rows: readonly SessionRow[]): readonly string[] {
  const short = new Map<string, string>();
  for (const [agent, those] of Map.groupBy(rows, (row) => row.agent)) {
    const ids = shortIds(those.map(({ id }) => id));
    those.forEach(({ address }, index) => {
      short.set(address, agent === OWN_AGENT ? ids[index]! : `${agent}:${ids[index]}`);
    });
  }
  return rows.map(({ address }) => short.get(address)!);
}

function titleOf(
  { title = '', problem, importId, copyOf, continued, gone, locked }: SessionRow,
  continuedIn: readonly string[] = [],
): string {
  const marks = [
    ...(continuedIn.length > 0 ? [`continued in ${continuedIn.join(', ')}`] : []),
    ...(copyOf === undefined ? [] : [`${continued ? 'continues' : 'copy of'} ${withShortIds(copyOf)}`]),
    ...(importId === undefined ? [] : ['imported']),
    ...(gone ? ['its source is gone'] : []),
    ...(locked ? ['open'] : []),
  ];
  const text = problem ?? title;
  return marks.length > 0 ? `${text} (${marks.join(', ')})` : text;
}

/** The end of a long path, which tells more than its beginning: the room is needed for the title. */
export function shortPath(path: string, home: string): string {
  const short = homePath(path, home);
  if (short.length <= PATH_CHARACTERS) return short;
  const end = short.slice(1 - PATH_CHARACTERS);
  const slash = end.indexOf('/');
  return `…${slash < 0 || slash === end.length - 1 ? end : end.slice(slash)}`.toWellFormed();
}
