// `<id>.state.json`: what a resume needs, so that it need not read the journal again. Derived and disposable: it names
// the line it stands on and the versions of its folds, and is used only where both still hold. It also is a witness: one
// that knows a later line than the journal has says that acknowledged events were lost.
import type { Anchor } from '../journal/types.ts';
import { isAnchor, isObject, parseObject } from './document-parts.ts';
import { FOLD_VERSIONS, type SessionReplay } from './states.ts';

const FORMAT = 1;

export interface StateDocument {
  /** The last event that the states have seen. */
  readonly anchor: Anchor;
  /** The last line that was known to be on the device. */
  readonly synced: Anchor;
  /** How many times the journal had been opened for writing. */
  readonly epoch: number;
  /** Bytes of the journal that the snapshot beside it covers. */
  readonly snapshotOffset: number;
  /** Undefined if other versions of the folds made it. */
  readonly replay: SessionReplay | undefined;
}

export function encodeStateDocument(document: StateDocument & { readonly replay: SessionReplay }): string {
  const { anchor, synced, epoch, snapshotOffset, replay } = document;
  const { states, counts, format } = replay;
  const position = { format: FORMAT, anchor, synced, epoch, snapshotOffset };
  return `${JSON.stringify({ ...position, versions: FOLD_VERSIONS, replay: { format, counts, states } })}\n`;
}

/** Undefined if the text is none of ours: torn, edited, or of another format. */
export function decodeStateDocument(text: string): StateDocument | undefined {
  const document = parseObject(text);
  if (document?.format !== FORMAT || !isAnchor(document.anchor) || !isAnchor(document.synced)) return undefined;
  const { anchor, synced, replay } = document;
  const isOurs = JSON.stringify(document.versions) === JSON.stringify(FOLD_VERSIONS) && isObject(replay);
  return {
    anchor,
    synced,
    epoch: countOf(document.epoch),
    snapshotOffset: countOf(document.snapshotOffset),
    replay: isOurs ? ({ ...replay, anchor } as unknown as SessionReplay) : undefined,
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
