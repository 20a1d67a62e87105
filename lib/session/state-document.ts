// `<id>.state.json`: what a resume needs, so that it need not read the journal again. Derived and disposable: it names
// the line it stands on and the versions of its folds, and is used only where both still hold. It also is a witness: one
// that knows a later line than the journal has says that acknowledged events were lost.
import type { JournalStore } from '../journal/types.ts';
import { parseObject } from './document-parts.ts';
import { checksumOf } from './sealed.ts';
import { decodeStateHead, encodeStateHead, type StateHead } from './state-head.ts';

const BETWEEN = ',\n"states":';
const END = '}\n';

export interface StateDocument extends StateHead {
  /** By the name of each fold, as the versions say that made them. */
  readonly states: Readonly<Record<string, unknown>>;
}

/** One JSON object in two lines: the head, and the states. */
export function encodeStateDocument({ states, ...head }: StateDocument): string {
  const text = JSON.stringify(states);
  return `${encodeStateHead(head, checksumOf(text))}${BETWEEN}${text}${END}`;
}

/** Undefined if the text is none of ours: torn, edited, or of another format. */
export function decodeStateDocument(text: string): StateDocument | undefined {
  const lineEnd = text.indexOf(BETWEEN);
  const head = lineEnd < 0 || !text.endsWith(END) ? undefined : decodeStateHead(text.slice(0, lineEnd));
  const states = text.slice(lineEnd + BETWEEN.length, -END.length);
  if (head === undefined || checksumOf(states) !== head.states) return undefined;
  const parsed = parseObject(states);
  return parsed && { ...head, states: parsed };
}

/** The state file of a session; undefined if there is none that can be read. */
export function readSavedState(store: JournalStore, id: string): StateDocument | undefined {
  const text = store.readDocument(id, 'state');
  return text === undefined ? undefined : decodeStateDocument(text);
}
