// `<id>.json`: the session as one JSON document, for programs that want no journal. Its first line names the line of
// the journal that it was made from. Derived and disposable. The journal is read in batches, so that a REPL stays awake
// meanwhile.
import { checkArguments } from '../../errors/arguments.ts';
import type { Anchor, JournalStore } from '../../journal/types.ts';
import { parseObject } from '../../platform/json.ts';
import { replay } from '../../projections/replay.ts';
import { sessionFold, sessionJsonText } from '../../projections/session.ts';
import { isAnchor } from './anchor.ts';

/** A snapshot to be written. */
interface MadeSnapshot {
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
  using reader = store.openReader(id);
  const { states, counts, position: anchor } = await replay(reader, { session: sessionFold });
  const about = { damaged: counts.damaged, unknownEvents: counts.unknown };
  return {
    anchor,
    write: () => store.writeDocument(id, 'snapshot', sessionJsonText(states.session, about, anchor)),
  };
}

/**
 * Reads the journal to its end and replaces the snapshot `<id>.json`. Returns the line that it was made from.
 *
 * @example
 * await writeSnapshot(store, 'notes');
 */
export async function writeSnapshot(store: JournalStore, id: string): Promise<Anchor | undefined> {
  checkArguments('writeSnapshot', { store: 'JournalStore', id: 'text' }, [store, id]);
  const { anchor, write } = await makeSnapshot(store, id);
  await write();
  return anchor;
}

/** The line that the snapshot was made from; undefined without a snapshot, or for a foreign one. */
export async function readSnapshotAnchor(store: JournalStore, id: string): Promise<Anchor | undefined> {
  const text = await store.readDocument(id, 'snapshot');
  const anchor = text === undefined ? undefined : parseObject(text)?.journal;
  return isAnchor(anchor) ? anchor : undefined;
}

/** The line feed after the anchor, and the bytes before it. */
const BEGINNING_BYTES = 256;

/**
 * The line that the beginning of the snapshot names, without a look at the rest: a long conversation is a long
 * document. Undefined where its beginning does not say. Only `readSnapshotAnchor` knows whether the document is whole.
 */
export async function readSnapshotBeginning(store: JournalStore, id: string): Promise<Anchor | undefined> {
  const beginning = (await store.readDocument(id, 'snapshot', BEGINNING_BYTES)) ?? '';
  const line = beginning.slice(0, Math.max(0, beginning.indexOf(',\n')));
  const anchor = parseObject(`${line}}`)?.journal;
  return isAnchor(anchor) ? anchor : undefined;
}
