// Typed bytes as keys, told apart by node:readline.
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

  /** Like `read`, with Escape as a key of its own: with the character after it, it begins no longer key. */
  readWithEscape(text: string): readonly TypedKey[] {
    const [escapes = ''] = /\x1b*$/.exec(text) ?? [];
    const keys = this.read(text.slice(0, text.length - escapes.length)).flatMap((key) => {
      const isEscape = /^\x1b[^[O\r\n]/.test(key.sequence);
      return isEscape ? [ESCAPE_KEY, ...this.readWithEscape(key.sequence.slice(1))] : [key];
    });
    return [...keys, ...Array.from(escapes, () => ESCAPE_KEY)];
  }
}

function typedKey({ sequence = '', name = '', ctrl = false, meta = false }: ReadlineKey): TypedKey {
  const isText = !ctrl && !meta && /^[^\x00-\x1f\x7f]/.test(sequence);
  const known = name === 'undefined' ? '' : name;
  const modified = known === '' ? '' : `${ctrl ? 'ctrl+' : ''}${meta ? 'alt+' : ''}${known}`;
  return { sequence, name: modified, text: isText ? sequence : '' };
}

/** Escape, which node:readline reports only after a pause. */
const ESCAPE_KEY: TypedKey = { sequence: '\x1b', name: 'escape', text: '' };
