// A state file may be used if the journal still has the bytes that it was made from: the line that it names, and the
// same stamp. After any change from outside (an edit, a copy, a restored backup) all lines up to it are checked once.
import type { JournalReader, JournalStore } from '../../journal/types.ts';
import { encodeState, readState, type SavedState, type StateHead } from './state-file.ts';

/** The states of a journal, and its stamp when all bytes up to them were known to be whole. */
interface TrustedState {
  readonly saved: SavedState;
  readonly stamp: string | undefined;
}

/** Undefined where the journal is to be read from its beginning. */
export async function trustedState(store: JournalStore, reader: JournalReader): Promise<TrustedState | undefined> {
  const saved = await readState(store, reader.id);
  if (saved === undefined) return undefined;
  const { isWhole, stamp } = await compareJournal(reader, saved);
  return isWhole ? { saved, stamp } : undefined;
}

interface Comparison {
  /** Whether the journal has all that the saved states were made from. */
  readonly isWhole: boolean;
  /** The stamp of the journal, from before the comparison. */
  readonly stamp: string | undefined;
  /** Whether each line had to be checked for it. */
  readonly wasChecked?: true;
}

export async function compareJournal(
  reader: JournalReader,
  { anchor, stamp: known }: Pick<StateHead, 'anchor' | 'stamp'>,
): Promise<Comparison> {
  const stamp = await reader.stamp?.();
  if (!(await reader.holds(anchor))) return { isWhole: false, stamp };
  if (stamp === known || stamp === undefined) return { isWhole: true, stamp };
  // The writer notices a change of another program, and its next state file says so.
  if ((await reader.size()) > anchor.offset && (await reader.isBeingWritten())) return { isWhole: true, stamp };
  return { isWhole: await isWholeUpTo(reader, anchor.offset), stamp, wasChecked: true };
}

/**
 * Saves the stamp of a journal whose lines were checked, so that the next look need not do that. An opening saves new
 * states anyway. Does nothing where the file cannot be written, or a process has the session open.
 */
export async function renewStamp(store: JournalStore, reader: JournalReader, stamp: string | undefined): Promise<void> {
  const saved = await readState(store, reader.id);
  if (saved === undefined || (await reader.isBeingWritten())) return;
  await store.writeDocument(reader.id, 'state', [encodeState({ ...saved, stamp })]).catch(() => {});
}

/** Whether no line before this offset is damaged. */
export async function isWholeUpTo(reader: JournalReader, offset: number): Promise<boolean> {
  let isWhole = true;
  await reader.verify({
    onDamage: (damage) => {
      isWhole &&= damage.offset >= offset;
    },
  });
  return isWhole;
}

/** Takes one of the states, to continue a replay from. Undefined where the journal is to be read from its beginning. */
export async function savedState<Name extends string, State>(
  store: JournalStore,
  reader: JournalReader,
  fold: { readonly name: Name; readonly version: number; initial(): State },
) {
  const { saved } = (await trustedState(store, reader)) ?? {};
  if (saved === undefined || saved.versions[fold.name] !== fold.version) return undefined;
  const { anchor, journal, states } = saved;
  const state = { [fold.name]: states[fold.name] } as Record<Name, State>;
  return { lastSeq: anchor.seq, position: anchor, ...journal, states: state };
}
