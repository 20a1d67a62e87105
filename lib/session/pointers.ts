// Whether the pointers of an event exist in the session: an earlier event, a requested call, a turn, an attachment. A
// dangling one would make an empty view or a result without its call. `session.append` and `ollm append` use this
// check.
import { OllmError } from '../errors/index.ts';
import type { JsonObject, NewEvent, StoredEvent } from '../journal/types.ts';

/** Targets in the journal. */
interface Pointed {
  readonly lastSeq: number;
  readonly highestTurn: number;
  /** The ids of the calls that are open: models use an id twice. */
  readonly openCalls: readonly string[];
}

/** Where attachments and the ids of stored events are looked up. */
interface StoredNames {
  hasBlob(sha256: string): Promise<boolean>;
  knows(id: string): Promise<boolean>;
}

/** What later events may point at. Bounded by the calls that are open, and by the events that are expected. */
export class Pointers {
  readonly #stored: StoredNames;
  #lastSeq: number;
  #highestTurn: number;
  /** How many calls are open, by their id. */
  #openCalls: Map<string, number>;
  /** Ids of events that come next: the same again is stored once. */
  #expectedIds = new Set<string>();

  /** Without `there` the session is empty. */
  constructor(stored: StoredNames, there: Pointed = { lastSeq: -1, highestTurn: 0, openCalls: [] }) {
    this.#stored = stored;
    this.#lastSeq = there.lastSeq;
    this.#highestTurn = there.highestTurn;
    this.#openCalls = new Map();
    for (const callId of there.openCalls) this.#countCall(callId, 1);
  }

  /** A copy that is independent of this from now on. */
  copy(): Pointers {
    const copy = new Pointers(this.#stored, { lastSeq: this.#lastSeq, highestTurn: this.#highestTurn, openCalls: [] });
    copy.#openCalls = new Map(this.#openCalls);
    copy.#expectedIds = new Set(this.#expectedIds);
    return copy;
  }

  /** Notes an event that is stored. */
  note(event: Pick<StoredEvent, 'seq' | 'type' | 'data' | 'turn'>): void {
    this.#take(event);
    this.reach(event.seq);
  }

  /** Notes how far the journal goes. */
  reach(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  /** Takes an event that comes next, or says why it cannot: EVENT_DANGLING. */
  async expect(event: NewEvent): Promise<OllmError | undefined> {
    const { id, type } = event;
    // Stored already: it is not stored again, and its target may have ended since.
    if (id !== undefined && (this.#expectedIds.has(id) || (await this.#stored.knows(id)))) return undefined;
    const problem = await this.#problemOf(event);
    if (problem !== undefined) {
      return new OllmError('EVENT_DANGLING', `The event ${type} points nowhere: ${problem}`, {
        hint: 'Nothing was written. Append first what it points at.',
        data: { type, problem },
      });
    }
    if (id !== undefined) this.#expectedIds.add(id);
    this.#take(event as Pick<StoredEvent, 'type' | 'data' | 'turn'>);
    this.#lastSeq += 1;
    return undefined;
  }

  /** The missing target of the event, as a sentence; undefined if all exist. */
  async #problemOf({ type, turn, data }: NewEvent): Promise<string | undefined> {
    const members = data as JsonObject;
    if (turn !== undefined && turn > this.#highestTurn + 1) {
      return `turn ${turn} cannot come after turn ${this.#highestTurn}.`;
    }
    for (const sha256 of blobsOf(type, members)) {
      if (!(await this.#stored.hasBlob(sha256))) return `there is no attachment ${sha256}.`;
    }
    switch (type) {
      case 'branch.moved':
        return this.#absent('head', members.head);
      case 'files.reverted':
        return this.#absent('since', members.since);
      case 'compaction.undone':
        return this.#absent('seq', members.seq);
      case 'compaction.completed':
        return this.#problemOfSpan(members);
      case 'tool.decided':
      case 'tool.started':
      case 'tool.finished': {
        const { callId } = members;
        const isOpen = typeof callId === 'string' && this.#openCalls.has(callId);
        return isOpen ? undefined : `no open call has the id ${JSON.stringify(callId)}.`;
      }
      default:
        return undefined;
    }
  }

  #problemOfSpan({ covers, keptFrom }: JsonObject): string | undefined {
    const { from, to } = covers as { from: number; to: number };
    const absent = this.#absent('covers.to', to) ?? this.#absent('keptFrom', keptFrom);
    if (absent !== undefined) return absent;
    if (from > to) return `covers.from is ${from} and lies behind covers.to, ${to}.`;
    return (keptFrom as number) <= to ? `keptFrom is ${keptFrom} and lies in what is covered, up to ${to}.` : undefined;
  }

  #absent(member: string, seq: unknown): string | undefined {
    const isThere = typeof seq === 'number' && seq <= this.#lastSeq;
    return isThere ? undefined : `${member} is ${seq}, and the last event is ${this.#lastSeq}.`;
  }

  #take({ type, turn, data }: Pick<StoredEvent, 'type' | 'data' | 'turn'>): void {
    if (turn !== undefined) this.#highestTurn = Math.max(this.#highestTurn, turn);
    const { callId } = data;
    if (typeof callId !== 'string') return;
    if (type === 'tool.requested') this.#countCall(callId, 1);
    else if (type === 'tool.finished') this.#countCall(callId, -1);
  }

  #countCall(callId: string, change: 1 | -1): void {
    const open = (this.#openCalls.get(callId) ?? 0) + change;
    if (open > 0) this.#openCalls.set(callId, open);
    else this.#openCalls.delete(callId);
  }
}

/** Attachments that the data of this type names. */
export function blobsOf(type: string, data: JsonObject): string[] {
  return ownersOf(type, data).flatMap((owner) => {
    const named = (owner as { blob?: unknown } | null | undefined)?.blob;
    return typeof named === 'string' ? [named] : [];
  });
}

function ownersOf(type: string, data: JsonObject): readonly unknown[] {
  const { native } = data as { native?: { left?: unknown } };
  return [...ownOwners(type, data), ...listOf(native?.left)];
}

function ownOwners(type: string, data: JsonObject): readonly unknown[] {
  const { parts, result, changes } = data as { parts?: unknown; result?: { images?: unknown }; changes?: unknown };
  switch (type) {
    case 'message.added':
      return listOf(parts);
    case 'tool.started':
      return listOf(changes).map((change) => (change as { before?: unknown } | null)?.before);
    case 'tool.finished':
      return [data, ...listOf(result?.images)];
    default:
      return [];
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
