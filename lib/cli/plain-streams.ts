// Standard output and error of a short command, where they lead to no terminal: text is written at once. Node's own
// streams load a dozen modules, a seventh of the time that an empty Node takes to start. Parts of Node are obtained at
// run time: an import costs more.
const { EventEmitter } = process.getBuiltinModule('node:events');
const { fstatSync, statSync, writeSync } = process.getBuiltinModule('node:fs');

type Written = (error: Error | null) => void;

/** As much of a stream as results, notes and help need. */
class PlainStream extends EventEmitter {
  readonly fd: number;
  /** Read by the console. */
  readonly _writableState = { errorEmitted: false };
  readonly #open: () => NodeJS.WriteStream;
  /** Node's own one: a pipe that another program has made non-blocking can be full. */
  #own: NodeJS.WriteStream | undefined;

  constructor(fd: number, open: () => NodeJS.WriteStream) {
    super();
    this.fd = fd;
    this.#open = open;
  }

  get writableLength(): number {
    return this.#own?.writableLength ?? 0;
  }

  write(chunk: string | Uint8Array, encoding?: BufferEncoding | Written, callback?: Written): boolean {
    const written = typeof encoding === 'function' ? encoding : callback;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let at = 0;
    try {
      while (this.#own === undefined && at < bytes.length) at += writeSync(this.fd, bytes, at);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'EAGAIN') {
        process.nextTick(() => {
          written?.(error as Error);
          this.emit('error', error);
        });
        return true;
      }
      this.#own = this.#open();
      for (const name of ['drain', 'close', 'error']) this.#own.on(name, (...values) => this.emit(name, ...values));
    }
    if (this.#own !== undefined) return this.#own.write(bytes.subarray(at), (error) => written?.(error ?? null));
    if (written !== undefined) process.nextTick(written, null);
    return true;
  }
}

/** Puts them in the place of Node's streams. On a terminal these stay. */
export function usePlainStreams(): void {
  for (const [name, fd] of [
    ['stdout', 1],
    ['stderr', 2],
  ] as const) {
    const { get } = Object.getOwnPropertyDescriptor(process, name) ?? {};
    if (get === undefined || !leadsToBytes(fd)) continue;
    const value = new PlainStream(fd, () => get.call(process) as NodeJS.WriteStream);
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
  }
}

/** Into a file, a pipe or the null device. On Windows not even files are sure to be written at once. */
function leadsToBytes(fd: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    const stat = fstatSync(fd);
    const isNull = () => stat.isCharacterDevice() && stat.rdev === statSync('/dev/null').rdev;
    return stat.isFile() || stat.isFIFO() || stat.isSocket() || isNull();
  } catch {
    return false;
  }
}
