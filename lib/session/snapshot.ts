// `<id>.json`: the session as one JSON document, for programs that want no journal, with the line that it was made
// from. Derived and disposable. The journal is read in batches, so that a REPL stays awake meanwhile.
import type { Anchor, JournalStore } from '../journal/types.ts';
import { parseObject } from '../platform/json.ts';
import { replay } from '../projections/replay.ts';
import { sessionFold, sessionJsonText } from '../projections/session.ts';
import { isAnchor } from './document-parts.ts';

/** What is to be written. */
export interface MadeSnapshot {
  /** The line that it was made from. */
  readonly anchor: Anchor | undefined;
  /**
   * Replaces `<id>.json`. That line must be on the device by then: a snapshot that outlives its events would pass for
   * evidence that they were lost.
   */
  write(): Promise<void>;
}

/** Reads the journal to its end. */
export async function makeSnapshot(store: JournalStore, id: string): Promise<MadeSnapshot> {
  const reader = store.openReader(id);
  try {
    const { states, counts, position: anchor } = await replay(reader, { session: sessionFold });
    const about = { damaged: counts.damaged, unknownEvents: counts.unknown };
    return {
      anchor,
      write: () => store.writeDocument(id, 'snapshot', sessionJsonText(states.session, about, { journal: anchor })),
    };
  } finally {
    reader.close();
  }
}

/**
 * Reads the journal to its end and replaces the snapshot `<id>.json`. Returns the line that it was made from.
 *
 * @example
 * await writeSnapshot(store, 'notes');
 */
export async function writeSnapshot(store: JournalStore, id: string): Promise<Anchor | undefined> {
  const { anchor, write } = await makeSnapshot(store, id);
  await write();
  return anchor;
}

/** What a snapshot ends with, and room for line feeds that an editor added. */
const END_BYTES = 256;
/** In JSON this is a member of the whole: no text holds it, because a text escapes its quotes. */
const ANCHOR_AT_END = /,"journal":(\{"seq":\d+,"offset":\d+,"xxh64":"[0-9a-f]{16}"\})\}\s*$/;

/**
 * The line that the end of the snapshot names, without a look at the rest: a long conversation is a long document.
 * Undefined where its end does not say. Whether the document is whole, `readSnapshotAnchor` tells.
 */
export async function readAnchorAtEnd(store: JournalStore, id: string): Promise<Anchor | undefined> {
  const [, anchor] = ANCHOR_AT_END.exec((await store.readDocumentEnd(id, 'snapshot', END_BYTES)) ?? '') ?? [];
  return anchor === undefined ? undefined : (parseObject(anchor) as unknown as Anchor | undefined);
}

/** The line that the snapshot was made from; undefined if there is no snapshot, or it is foreign. */
export async function readSnapshotAnchor(store: JournalStore, id: string): Promise<Anchor | undefined> {
  const text = await store.readDocument(id, 'snapshot');
  const anchor = text === undefined ? undefined : parseObject(text)?.journal;
  return isAnchor(anchor) ? anchor : undefined;
}
