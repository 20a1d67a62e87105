// What the user enters, at the prompt or through a pipe.

export type Entered =
  /** `typed`: the same without long pastes. */
  | { readonly type: 'message'; readonly text: string; readonly typed: string }
  | { readonly type: 'command'; readonly text: string }
  /** A command for the shell, without its exclamation mark. */
  | { readonly type: 'shell'; readonly text: string }
  /** The user leaves, or the input is over. */
  | { readonly type: 'end'; readonly reason: 'exit' | 'eof' }
  /** The terminal was closed. */
  | { readonly type: 'gone' };

/** As it was typed. */
export function textOfEntered(entered: Entered): string {
  switch (entered.type) {
    case 'message':
      return entered.typed;
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
