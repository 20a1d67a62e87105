// The terminal as node:readline gets to see it: keys when they are meant for it, and a new width while it has something
// to draw. The real one stays in the hands of the line editor.
import { Readable, Writable } from 'node:stream';

/** What readline takes for its terminal: it gets the keys that are meant for it, when they are. */
export class KeySource extends Readable {
  readonly isTTY = true;
  readonly #terminal: NodeJS.ReadStream;

  constructor(terminal: NodeJS.ReadStream) {
    super();
    this.#terminal = terminal;
  }

  override _read(): void {}

  setRawMode(mode: boolean): this {
    if (this.#terminal.isTTY) this.#terminal.setRawMode(mode);
    return this;
  }

  /** Synchronous: when it returns, readline has taken the keys. */
  feed(text: string): void {
    this.emit('data', text);
  }
}

/** The terminal as readline sees it. It hears of a new width only while it has something to draw. */
export function createSink(output: NodeJS.WriteStream): Writable {
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      output.write(chunk);
      done();
    },
  });
  Object.defineProperty(sink, 'columns', { get: () => output.columns });
  return sink;
}
