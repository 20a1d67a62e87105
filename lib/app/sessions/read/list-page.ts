// A page of the list of all sessions, with the catalogue's counts for each: for programs that show it piece by piece.
import { figuresOf, type SessionFigures } from '../../../catalog/session-figures.ts';
import { OllmError } from '../../../errors/index.ts';
import type { App } from '../../app.ts';
import { hiddenSessions } from '../../list/foreign-notes.ts';
import { type ListAllOptions, rowsInOrder, type UnreadablePlace } from '../../list/list-all.ts';
import type { SessionRow } from '../../list/session-row.ts';

interface PageRow extends SessionRow {
  /** Taken in and answered by its requests, as far as programs reported them. */
  readonly tokens?: number | undefined;
  /** US dollars. */
  readonly cost?: number | undefined;
  /** See session-shape.ts; in base64. */
  readonly shape?: string | undefined;
  /** How the last message of a person or a model begins. */
  readonly said?: { readonly by: 'user' | 'assistant'; readonly text: string } | undefined;
  readonly hidden?: true | undefined;
}

export interface PageOptions
  extends Pick<ListAllOptions, 'agent' | 'project' | 'sinceMs' | 'withHidden' | 'memory' | 'signal'> {
  readonly limit: number;
  /** Only the session of this address. */
  readonly address?: string | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** How many come before the first one, instead of `after`. */
  readonly from?: number | undefined;
  /** At most this many of each project. */
  readonly ofEach?: number | undefined;
  /** Only sessions without a project. */
  readonly withoutProject?: boolean | undefined;
}

export interface ListPage {
  readonly rows: readonly PageRow[];
  readonly total: number;
  readonly next: string | undefined;
  readonly unreadable: readonly UnreadablePlace[];
}

const SEPARATOR = '/';

/** Newest activity first. @throws OllmError USAGE: `after` is not the `next` of a page; and as `listAll` */
export async function listPage(app: App, options: PageOptions): Promise<ListPage> {
  const { limit, after, from = 0, address, ofEach, withoutProject, ...filters } = options;
  const { rows: all, unreadable, complete } = await rowsInOrder(app, { ...filters, withCopies: address !== undefined });
  const wanted = all.filter(
    (row) =>
      (address === undefined || row.address === address) && (withoutProject !== true || row.project === undefined),
  );
  const rows = ofEach === undefined ? wanted : newestOfEach(wanted, ofEach);
  const hidden = hiddenSessions(app);
  const begin = after === undefined ? from : behind(rows, after);
  const shown = await complete(rows.slice(begin, begin + limit));
  const last = shown.at(-1);
  const isMore = begin + limit < rows.length && last !== undefined;
  const figures = await app.catalog.ask((database) => figuresOf(database, shown));
  const known = figures.kind === 'done' ? figures.value : new Map<string, SessionFigures>();
  return {
    rows: shown.map((row) => withFigures(row, known.get(`${row.agent}:${row.id}`), hidden.has(row.address))),
    total: rows.length,
    next: isMore ? placeOf(last) : undefined,
    unreadable,
  };
}

/** The rows come in the order of their activity, the newest first. */
function newestOfEach(rows: readonly SessionRow[], most: number): readonly SessionRow[] {
  const counts = new Map<string | undefined, number>();
  return rows.filter(({ project }) => {
    const before = counts.get(project) ?? 0;
    counts.set(project, before + 1);
    return before < most;
  });
}

function withFigures(row: SessionRow, figures: SessionFigures | undefined, isHidden: boolean): PageRow {
  const { tokens, cost, shape, said, saidBy } = figures ?? {};
  return {
    ...row,
    tokens: tokens ?? undefined,
    cost: cost ?? undefined,
    shape: shape ? Buffer.from(shape).toString('base64') : undefined,
    said: said && saidBy ? { by: saidBy, text: said } : undefined,
    hidden: isHidden || undefined,
  };
}

/** A row that moves up meanwhile is not seen twice. */
function placeOf({ lastActivity = '', address }: SessionRow): string {
  return `${lastActivity}${SEPARATOR}${address}`;
}

/** The number of rows before those that follow the place. */
function behind(rows: readonly SessionRow[], place: string): number {
  const cut = place.indexOf(SEPARATOR);
  const [activity, address] = [place.slice(0, cut), place.slice(cut + 1)];
  if (cut < 0 || (activity !== '' && Number.isNaN(Date.parse(activity))))
    throw new OllmError('USAGE', '“after” is not the `next` of a page.');
  const isBehind = ({ lastActivity = '', address: other }: SessionRow) =>
    lastActivity < activity || (lastActivity === activity && other > address);
  const index = rows.findIndex(isBehind);
  return index < 0 ? rows.length : index;
}
