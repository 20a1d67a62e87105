// How a list prints a session for programs: as cells with tabs between them, and as a part of a JSON document. The index of a
// list keeps both, so that a list need not make them again.
import { printableLine } from '../../../display/printable.ts';
import { activityOf, type SessionRow } from './session-row.ts';

/** Raised with each change of what a form says: what an index holds of it is made anew. */
export const FORMS_VERSION = 1;

/** `lines`: for pipes. `documents`: for `--json`. */
export type ListForm = 'lines' | 'documents';

interface Form {
  readonly open: string;
  /** One session. */
  readonly of: (row: SessionRow) => string;
  /** Between two of them. */
  readonly between: string;
  readonly close: string;
}

export const FORMS: Readonly<Record<ListForm, Form>> = {
  lines: { open: '', of: tabbed, between: '\n', close: '\n' },
  // As JSON.stringify would write the array of them, two blanks for each level.
  documents: {
    open: '[\n',
    of: (row) => `  ${JSON.stringify(documentOf(row), null, 2).replaceAll('\n', '\n  ')}`,
    between: ',\n',
    close: '\n]\n',
  },
};

/** A whole list. */
export function formed(form: ListForm, rows: readonly SessionRow[]): string {
  const { open, of, between, close } = FORMS[form];
  if (rows.length === 0) return form === 'documents' ? '[]\n' : '';
  return `${open}${rows.map(of).join(between)}${close}`;
}

/** The title, or why there is none, and what else must be known of it. */
export function titleOf({ summary, problem, damaged, locked }: SessionRow): string {
  const title = problem ?? summary?.title ?? summary?.lastMessage?.excerpt ?? '';
  const marks = [...(damaged > 0 ? ['damaged'] : []), ...(locked ? ['open'] : [])];
  return marks.length > 0 ? `${title} (${marks.join(', ')})` : title;
}

function tabbed(row: SessionRow): string {
  const { summary } = row;
  const cells = [row.id, activityOf(row), String(summary?.messageCount ?? ''), summary?.model ?? '', titleOf(row)];
  return cells.map(printableLine).join('\t');
}

function documentOf({ id, bytes, modified, locked, summary, problem, damaged }: SessionRow): object {
  if (!summary) return { id, bytes, modified, locked, problem, damaged };
  const { title, startTime, lastActivity, model, provider, messageCount, turnCount, tokenCount, cwd } = summary;
  return {
    id,
    title,
    startTime,
    lastActivity,
    model,
    provider,
    messageCount,
    turnCount,
    tokenCount,
    cwd,
    bytes,
    modified,
    locked,
    damaged,
    ...(problem === undefined ? {} : { problem }),
  };
}
