// A page of the list of all sessions, with the catalogue's counts for each: for programs that show it piece by piece.
import { figuresOf, type SessionFigures } from '../../../catalog/session-figures.ts';
import { OllmError } from '../../../errors/index.ts';
import type { App } from '../../app.ts';
import { unlistedRow } from '../../find/unlisted-row.ts';
import { hiddenSessions } from '../../list/foreign-notes.ts';
import { type ListAllOptions, openList, type UnreadablePlace } from '../../list/list-all.ts';
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
  using list = await openList(app, { ...filters, withCopies: address !== undefined });
  const only = { address, withoutProject };
  const place = after === undefined ? undefined : placeIn(after);
  const listed = await list.rows(
    { limit: limit + 1, from: place === undefined ? from : 0, after: place, ofEach },
    only,
  );
  const unlisted = address === undefined || listed.length > 0 ? undefined : await unlistedRow(app, address);
  const found = unlisted === undefined ? listed : [unlisted];
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const isMore = found.length > limit && last !== undefined;
  const hidden = hiddenSessions(app);
  const figures = await app.catalog.ask((database) => figuresOf(database, shown));
  const known = figures.kind === 'done' ? figures.value : new Map<string, SessionFigures>();
  return {
    rows: shown.map((row) => withFigures(row, known.get(`${row.agent}:${row.id}`), hidden.has(row.address))),
    total: list.memory.table.total({ ...list.filter, ...only }, { ofEach }),
    next: isMore ? placeOf(last) : undefined,
    unreadable: list.unreadable,
  };
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

/** @throws OllmError USAGE */
function placeIn(text: string): { readonly lastActivity: string; readonly address: string } {
  const cut = text.indexOf(SEPARATOR);
  const [lastActivity, address] = [text.slice(0, cut), text.slice(cut + 1)];
  if (cut < 0 || (lastActivity !== '' && Number.isNaN(Date.parse(lastActivity))))
    throw new OllmError('USAGE', '“after” is not the `next` of a page.');
  return { lastActivity, address };
}
