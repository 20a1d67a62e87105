// Typed text as single keys, for parts that are not a line of text: a letter is itself, other keys have names.

export type Key = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'named'; readonly name: KeyName };

export type KeyName =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'clear'
  | 'delete-word'
  | 'tab'
  | 'interrupt'
  | 'unknown';

const NAMES: Readonly<Record<string, KeyName>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x10': 'up',
  '\x12': 'down',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x0e': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b[H': 'home',
  '\x1b[F': 'end',
  '\r': 'enter',
  '\n': 'enter',
  '\x1b': 'escape',
  '\x07': 'escape',
  '\x04': 'escape',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x15': 'clear',
  '\x17': 'delete-word',
  '\t': 'tab',
  '\x03': 'interrupt',
};

const KEY = /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO[@-~]|\x1b|[\x00-\x1a\x1c-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;

/** The keys of a piece of input, in their order. */
export function keysIn(text: string): readonly Key[] {
  return (text.match(KEY) ?? []).map((key): Key => {
    const name = NAMES[key];
    if (name !== undefined) return { kind: 'named', name };
    return /^[\x00-\x1f\x7f]/.test(key) ? { kind: 'named', name: 'unknown' } : { kind: 'text', text: key };
  });
}
