// A state file holds several states: this takes one of them, if the journal still has the line that it was made from.
import type { JournalReader, JournalStore } from '../../journal/types.ts';
import { readState } from './state-file.ts';

/** Undefined where the journal is to be read from its beginning. */
export async function savedState<Name extends string, State>(
  store: JournalStore,
  reader: JournalReader,
  fold: { readonly name: Name; readonly version: number; initial(): State },
) {
  const saved = await readState(store, reader.id);
  const isCurrent = saved?.versions[fold.name] === fold.version;
  if (saved === undefined || !isCurrent || !(await reader.holds(saved.anchor))) return undefined;
  const { anchor, journal, states } = saved;
  const state = { [fold.name]: states[fold.name] } as Record<Name, State>;
  return { lastSeq: anchor.seq, position: anchor, ...journal, states: state };
}
