// A fork: a journal of its own that begins with what another one held up to some event. Self-contained: the parent may
// be deleted afterwards. Reads the parent only, so that may be open elsewhere, or damaged. Right after the copied
// events the model would be asked the same as by the parent at that event.
import { OllmError } from '../errors/index.ts';
import { eachEvent, everyEvent } from '../journal/reading/outcomes.ts';
import type { EventReader, JournalReader, JournalStore, SessionEvent, StoredEvent } from '../journal/types.ts';
import { copyEvents } from './copy-events.ts';
import type { CreatedData } from './create.ts';

interface ForkRequest {
  readonly id: string;
  /** The last event that comes along. Default: the newest. */
  readonly at?: number | undefined;
  readonly title?: string | undefined;
  /** Facts of the new session that differ from the old one: the version, the directory. */
  readonly created: Partial<CreatedData>;
}

/** @throws OllmError SESSION_NOT_FOUND, SEQ_NOT_FOUND, SESSION_EXISTS, JOURNAL_EMPTY, JOURNAL_FULL */
export async function forkSession(
  store: JournalStore,
  parentId: string,
  request: ForkRequest,
): Promise<{ readonly id: string; readonly at: number }> {
  using reader = store.openReader(parentId);
  const first = await firstEvent(reader);
  const last = await eventAt(reader, request.at);
  const parent = { sessionId: parentId, seq: last.seq, xxh64: last.xxh64 };
  const { project: _, ...again } = createdAgain(first);
  const created = { ...again, ...request.created, parent };
  await store.createFilled(request.id, {
    created,
    async fill(writer) {
      for await (const batch of copyEvents(reader.outcomes(), { through: last.seq })) await writer.append(batch);
      const title = request.title ?? (await forkTitle(reader, last.seq));
      const by = request.title ? 'user' : 'derived';
      if (title !== undefined) await writer.append({ type: 'session.titled', data: { title, by } });
    },
  });
  return { id: request.id, at: last.seq };
}

/** The first line's facts about the conversation, without those about the file and its process. */
export function createdAgain(first: StoredEvent): CreatedData {
  const { format: _, sessionId: __, pid: ___, host: ____, command: _____, ...rest } = first.data;
  const { imported: ______, ...created } = rest;
  return created as unknown as CreatedData;
}

/** @throws OllmError JOURNAL_EMPTY */
export async function firstEvent<Event extends SessionEvent>(reader: EventReader<Event>): Promise<Event> {
  for await (const event of eachEvent(reader.outcomes())) return event;
  throw new OllmError('JOURNAL_EMPTY', `The journal of session ${reader.id} holds no event that can be read.`, {
    hint: `"ollm verify ${reader.id}" says what is wrong with it.`,
    data: { id: reader.id },
  });
}

async function eventAt(reader: JournalReader, seq: number | undefined): Promise<StoredEvent> {
  let newest: number | undefined;
  for await (const event of eachEvent(reader.backwards())) {
    newest ??= event.seq;
    if (seq === undefined || event.seq === seq) return event;
    if (event.seq < seq) break;
  }
  throw new OllmError('SEQ_NOT_FOUND', `Session ${reader.id} has no event ${seq}.`, {
    hint: newest === undefined ? 'Its journal is empty.' : `Its events go up to ${newest}.`,
    data: { id: reader.id, seq, newest },
  });
}

/** The parent's title, with a mark that makes it another one in a list. */
async function forkTitle(reader: JournalReader, through: number): Promise<string | undefined> {
  let title: string | undefined;
  await everyEvent(reader.outcomes(), ({ seq, type, data }) => {
    if (type !== 'session.titled' && type !== 'session.created') return;
    if (seq <= through && typeof data.title === 'string') title = data.title;
  });
  return title === undefined ? undefined : `${title} (fork)`;
}
