// `<id>.state.json`: what a resume needs, so that it need not read the journal again. Derived and disposable: it names
// the line it stands on and the versions of its folds, and is used only where both still hold. It also is a witness: one
// that knows a later line than the journal has says that acknowledged events were lost.
import type { JournalStore } from '../journal/types.ts';
import { isObject, parseObject } from './document-parts.ts';
import { asStateHead, encodeStateHead, type StateHead } from './state-head.ts';

export interface StateDocument extends StateHead {
  /** By the name of each fold, as the versions say that made them. */
  readonly states: Readonly<Record<string, unknown>>;
}

/** One JSON object in two lines: the head, and the states. */
export function encodeStateDocument({ states, ...head }: StateDocument): string {
  return `{"head":${encodeStateHead(head)},\n"states":${JSON.stringify(states)}}\n`;
}

/** Undefined if the text is none of ours: torn, edited, or of another format. */
export function decodeStateDocument(text: string): StateDocument | undefined {
  const document = parseObject(text);
  const head = asStateHead(document?.head);
  return head && isObject(document?.states) ? { ...head, states: document.states } : undefined;
}

/** The state file of a session; undefined if there is none that can be read. */
export function readSavedState(store: JournalStore, id: string): StateDocument | undefined {
  const text = store.readDocument(id, 'state');
  return text === undefined ? undefined : decodeStateDocument(text);
}
