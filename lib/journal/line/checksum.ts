// The checksum of a line: XXH64 with seed 0, as sixteen hex digits, the way `xxh64sum` prints it. It finds accidents,
// not attackers. The WebAssembly of xxhash-wasm is loaded synchronously, so that a program can `require` this one. Its
// memory holds one slice: long input is hashed slice by slice.
import { XXHASH_WASM } from './xxhash.generated.ts';

/** Addresses are bytes of the memory. */
interface Xxhash {
  readonly mem: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  xxh64(input: number, bytes: number, seed: bigint): bigint;
  init64(state: number, seed: bigint): void;
  update64(state: number, input: number, bytes: number): void;
  digest64(state: number): bigint;
}

const SLICE_BYTES = 1024 * 1024;
const STATE_BYTES = 88;
const PAGE_BYTES = 65_536;
const SEED = 0n;

/** Which the types of Node leave out. */
interface WebAssemblyOfNode {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

interface Hasher {
  readonly hash: Xxhash;
  readonly memory: Uint8Array;
}

let loaded: Hasher | undefined;

/** Compiled when it is first needed: a program that only lists or searches has no checksum to compute. */
function hasher(): Hasher {
  loaded ??= load();
  return loaded;
}

function load(): Hasher {
  const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyOfNode }).WebAssembly;
  const hash = new Instance(new Module(Buffer.from(XXHASH_WASM, 'base64'))).exports as Xxhash;
  hash.mem.grow(Math.ceil((STATE_BYTES + SLICE_BYTES) / PAGE_BYTES) - hash.mem.buffer.byteLength / PAGE_BYTES);
  return { hash, memory: new Uint8Array(hash.mem.buffer) };
}

/** Sixteen lower-case hex digits. */
export function checksum(bytes: Uint8Array): string {
  if (bytes.length > SLICE_BYTES) return new RunningChecksum().add(bytes).digits;
  const { hash, memory } = hasher();
  memory.set(bytes, STATE_BYTES);
  return toHex(hash.xxh64(STATE_BYTES, bytes.length, SEED));
}

/** A checksum of bytes that are added piece by piece. */
export class RunningChecksum {
  readonly #state: Uint8Array;

  constructor() {
    const { hash, memory } = hasher();
    memory.fill(0, 0, STATE_BYTES);
    hash.init64(0, SEED);
    this.#state = memory.slice(0, STATE_BYTES);
  }

  add(bytes: Uint8Array): this {
    const { hash, memory } = hasher();
    memory.set(this.#state);
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      const slice = bytes.subarray(start, start + SLICE_BYTES);
      memory.set(slice, STATE_BYTES);
      hash.update64(0, STATE_BYTES, slice.length);
    }
    this.#state.set(memory.subarray(0, STATE_BYTES));
    return this;
  }

  /** The checksum of all bytes that were added. */
  get digits(): string {
    const { hash, memory } = hasher();
    memory.set(this.#state);
    return toHex(hash.digest64(0));
  }
}

function toHex(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(16, '0');
}
