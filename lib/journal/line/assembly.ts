// What of WebAssembly is used here, with its types: they come with those of browsers, which are not asked for. Says in one
// sentence what is missing where it cannot run.
import { endianness } from 'node:os';
import { OllmError } from '../../errors/index.ts';

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
  throw new OllmError('NODE_UNFIT', 'There is no WebAssembly, which ollm needs: this Node was started without it.', {
    hint: 'Leave out --jitless; it may stand in NODE_OPTIONS.',
  });
}
// Its memory is in this order everywhere; the arrays that JavaScript sees it through are in the processor's own.
if (endianness() !== 'LE') {
  throw new OllmError('NODE_UNFIT', 'This processor puts the highest byte of a number first, where ollm does not run.');
}

export const { Instance, Memory } = WebAssembly;
const { Module } = WebAssembly;

/** Compiles what .ci/assemble.ts made of a file of assembly/. */
export function moduleOf(base64: string): object {
  try {
    return new Module(Buffer.from(base64, 'base64'));
  } catch (cause) {
    throw new OllmError(
      'NODE_UNFIT',
      'There is no WebAssembly with SIMD, which ollm needs: this processor, or this Node, does not have it.',
      { cause },
    );
  }
}
