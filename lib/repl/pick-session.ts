// Which session goes on, chosen from a list: title, age, project and model of each, and more on the one that is chosen.
// The catalogue is asked, and no journal is read for it.
import { basename } from 'node:path';
import type { App } from '../app/app.ts';
import { listSessions, type SessionRow } from '../app/list/list-sessions.ts';
import type { Line, Paint } from '../display/paint.ts';
import { countOf } from '../display/quantities.ts';
import { relativeTime } from '../display/relative-time.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { fitWidth, textWidth } from '../display/width.ts';
import { OllmError } from '../errors/index.ts';
import { Picker, type PickerOptions } from './input/picker.ts';
import { TerminalInput } from './input/terminal-input.ts';
import type { ReplStreams } from './options.ts';
import { BottomRegion } from './render/bottom-region.ts';
import { terminalScreen } from './render/screen.ts';

/** Columns of a title on a screen that has room for more. */
const SHORTEST_TITLE = 20;

/** `current`: the session that is open, which is not offered. @throws OllmError SESSION_NOT_FOUND */
export async function sessionsToPick(
  app: App,
  { current }: { readonly current?: string | undefined } = {},
): Promise<PickerOptions<SessionRow>> {
  const sessions = (await listSessions(app)).filter(({ id, problem }) => id !== current && problem === undefined);
  if (sessions.length === 0)
    throw new OllmError('SESSION_NOT_FOUND', 'There is no session to go on with.', {
      hint: '"ollm" starts one; "ollm list" shows all, those that cannot be opened too.',
    });
  const nowMs = app.clock.now();
  const searched = new Map<SessionRow, string>();
  const textOf = (row: SessionRow): string => {
    const known = searched.get(row) ?? searchedText(row);
    searched.set(row, known);
    return known;
  };
  return {
    title: 'Which session?',
    find(typed) {
      const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
      return words.length === 0
        ? sessions
        : sessions.filter((row) => words.every((word) => textOf(row).includes(word)));
    },
    rowOf: (row, columns) => rowOf(row, nowMs, columns),
    previewOf: (row, columns) => previewOf(row, columns),
  };
}

/** Asks before there is a session, on a terminal. Undefined: none was chosen. */
export async function pickSession(app: App, streams: ReplStreams, paint: Paint): Promise<string | undefined> {
  const options = await sessionsToPick(app);
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
  input.setRawMode(true);
  try {
    return (await picker.chosen)?.id;
  } finally {
    output.off('resize', redraw);
    input.setRawMode(false);
    terminal.close();
  }
}

function searchedText({ id, summary }: SessionRow): string {
  const { title = '', model = '', cwd = '', lastMessage } = summary ?? {};
  return [title, model, cwd, id, lastMessage?.excerpt].join('\n').toLowerCase();
}

function titleOf({ id, summary }: SessionRow): string {
  return sanitizeLine(summary?.title ?? summary?.lastMessage?.excerpt ?? id);
}

function rowOf(row: SessionRow, nowMs: number, columns: number): Line {
  const { summary, locked } = row;
  const facts = [
    relativeTime(summary?.lastActivity ?? row.modified, nowMs),
    summary?.cwd === undefined ? '' : basename(summary.cwd),
    summary?.model ?? '',
    locked ? 'open elsewhere' : '',
  ];
  const about = fitWidth(
    facts.filter(Boolean).map(sanitizeLine).join(' · '),
    Math.max(1, columns - SHORTEST_TITLE - 2),
  );
  const room = Math.max(1, columns - textWidth(about) - 2);
  const title = fitWidth(titleOf(row), room);
  return [
    { text: title + ' '.repeat(Math.max(0, room - textWidth(title)) + 2), styles: [] },
    { text: about, styles: ['dim'] },
  ];
}

function previewOf({ id, summary }: SessionRow, columns: number): readonly Line[] {
  const { cwd = '', messageCount = 0, lastMessage } = summary ?? {};
  const last =
    lastMessage === undefined ? '' : `${lastMessage.role === 'user' ? 'you' : 'model'}: ${lastMessage.excerpt}`;
  return [`${id} · ${countOf(messageCount, 'message')} · ${cwd}`, last].map(
    (text): Line => [{ text: fitWidth(`  ${sanitizeLine(text)}`, columns), styles: ['dim'] }],
  );
}
