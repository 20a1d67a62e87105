/** A piece of code: a text, or pieces of one role. */
export interface Coloured {
  readonly text?: string;
  readonly role?: 'key' | 'str' | 'fn' | 'num' | 'note';
  readonly children?: readonly Coloured[];
}
