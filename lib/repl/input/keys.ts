// Typed bytes as keys, told apart by node:readline. Named as lists and questions see them, too: a letter is itself,
// other keys have names.
import { EventEmitter } from 'node:events';
import { emitKeypressEvents, type Key as ReadlineKey } from 'node:readline';

/** A key as node:readline reports it. */
export interface TypedKey {
  /** The bytes from the terminal. */
  readonly sequence: string;
  /** Such as `a`, `ctrl+a`, `alt+b`, `ctrl+left`, `up`; empty for a character that has no name. */
  readonly name: string;
  /** The text that it types; empty for all other keys. */
  readonly text: string;
}

/** A key that a terminal sends in several pieces is taken when it is whole. */
export class KeyReader {
  readonly #source = new EventEmitter();
  #read: TypedKey[] = [];

  constructor() {
    emitKeypressEvents(this.#source as NodeJS.ReadableStream & EventEmitter);
    this.#source.on('keypress', (_text: string | undefined, key: ReadlineKey) => this.#read.push(typedKey(key)));
  }

  /** The keys of typed text, in their order; an Enter that was sent as two characters is one. */
  read(text: string): readonly TypedKey[] {
    this.#read = [];
    this.#source.emit('data', Buffer.from(text));
    const keys = this.#read;
    this.#read = [];
    return keys.filter(({ sequence }, index) => sequence !== '\n' || keys[index - 1]?.sequence !== '\r');
  }
}

function typedKey({ sequence = '', name = '', ctrl = false, meta = false }: ReadlineKey): TypedKey {
  const isText = !ctrl && !meta && /^[^\x00-\x1f\x7f]/.test(sequence);
  const known = name === 'undefined' ? '' : name;
  const modified = known === '' ? '' : `${ctrl ? 'ctrl+' : ''}${meta ? 'alt+' : ''}${known}`;
  return { sequence, name: modified, text: isText ? sequence : '' };
}

/** Escape, which node:readline reports only after a pause. */
export const ESCAPE_KEY: TypedKey = { sequence: '\x1b', name: 'escape', text: '' };

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
