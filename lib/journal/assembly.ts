// What of WebAssembly is used here, with its types: they come with those of browsers, which are not asked for. Says in one
// sentence what is missing where it cannot run.
import { endianness } from 'node:os';

interface Assembly {
  readonly Module: new (bytes: Uint8Array) => object;
  /** Sizes in pages of 64 kB. */
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum?: number;
  }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly?: Assembly };

if (WebAssembly === undefined) {
  throw new Error(
    'ollm needs WebAssembly, and this Node was started without it: leave out --jitless (see NODE_OPTIONS).',
  );
}
// Its memory is in this order everywhere; the arrays that JavaScript sees it through are in the processor's own.
if (endianness() !== 'LE') throw new Error('ollm runs on processors that put the lowest byte of a number first alone.');

export const { Instance, Memory } = WebAssembly;
const { Module } = WebAssembly;

/** Compiles what .ci/assemble.ts made of a file of assembly/. */
export function moduleOf(base64: string): object {
  try {
    return new Module(Buffer.from(base64, 'base64'));
  } catch (cause) {
    throw new Error('ollm needs WebAssembly with SIMD, which this processor, or this Node, does not have.', { cause });
  }
}
