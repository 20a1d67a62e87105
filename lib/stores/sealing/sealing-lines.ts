// The lines of an encrypted session: seals their data, and opens it again. The envelope stays readable, so that lines
// are checked, listed, followed and repaired without the key; so do the notes that the journal itself writes. A seal
// covers every byte of its line but the chain and the number, and the number that the line was written with is sealed
// too: a line that was changed, moved or exchanged does not open, and a removed or inserted line shows in the sealed
// number of the next one. Notes of a repair, which is made without the key, have no seal.
import { OWN_TYPES } from '../../journal/format.ts';
import { toJson } from '../../journal/line/buffer.ts';
import type { Damage, DataSeal, JsonObject, Outcome, StoredEvent } from '../../journal/types.ts';
import { coversLines, openBytes, type SessionKeys, sealBytes } from './encryption.ts';
import { contextOf, contextOfLine, contextOfStored } from './seal-context.ts';

/** The members of the first line that are not sealed: what a journal needs, the model, and how to open the rest. */
const OPEN_MEMBERS: readonly string[] = [
  ...[
    'format',
    'sessionId',
    'model',
    'provider',
    'ollm',
    'pid',
    'host',
    'command',
    'encryption',
    'previous',
    'imported',
  ],
];

/** Lines of the journal's own that have a seal, with their data in the clear. */
const SEALED_NOTES: readonly string[] = [OWN_TYPES.opened, OWN_TYPES.recovered];
/** All that the journal writes. `journal.sealed` is reserved, and no version writes it. */
const NOTES: readonly string[] = [...SEALED_NOTES, OWN_TYPES.repaired];

/** Not sealed: names of attachments, so that those of a session that is removed are removed with it. */
const BLOB = /"blob":"([0-9a-f]{64})"/g;

/** Seals what a writer stores, and opens one line by itself. `id`: the session. */
export function sealerOf(id: string, keys: SessionKeys): DataSeal {
  return {
    seal: coversLines(keys.encryption)
      ? (json, line) => sealedLine(id, keys, json, line)
      : (json, line) => sealedData(id, keys, json, line),
    open(event) {
      const [opened] = new LineOpener(id, keys).open({ kind: 'event', event });
      return opened?.kind === 'event' ? opened.event : undefined;
    },
  };
}

type Line = Parameters<DataSeal['seal']>[1];

function sealedLine(id: string, keys: SessionKeys, json: string, { seq, type, head }: Line): string {
  const isFirst = type === OWN_TYPES.created;
  if (isOfTheJournal(type) && !SEALED_NOTES.includes(type)) return json;
  const isNote = isOfTheJournal(type);
  const data = isFirst || isNote ? (JSON.parse(json) as JsonObject) : {};
  const open = isNote ? data : openMembers(data);
  const hidden = isNote ? '' : isFirst ? JSON.stringify(hiddenMembers(data)) : json;
  const blobs = isFirst || isNote ? [] : blobsIn(json);
  const rest = {
    seq,
    ...(blobs.length > 0 && { blobs }),
    // The wrapped key once more, apart from the first line: a bit of that may flip.
    ...((seq === 1 || type === OWN_TYPES.opened) && { encryption: keys.encryption }),
  };
  const members = toJson(open).slice(1, -1);
  const before = `{${members}${members === '' ? '' : ','}"sealed":"`;
  const after = `",${toJson(rest).slice(1)}`;
  const sealed = sealBytes(keys.lines, hidden, contextOfLine(id, head + before, after)).toString('base64');
  return `${before}${sealed}${after}`;
}

/** As before version 2: the seal covers data, number and type. */
function sealedData(id: string, keys: SessionKeys, json: string, { seq, type }: Line): string {
  // The copy of the wrapped key needs no seal: another key does not open.
  if (type === OWN_TYPES.opened) return `${json.slice(0, -1)},"encryption":${toJson(keys.encryption)}}`;
  if (isOfTheJournal(type)) return json;
  if (type === OWN_TYPES.created) return sealedFirst(id, keys, JSON.parse(json) as JsonObject, seq);
  const sealed = sealBytes(keys.lines, json, contextOf(id, seq, type)).toString('base64');
  const blobs = blobsIn(json);
  return `{"sealed":"${sealed}","seq":${seq}${blobs.length > 0 ? `,"blobs":${JSON.stringify(blobs)}` : ''}}`;
}

function blobsIn(json: string): readonly string[] {
  return json.includes('"blob":"') ? [...new Set([...json.matchAll(BLOB)].map(([, name]) => name!))] : [];
}

/** Whether the data of a line is sealed. */
export function isSealed({ type, data }: StoredEvent): boolean {
  return !isOfTheJournal(type) && typeof data.sealed === 'string';
}

/** A line that opened, and how far its sealed number is ahead of its own: 0 unless lines were left out before it. */
interface OpenedLine {
  readonly seq: number;
  readonly ahead: number;
  readonly event: Pick<StoredEvent, 'seq' | 'offset' | 'end'>;
}

/**
 * Opens the lines that a reader finds, one after the other: sealed numbers go one way, `forwards` or back, without
 * gaps.
 */
export class LineOpener {
  readonly #id: string;
  readonly #keys: SessionKeys;
  readonly #forwards: boolean;
  #last: OpenedLine | undefined;
  /** Notes of a repair in the place of lost lines, since the last line that opened. */
  #placeholders = 0;
  /** Whether there is any note of a repair since then. */
  #hasRepair = false;

  constructor(id: string, keys: SessionKeys, { forwards = true }: { readonly forwards?: boolean } = {}) {
    this.#id = id;
    this.#keys = keys;
    this.#forwards = forwards;
  }

  /**
   * The event, or the damage in its place. A gap between it and the line before is damage of its own, before the event.
   */
  open(outcome: Outcome): readonly Outcome[] {
    if (outcome.kind === 'damage') return [outcome];
    const { event } = outcome;
    const isSealedNote = coversLines(this.#keys.encryption) && SEALED_NOTES.includes(event.type);
    if (isOfTheJournal(event.type) && !isSealedNote) return [this.#openNote(event)];
    const found = this.#openEvent(event);
    if (typeof found === 'string') return [damageOf(badSeal(event, found))];
    const { seq, offset, end } = event;
    const gap = this.#goOn({
      seq: Number(event.data.seq),
      ahead: Number(event.data.seq) - seq,
      event: { seq, offset, end },
    });
    const opened: Outcome = { kind: 'event', event: found };
    return gap ? [damageOf(gap), opened] : [opened];
  }

  /** A line in the clear, which only the journal writes. */
  #openNote(event: StoredEvent): Outcome {
    const { type, data } = event;
    if (!NOTES.includes(type) || data.sealed !== undefined) {
      return damageOf(
        badSeal(event, `The journal did not write this line: its type ${type} was changed, or it was put in.`),
      );
    }
    if (type === OWN_TYPES.repaired) {
      this.#hasRepair = true;
      // A repair has findings to report; its notes in the place of lost lines have none.
      if (data.findingsTotal === 0) this.#placeholders += 1;
    }
    return { kind: 'event', event };
  }

  /** Takes the next line that opened. Returns the damage between it and the last one. */
  #goOn(line: OpenedLine): Damage | undefined {
    const last = this.#last;
    const [placeholders, hasRepair] = [this.#placeholders, this.#hasRepair];
    this.#last = line;
    this.#placeholders = 0;
    this.#hasRepair = false;
    if (last === undefined) return undefined;
    const [older, newer] = this.#forwards ? [last, line] : [line, last];
    const missing = newer.ahead - older.ahead + placeholders;
    if (missing > 0) {
      const cause =
        placeholders > 0 ? 'a repair left them out' : 'a repair left out sealed lines, or they were cut out';
      return badSeal(newer.event, `The sealed numbers skip ${linesOf(missing)} before this one: ${cause}.`);
    }
    // After the last note of a repair that left lines out, sealed numbers are those of the lines again.
    if (missing < 0 && !(hasRepair && newer.ahead === 0)) {
      return badSeal(
        newer.event,
        `The sealed numbers do not count ${linesOf(-missing)} before this one: ollm did not write them.`,
      );
    }
    return undefined;
  }

  /** The event, or why it does not open. */
  #openEvent(event: StoredEvent): StoredEvent | string {
    const { sealed, seq } = event.data;
    if (typeof sealed !== 'string' || typeof seq !== 'number') {
      return 'The line is not sealed, in a session that is: ollm did not write it.';
    }
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.toString('base64') !== sealed) return 'The sealed data is not base64 as ollm writes it.';
    if (bytes.length < SHORTEST_SEALED_BYTES) return 'The sealed data is cut short.';
    const isFirst = event.type === OWN_TYPES.created;
    const open = isFirst ? openMembers(event.data) : isOfTheJournal(event.type) ? notedMembers(event.data) : undefined;
    const context = this.#contextOf(event, sealed, seq, open);
    const json = context && openBytes(this.#keys.lines, bytes, context);
    if (json === undefined) return 'The key does not open it: it was changed, or belongs elsewhere.';
    if (!this.#isInOrder(seq, event)) return 'The line is in another place than the one where it was written.';
    return withData(event, () => ({ ...open, ...(json.length > 0 && (JSON.parse(String(json)) as JsonObject)) }));
  }

  #contextOf(
    event: StoredEvent,
    sealed: string,
    seq: number,
    open: JsonObject | undefined,
  ): string | Buffer | undefined {
    if (coversLines(this.#keys.encryption)) return contextOfStored(this.#id, event.raw, sealed);
    return contextOf(this.#id, seq, event.type) + (open ? `\n${JSON.stringify(open)}` : '');
  }

  /**
   * A repair may give lines new numbers, so the sealed number need not be that of the line. The order of the lines
   * stays.
   */
  #isInOrder(sealed: number, { seq }: StoredEvent): boolean {
    const last = this.#last;
    if (last === undefined || (this.#forwards ? sealed > last.seq : sealed < last.seq)) return true;
    // A repair that left many lines out ends at a lower number than the last line that it kept was sealed with.
    return this.#hasRepair && (this.#forwards ? sealed === seq : last.ahead === 0);
  }
}

const SHORTEST_SEALED_BYTES = 28;

export function isOfTheJournal(type: string): boolean {
  return type.startsWith('writer.') || type.startsWith('journal.');
}

function sealedFirst(id: string, keys: SessionKeys, data: JsonObject, seq: number): string {
  const open = openMembers(data);
  const hidden = hiddenMembers(data);
  const context = `${contextOf(id, seq, OWN_TYPES.created)}\n${JSON.stringify(open)}`;
  const sealed = sealBytes(keys.lines, JSON.stringify(hidden), context).toString('base64');
  return JSON.stringify({ ...open, sealed, seq });
}

function openMembers(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => OPEN_MEMBERS.includes(name)));
}

function hiddenMembers(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !OPEN_MEMBERS.includes(name)));
}

/** What a note was given. */
function notedMembers({ sealed: _sealed, seq: _seq, encryption: _encryption, ...data }: JsonObject): JsonObject {
  return data;
}

function linesOf(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

function damageOf(damage: Damage): Outcome {
  return { kind: 'damage', damage };
}

function badSeal({ seq, offset, end }: OpenedLine['event'], reason: string): Damage {
  return { kind: 'bad-seal', offset, length: Math.max(0, end - offset - 1), line: 0, reason, seq };
}

/** A stored event with its data opened, at the first use; its bytes are those of the file. */
export function withData(stored: StoredEvent, open: () => JsonObject): StoredEvent {
  const { seq, ts, type, turn, id, ignorable, position, prev, xxh64, offset, end, raw } = stored;
  let opened: JsonObject | undefined;
  return {
    ...{ seq, ts, type, turn, id, ignorable, position, prev, xxh64, offset, end, raw },
    get data() {
      opened ??= open();
      return opened;
    },
  };
}
