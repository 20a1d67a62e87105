// The first lines of a session: its provider and model and the reason for them, how to change that, which session it
// is, and everything that opening found. Plain sentences; the same for a new session, a resumed one and /load. One that
// continues shows its last exchange. A terminal is first told which program this is, where, and what to type.
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { AS_LEFT } from '../app/sessions/open/open-session.ts';
import { homeDirectoryOf } from '../app/start/home-directory.ts';
import { homePath } from '../display/home-path.ts';
import { spanOf } from '../display/paint.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { shortId } from '../display/short-id.ts';
import { fitEnd, textWidth } from '../display/width.ts';
import { VERSION } from '../version.ts';
import { lastExchange } from './earlier-messages.ts';
import type { Front } from './front.ts';

/** Rows of the last exchange of a continued session. */
const MOST_ROWS = 60;
/** Columns of a directory on the narrowest screen. */
const SHORTEST_PATH = 8;
const SUGGESTIONS = [
  'Type a question, such as: what is this project?   @file   !git status   /help',
  'Type: what is this project?   @file   /help',
  'Type a question, or /help',
];

export async function introduce(
  front: Front,
  { choice, session, ephemeral, notices, agent }: Conversation,
  { isNew = session.report.created }: { readonly isNew?: boolean } = {},
): Promise<void> {
  // A session that continues as it was left needs no more than its status line.
  if (isNew || front.kind === 'pipe' || agent !== undefined || !choice.why.endsWith(AS_LEFT))
    front.notice(answererSentence(choice));
  const { title } = session.states.summary;
  // An id that was drawn says nothing at the beginning; leaving names it.
  const isNamed = !isNew || ephemeral || session.id === shortId(session.id);
  if (agent === undefined && (isNamed || front.kind === 'pipe'))
    front.notice(sessionSentence(session.id, { isNew, ephemeral, title }));
  for (const notice of notices) front.notice(sanitizeLine(notice));
  // A script that continues a session through a pipe asks for the parts that it needs.
  if (isNew || front.kind === 'pipe') return;
  const said = lastExchange(session.states.view);
  if (said.length === 0) return;
  front.print('');
  await front.show(said, { mostRows: MOST_ROWS });
}

/** What a terminal shows first: the program, the directory and the mode. */
export function greet(front: Front, app: App, mode: string): void {
  const [before, after] = [`ollm ${VERSION} · `, ` · mode ${mode}`];
  const path = sanitizeLine(homePath(app.cwd, homeDirectoryOf(app)));
  front.print([
    spanOf(before, 'bold'),
    spanOf(fitEnd(path, Math.max(SHORTEST_PATH, front.columns - textWidth(before + after)))),
    spanOf(after, 'dim'),
  ]);
}

/** The last line before the first prompt of a conversation: what may be typed there. */
export function suggest(front: Front, { agent }: Pick<Conversation, 'agent'>): void {
  // A command for the shell is for a model that is shown its output.
  const fitting = SUGGESTIONS.filter((line) => agent === undefined || !line.includes('!'));
  front.notice(fitting.find((line) => textWidth(line) <= front.columns) ?? SUGGESTIONS.at(-1)!);
}

/** The search has one model, which is none. */
function answererSentence({ why, model, provider }: Conversation['choice']): string {
  return provider.name === 'offline' ? sanitizeLine(why) : `${sanitizeLine(why)} Model: ${sanitizeLine(model)}.`;
}

interface Opened {
  readonly isNew: boolean;
  readonly ephemeral: boolean;
  readonly title: string | undefined;
}

function sessionSentence(id: string, { isNew, ephemeral, title }: Opened): string {
  const shown = shortId(id);
  if (ephemeral) return `Session ${shown}, ephemeral: it is not kept when you leave, unless you /save it.`;
  if (!isNew) return `Session ${shown}, resumed.`;
  // The id of a name such as “Release notes” or “nul” is a different text from the name.
  return title === undefined || title === id
    ? `Session ${shown}, new.`
    : `Session ${shown} (“${sanitizeLine(title)}”), new.`;
}
