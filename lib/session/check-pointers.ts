// Whether an event of another program points at what the session has: an earlier event, a call that was requested, a
// turn, an attachment. One that points nowhere would be in the journal and make an empty view or a result without its
// call.
import type { JsonObject, NewEvent, StoredEvent } from '../journal/types.ts';

/** What later events may point at. Bounded by the calls that are open. */
export class Pointers {
  #lastSeq = -1;
  #highestTurn = 0;
  /** How many calls are open, by their id: models use an id twice. */
  #openCalls = new Map<string, number>();

  /** Another one that is independent of this from now on. */
  copy(): Pointers {
    const copy = new Pointers();
    copy.#lastSeq = this.#lastSeq;
    copy.#highestTurn = this.#highestTurn;
    copy.#openCalls = new Map(this.#openCalls);
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

  /** Notes an event that comes next. */
  expect(event: NewEvent): void {
    this.#take(event as Pick<StoredEvent, 'type' | 'data' | 'turn'>);
    this.#lastSeq += 1;
  }

  /** What the event points at and is not there, as a sentence; undefined if all of it is. */
  async problemOf(
    { type, turn, data }: NewEvent,
    hasBlob: (sha256: string) => Promise<boolean>,
  ): Promise<string | undefined> {
    const members = data as JsonObject;
    if (turn !== undefined && turn > this.#highestTurn + 1) {
      return `turn ${turn} cannot come after turn ${this.#highestTurn}.`;
    }
    for (const sha256 of blobsOf(type, members)) {
      if (!(await hasBlob(sha256))) return `there is no attachment ${sha256}.`;
    }
    switch (type) {
      case 'branch.moved':
        return this.#absent('head', members.head);
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
    const open = this.#openCalls.get(callId) ?? 0;
    if (type === 'tool.requested') this.#openCalls.set(callId, open + 1);
    else if (type === 'tool.finished' && open > 1) this.#openCalls.set(callId, open - 1);
    else if (type === 'tool.finished') this.#openCalls.delete(callId);
  }
}

/** Attachments that the data of this type names. */
function blobsOf(type: string, data: JsonObject): string[] {
  const { blob, parts, result } = data as { blob?: unknown; parts?: unknown; result?: { images?: unknown } };
  const owners =
    type === 'message.added' ? parts : type === 'tool.finished' ? [{ blob }, ...listOf(result?.images)] : [];
  return listOf(owners).flatMap((owner) => {
    const named = (owner as { blob?: unknown } | null)?.blob;
    return typeof named === 'string' ? [named] : [];
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
