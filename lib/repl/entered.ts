// The user's input, at the prompt or through a pipe.

export type Entered =
  /** `typed`: the same without long pastes. `promptId`: of one that has waited, where the journal keeps it. */
  | { readonly type: 'message'; readonly text: string; readonly typed: string; readonly promptId?: string | undefined }
  | { readonly type: 'command'; readonly text: string }
  /** A command for the shell, without its exclamation mark. */
  | { readonly type: 'shell'; readonly text: string }
  /** The user leaves, or the input is over. */
  | { readonly type: 'end'; readonly reason: 'exit' | 'eof' }
  /** The terminal was closed. */
  | { readonly type: 'gone' };

/** As it can be entered again. */
export function textOfWhole(entered: Entered): string {
  return entered.type === 'message' ? entered.text : textOfEntered(entered);
}

/** As it was typed. */
export function textOfEntered(entered: Entered): string {
  switch (entered.type) {
    case 'message':
      // For a long text that has waited since an earlier run, the typed part is unknown.
      return entered.typed === '' ? entered.text : entered.typed;
    case 'command':
      return entered.text;
    case 'shell':
      return `!${entered.text}`;
    case 'end':
      return 'Ctrl+D';
    case 'gone':
      return '';
  }
}
