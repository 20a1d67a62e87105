// A page of a session as it is answered: its events as they are stored, and the same as messages. Made in a worker,
// because a page may have four megabytes, and sent from there as text, so that it is made and read once.
import { parseAddress } from '../../agents/address.ts';
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';
import type { App } from '../../app/app.ts';
import { exactSession } from '../../app/find/exact-session.ts';
import type { FoundConversation } from '../../app/find/found.ts';
import { type EventPage, readPage } from '../../app/sessions/read/read-page.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { LINE_TAIL_BYTES } from '../../journal/format.ts';
import { journalName } from '../../journal/paths.ts';
import type { SessionEvent } from '../../journal/types.ts';
import { defined } from '../../platform/json.ts';
import { type ReadyJson, readyJson, readyText } from './ready-json.ts';
import { messagesOf } from './unified-messages.ts';

export type HistoryPage = FromSchema<typeof SHAPES.History>;
export type MessagesPage = FromSchema<typeof SHAPES.Messages>;

export interface PageOf {
  /** As `exactSession` takes it. */
  readonly reference: string;
  /** The address in the answer. Default: the id, or the address, of the session. */
  readonly address?: string | undefined;
  /** As `readPage` takes them. */
  readonly from: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** @throws as `exactSession` and `readPage` */
export async function historyPage(
  app: App,
  { withMessages, ...request }: PageOf & { readonly withMessages: boolean },
): Promise<ReadyJson<HistoryPage>> {
  const { found, page, workspacePath, isSealed } = await pageOf(app, request);
  const whose = whoseOf(found, request);
  const path = found.kind === 'foreign' ? found.source.path : `${app.paths.sessions}/${journalName(found.id)}`;
  const rest: Omit<HistoryPage, 'entries'> = {
    ...whose,
    ...defined({ workspacePath }),
    filePath: path,
    fileType: fileTypeOf(path),
    ...placeIn(page),
    messages: withMessages ? messagesOf(page.events, whose) : [],
    damage: page.damage,
  };
  const entries = page.events.flatMap((event, index) => [index === 0 ? '' : ',', ...entryOf(event, isSealed)]);
  return readyText(['{"entries":[', ...entries, '],', JSON.stringify(rest).slice(1)]);
}

/** @throws as `exactSession` and `readPage` */
export async function messagesPage(app: App, request: PageOf): Promise<ReadyJson<MessagesPage>> {
  const { found, page } = await pageOf(app, request);
  const whose = whoseOf(found, request);
  return readyJson({ ...whose, ...placeIn(page), messages: messagesOf(page.events, whose), damage: page.damage });
}

interface Page {
  readonly found: FoundConversation;
  readonly page: EventPage;
  readonly workspacePath: string | undefined;
  /** Whether the bytes of its lines differ from those of its events. */
  readonly isSealed: boolean;
}

async function pageOf(app: App, { reference, address: _, ...request }: PageOf): Promise<Page> {
  const found = await exactSession(app, reference);
  return found.read(async (reader) => {
    const page = await readPage(reader, request);
    const { cwd, encryption } = (await reader.first())?.data ?? {};
    const workspacePath = typeof cwd === 'string' ? cwd : undefined;
    return { found, page, workspacePath, isSealed: encryption !== undefined };
  });
}

function whoseOf(
  { id: found }: FoundConversation,
  { address: id = found }: Pick<PageOf, 'address'>,
): { readonly sessionId: string; readonly provider: string } {
  return { sessionId: id, provider: parseAddress(id)?.agent ?? OWN_AGENT };
}

function placeIn({ head, next }: EventPage): { readonly head?: number; readonly next?: number } {
  return defined({ head, next });
}

function fileTypeOf(path: string): 'jsonl' | 'json' | 'sqlite' | 'other' {
  if (/\.jsonl(?:\.zst)?$/.test(path)) return 'jsonl';
  if (path.endsWith('.json')) return 'json';
  return /\.(?:db|sqlite|vscdb)$/.test(path) ? 'sqlite' : 'other';
}

/** A line of a journal as it was written, without the checksums at its end. */
function entryOf(
  event: SessionEvent & { readonly raw?: Uint8Array },
  isSealed: boolean,
): readonly (string | Uint8Array)[] {
  const { seq, ts, type, turn, id, ignorable, data, raw } = event;
  if (!isSealed && ignorable === undefined && raw !== undefined && hasOwnForm(raw)) {
    return [raw.subarray(0, raw.length - LINE_TAIL_BYTES), '}'];
  }
  return [JSON.stringify({ seq, ts, type, turn, id, data })];
}

const BEGINNING = Buffer.from('{"seq":');
const TAIL = Buffer.from(',"prev":"');

/** The data was parsed, so it is known to be JSON. */
function hasOwnForm(raw: Uint8Array): boolean {
  const tail = raw.length - LINE_TAIL_BYTES;
  return startsAt(raw, 0, BEGINNING) && startsAt(raw, tail, TAIL);
}

function startsAt(bytes: Uint8Array, place: number, expected: Uint8Array): boolean {
  return expected.every((byte, index) => bytes[place + index] === byte);
}
