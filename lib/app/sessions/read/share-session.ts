// `ollm share ID --static`: a session as one HTML page to give away, without secrets and without the path of a home
// directory. One reading counts those, and another one writes the page.
import type { RedactExport } from '../../../exporters/redacted.ts';
import type { EventReader } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { findConversation, type ReadingOptions } from '../../find/find-session.ts';
import { closingAfter, exportConversation, exportItems, type SessionExport } from './export-session.ts';

export interface ShareRequest extends ReadingOptions {
  /** seq of the first and the last event. Default: all. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Counts of the texts that a shared page leaves out. */
export interface TakenOut {
  /** How many secrets, by their kind. */
  readonly secrets: Readonly<Record<string, number>>;
  /** Places that have `$HOME` instead of a home directory. */
  readonly homePaths: number;
  readonly events: number;
}

interface SharedPage extends SessionExport {
  readonly takenOut: TakenOut;
}

/**
 * A page that is complete in itself: no script, no request to anywhere, no picture.
 *
 * @example
 * const { takenOut, chunks } = await shareSession(app, 'claude:5f3c', { from: 12, to: 40 });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SEQ_NOT_FOUND, USAGE
 */
export async function shareSession(app: App, reference: string, request: ShareRequest): Promise<SharedPage> {
  const { open } = await findConversation(app, reference, request);
  const redact = await app.redactor({ onRequest: true });
  const reader = await open();
  try {
    const secrets: Record<string, number> = {};
    const homes = await homesOf(app, reader);
    let homePaths = 0;
    const clean: RedactExport = (text) => {
      const { text: redacted, found } = redact(text);
      for (const { kind, count } of found) secrets[kind] = (secrets[kind] ?? 0) + count;
      return homes === undefined
        ? redacted
        : redacted.replace(homes, () => {
            homePaths += 1;
            return HOME_WORD;
          });
    };
    const asked = { ...request, format: 'html', withOverview: true } as const;
    let events = 0;
    for await (const batch of exportItems(reader, asked, clean)) events += batch.length;
    const takenOut = { secrets: { ...secrets }, homePaths, events };
    const page = await exportConversation(reader, asked, clean);
    return { ...page, takenOut, chunks: closingAfter(page.chunks, reader) };
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** No `~`: two of them in a text are struck through by Markdown. */
const HOME_WORD = '$HOME';
const HOME = /^(?:\/home\/[^/]+|\/Users\/[^/]+|[A-Za-z]:[\\/]Users[\\/][^\\/]+)/;

/** The home directories that texts may name: that of the user, and that of the machine where the session was held. */
async function homesOf({ env }: App, reader: EventReader): Promise<RegExp | undefined> {
  const { cwd } = ((await reader.first())?.data ?? {}) as { readonly cwd?: unknown };
  const ofSession = typeof cwd === 'string' ? HOME.exec(cwd)?.[0] : undefined;
  const homes = [env.HOME, ofSession].filter((home) => home !== undefined && home.length > 1 && home !== '/');
  if (homes.length === 0) return undefined;
  const forms = new Set(
    homes.flatMap((home) => [
      home!,
      // In the texts of arguments, JSON doubles a backslash; directories of Claude Code are named so.
      JSON.stringify(home).slice(1, -1),
      home!.replace(/[^A-Za-z\d]/g, '-'),
    ]),
  );
  return new RegExp(`(?<![\\w])(?:${[...forms].map(escaped).join('|')})(?!\\w|\\.\\w)`, 'g');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
