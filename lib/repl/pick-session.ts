// Which session continues, chosen from a list: title, age, project and model of each, and more on the one that is
// chosen. The catalogue is asked, and no journal is read for it; of sessions of other programs that it does not know,
// the two ends are.
import { basename } from 'node:path';
import type { App } from '../app/app.ts';
import { listSessions } from '../app/list/list-sessions.ts';
import type { OwnSessionRow, SessionRow } from '../app/list/session-row.ts';
import { subagentImports } from '../app/list/subagent-imports.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { type Paint, type StyledLine, spanOf } from '../display/paint.ts';
import { countOf } from '../display/quantities.ts';
import { relativeTime } from '../display/relative-time.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { shortId } from '../display/short-id.ts';
import { fitWidth, textWidth } from '../display/width.ts';
import { OllmError } from '../errors/index.ts';
import { Picker, type PickerOptions } from './input/picker.ts';
import { TerminalInput } from './input/terminal-input.ts';
import type { ReplStreams } from './options.ts';
import { BottomRegion } from './render/bottom-region.ts';
import { terminalScreen } from './render/screen.ts';

/** Columns of a title on a screen that has room for more. */
const SHORTEST_TITLE = 20;
/** Beyond these a user searches. */
const MOST_LISTED = 2000;
const LISTING_MS = 5000;

/** A session of ollm, or a session of another program, which continues in a copy. */
interface PickedSession {
  /** An id, or the address of another program's session. */
  readonly reference: string;
  /** Undefined for a session of ollm. */
  readonly agent: string | undefined;
  readonly title: string;
  /** The user's own name for it, which a search finds too. */
  readonly name?: string | undefined;
  /** RFC 3339. */
  readonly lastActivity: string | undefined;
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  readonly locked: boolean;
  readonly messageCount: number | undefined;
  readonly last: string;
}

/** `current`: the session that is open, which is not offered. @throws OllmError SESSION_NOT_FOUND */
export async function sessionsToPick(
  app: App,
  { current }: { readonly current?: string | undefined } = {},
): Promise<PickerOptions<PickedSession>> {
  const others = await sessionsOfOthers(app);
  // An imported session is offered by its source.
  const left = new Set([current, ...others.map(({ importId }) => importId)]);
  const rows = await listSessions(app, { without: (journals) => subagentImports(app, journals) });
  const own = rows.filter(({ id, problem }) => !left.has(id) && problem === undefined);
  const sessions = [...own.map(ownSession), ...others.map(otherSession)].sort((one, other) =>
    (one.lastActivity ?? '') < (other.lastActivity ?? '') ? 1 : -1,
  );
  if (sessions.length === 0)
    throw new OllmError('SESSION_NOT_FOUND', 'No session can be continued.', {
      hint: '"ollm" starts one; "ollm list" shows all, those that cannot be opened too.',
    });
  const nowMs = app.clock.now();
  const searched = new Map<PickedSession, string>();
  const textOf = (session: PickedSession): string => {
    const known = searched.get(session) ?? searchedText(session);
    searched.set(session, known);
    return known;
  };
  return {
    title: 'Which session?',
    find(typed) {
      const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
      return words.length === 0
        ? sessions
        : sessions.filter((session) => words.every((word) => textOf(session).includes(word)));
    },
    rowOf: (session, columns) => rowOf(session, nowMs, columns),
    previewOf: (session, columns) => previewOf(session, columns),
  };
}

/** Returns none if they cannot be listed soon: the user waits for the list. */
async function sessionsOfOthers(app: App): Promise<readonly SessionRow[]> {
  try {
    const { listAll } = await import('../app/list/list-all.ts');
    const { rows } = await listAll(app, { signal: AbortSignal.timeout(LISTING_MS), limit: MOST_LISTED });
    return rows.filter(({ agent, gone, problem }) => agent !== OWN_AGENT && !gone && problem === undefined);
  } catch (error) {
    app.log.warn({ service: 'repl', operation: 'pick', error }, 'Sessions of other programs are not offered');
    return [];
  }
}

function ownSession(row: OwnSessionRow): PickedSession {
  const { lastMessage, title: name } = row.summary ?? {};
  const last =
    lastMessage === undefined ? '' : `${lastMessage.role === 'user' ? 'you' : 'model'}: ${lastMessage.excerpt}`;
  return { ...picked(row), reference: row.id, agent: undefined, name, last };
}

function otherSession(row: SessionRow): PickedSession {
  const { address: reference, agent } = row;
  const last = `It continues in a session of your own; that of ${agent} stays as it is.`;
  return { ...picked(row), reference, agent, last };
}

function picked({ id, title, project: cwd, model, lastActivity, locked, messageCount }: SessionRow) {
  return { title: title ?? id, lastActivity, cwd, model, locked, messageCount };
}

/** Asks before there is a session, on a terminal. Undefined: none was chosen. */
export async function pickSession(app: App, streams: ReplStreams, paint: Paint): Promise<string | undefined> {
  return (await pickHere(await sessionsToPick(app), streams, paint))?.reference;
}

/** A choice from a list, on a terminal that nothing else reads yet. */
export async function pickHere<Item>(
  options: PickerOptions<Item>,
  streams: ReplStreams,
  paint: Paint,
): Promise<Item | undefined> {
  const { input, output } = streams;
  const screen = terminalScreen(output, true);
  const picker = new Picker(options, { screen, region: new BottomRegion(screen, paint) });
  const redraw = () => picker.draw();
  const terminal = new TerminalInput({
    input,
    output,
    onPieces(pieces) {
      for (const piece of pieces) picker.take(piece);
    },
    onGone: () => picker.leave(),
  });
  output.on('resize', redraw);
  try {
    return await picker.chosen;
  } finally {
    output.off('resize', redraw);
    terminal.close();
  }
}

function searchedText({ reference, agent = '', title, name = '', model = '', cwd = '', last }: PickedSession): string {
  return [title, name, model, cwd, reference, agent, last].join('\n').toLowerCase();
}

function rowOf(session: PickedSession, nowMs: number, columns: number): StyledLine {
  const { agent = '', title, lastActivity, cwd, model = '', locked } = session;
  const facts = [
    agent,
    relativeTime(lastActivity ?? '', nowMs),
    cwd === undefined ? '' : basename(cwd),
    model,
    locked ? 'open elsewhere' : '',
  ];
  const about = fitWidth(
    facts.filter(Boolean).map(sanitizeLine).join(' · '),
    Math.max(1, columns - SHORTEST_TITLE - 2),
  );
  const room = Math.max(1, columns - textWidth(about) - 2);
  const shown = fitWidth(sanitizeLine(title), room);
  return [spanOf(shown + ' '.repeat(Math.max(0, room - textWidth(shown)) + 2)), spanOf(about, 'dim')];
}

function previewOf({ reference, messageCount, cwd, last }: PickedSession, columns: number): readonly StyledLine[] {
  const count = messageCount === undefined ? undefined : countOf(messageCount, 'message');
  return [[shortId(reference), count, cwd].filter(Boolean).join(' · '), last].map(
    (text): StyledLine => [spanOf(fitWidth(`  ${sanitizeLine(text)}`, columns), 'dim')],
  );
}
