// Tells pasted text from typed keys in what a terminal sends (bracketed paste, mode 2004). A paste comes out as one
// piece, however long it is and however it was cut on the way; everything else passes unchanged, without delay.

export const BRACKETED_PASTE_ON = '\x1b[?2004h';
export const BRACKETED_PASTE_OFF = '\x1b[?2004l';

export const BRACKETED_PASTE_START = '\x1b[200~';
export const BRACKETED_PASTE_END = '\x1b[201~';

export type InputPiece =
  | { readonly type: 'keys'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string };

interface PasteSplitter {
  push(text: string): InputPiece[];
}

export function createPasteSplitter(): PasteSplitter {
  /** Pieces of the paste under way; undefined outside of one. */
  let paste: string[] | undefined;
  /** The end of the input, if it may be the beginning of a marker. */
  let held = '';

  return {
    push(text) {
      const pieces: InputPiece[] = [];
      let rest = held + text;
      held = '';
      while (rest !== '') {
        const marker: string = paste ? BRACKETED_PASTE_END : BRACKETED_PASTE_START;
        const at = rest.indexOf(marker);
        const partial = at === -1 ? partialMarkerLength(rest, marker) : 0;
        const before = at === -1 ? rest.slice(0, rest.length - partial) : rest.slice(0, at);
        if (paste) paste.push(before);
        else if (before !== '') pieces.push({ type: 'keys', text: before });
        if (at === -1) {
          held = rest.slice(rest.length - partial);
          break;
        }
        rest = rest.slice(at + marker.length);
        if (paste) {
          pieces.push({ type: 'paste', text: paste.join('').replace(/\r\n?/g, '\n') });
          paste = undefined;
        } else paste = [];
      }
      return pieces;
    },
  };
}

/** How many characters at the end of `text` begin `marker`. A lone ESC does not count: it may be the Escape key. */
function partialMarkerLength(text: string, marker: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length > 1; length--) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}
