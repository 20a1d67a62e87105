// A conversation as a follower sees it: a session of ollm, or of another program. The two differ in the names of
// events, in finding the end, and in reading missed events.
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { findConversation } from '../../app/find/find-session.ts';
import { OllmError } from '../../errors/index.ts';
import { journalName } from '../../journal/paths.ts';
import { everyEvent, firstEvent } from '../../journal/reading/outcomes.ts';
import type { Anchor, EventReader, JournalReader, Outcome, Position, SessionEvent } from '../../journal/types.ts';
import { sha256Of } from '../../session/identify.ts';
import { type EventItem, within } from './ring.ts';

/** The place of a subscriber: after the event with this seq. `position`: that of the reader, if it is known. */
export interface FollowedPlace {
  readonly seq: number;
  readonly position?: Position | undefined;
}

/**
 * An event as it is remembered: its number and its place. The whole event would keep the piece of the file that it was
 * read with.
 */
export interface Mark {
  readonly seq: number;
  readonly position: Position;
}

export interface FollowedJournal {
  readonly id: string;
  /** The file whose growth shows that there may be more. */
  readonly path: string;
  /** Opens it for a following. */
  open(): Promise<EventReader>;
  /** The last event that there is. */
  head(reader: EventReader): Promise<Mark | undefined>;
  /** What changes when the conversation is another one from its beginning on. */
  generationOf(event: Mark): number;
  nameOf(event: Mark): string;
  /** Resolves the id of an event to its place; undefined if the event no longer exists. @throws OllmError USAGE */
  placeOf(name: string, head: Mark | undefined): FollowedPlace | undefined;
  /** Reads the events after a place, piece by piece. To be closed. */
  past(place: FollowedPlace): Past;
}

export interface Past {
  /** The next events, at most `maxBytes` of them, but at least one. None: that was all. */
  next(maxBytes: number): Promise<readonly EventItem[]>;
  close(): Promise<void>;
}

export const BEGINNING: FollowedPlace = { seq: -1 };

/** @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_ID_INVALID */
export async function followedConversation(app: App, id: string): Promise<FollowedJournal> {
  const found = await findConversation(app, id);
  if (found.kind === 'own') return followedJournal(app, found.id);
  using reader = await found.open();
  const first = await reader.first();
  const digest = sha256Of(JSON.stringify(first?.data ?? null)).slice(0, 8);
  return new ForeignSource(found.id, found.source.path, { digest, open: found.open });
}

/** `id`: of a journal that is there. */
export function followedJournal(app: App, id: string): FollowedJournal {
  return new OwnJournal(app, id);
}

class OwnJournal implements FollowedJournal {
  readonly id: string;
  readonly path: string;
  readonly #app: App;

  constructor(app: App, id: string) {
    this.#app = app;
    this.id = id;
    this.path = join(app.paths.sessions, journalName(id));
  }

  async open(): Promise<JournalReader> {
    return this.#app.store.openReader(this.id);
  }

  async head(reader: EventReader): Promise<Mark | undefined> {
    const last = await firstEvent((reader as JournalReader).backwards());
    return last && markOf(last);
  }

  generationOf(): number {
    return 0;
  }

  nameOf({ seq }: Mark): string {
    return String(seq);
  }

  placeOf(name: string, head: Mark | undefined): FollowedPlace | undefined {
    if (!/^(?:0|[1-9][0-9]{0,15})$/.test(name)) throw notAnEvent(name);
    const seq = Number(name);
    return seq <= (head?.seq ?? -1) ? { seq } : undefined;
  }

  /** No file stays open between two pieces: a subscriber may take its time. */
  past(place: FollowedPlace): Past {
    let { seq, position } = place;
    return {
      next: async (maxBytes) => {
        using reader = await this.open();
        position ??= seq < 0 ? undefined : await reader.placeBefore(seq);
        const items: EventItem[] = [];
        let bytes = 0;
        const after = seq;
        await everyEvent(reader.outcomes({ after: position as Anchor | undefined }), (event) => {
          if (event.seq <= after) return true;
          const entry = eventItem(this, event);
          bytes += entry.item.data.length;
          if (bytes <= maxBytes || items.length === 0) items.push(entry);
          return bytes <= maxBytes;
        });
        const last = items.at(-1);
        if (last !== undefined) ({ seq, position } = last);
        return items;
      },
      close: async () => {},
    };
  }
}

/** A generation: its number in this process, and the beginning of the session, since each process counts from 0. */
class ForeignSource implements FollowedJournal {
  readonly id: string;
  readonly path: string;
  readonly open: () => Promise<EventReader>;
  readonly #digest: string;

  constructor(
    id: string,
    path: string,
    { digest, open }: { readonly digest: string; readonly open: () => Promise<EventReader> },
  ) {
    this.id = id;
    this.path = path;
    this.open = open;
    this.#digest = digest;
  }

  /** It can be read from its beginning only. The reader continues there afterwards. */
  async head(reader: EventReader): Promise<Mark | undefined> {
    let head: Mark | undefined;
    await everyEvent(reader.outcomes(), (event) => {
      head = markOf(event);
    });
    return head;
  }

  generationOf({ position }: Mark): number {
    return (position as { readonly generation: number }).generation;
  }

  nameOf(event: Mark): string {
    return `${this.#digest}-${this.generationOf(event)}.${event.seq}`;
  }

  placeOf(name: string, head: Mark | undefined): FollowedPlace | undefined {
    const match = /^([0-9a-f]{8}-[0-9]{1,9})\.(0|[1-9][0-9]{0,15})$/.exec(name);
    if (match === null) throw notAnEvent(name);
    const [, generation, digits] = match;
    const seq = Number(digits);
    if (head === undefined || generation !== `${this.#digest}-${this.generationOf(head)}`) return undefined;
    return seq <= head.seq ? { seq, position: { generation: this.generationOf(head), seq } } : undefined;
  }

  past({ position }: FollowedPlace): Past {
    let waiting: EventItem[] = [];
    let reader: EventReader | undefined;
    let batches: AsyncIterator<readonly Outcome<SessionEvent>[]> | undefined;
    return {
      next: async (maxBytes) => {
        reader ??= await this.open();
        batches ??= reader.outcomes({ after: position })[Symbol.asyncIterator]();
        while (waiting.length === 0) {
          const { done, value } = await batches.next();
          if (done) return [];
          waiting = value.flatMap((outcome) => (outcome.kind === 'event' ? [eventItem(this, outcome.event)] : []));
        }
        const taken = within(waiting, maxBytes);
        waiting = waiting.slice(taken.length);
        return taken;
      },
      close: async () => {
        await batches?.return?.();
        reader?.close();
      },
    };
  }
}

export function markOf({ seq, position }: Mark): Mark {
  return { seq, position };
}

/** The item of an event: the same for all subscribers. */
export function eventItem(followed: Pick<FollowedJournal, 'nameOf'>, event: SessionEvent): EventItem {
  const { seq, ts, type, turn, id, data, position } = event;
  const text = JSON.stringify({ seq, ts, type, turn, id, data });
  return { item: { kind: 'event', id: followed.nameOf(event), type, data: text }, seq, position };
}

function notAnEvent(name: string): OllmError {
  return new OllmError('USAGE', `${JSON.stringify(name.slice(0, 60))} is not the id of an event.`, {
    hint: 'Give the id of the last event that came, or "start".',
  });
}
