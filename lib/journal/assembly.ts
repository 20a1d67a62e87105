// What of WebAssembly is used here, with its types: they come with those of browsers, which are not asked for.

export const { Instance, Memory, Module } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Module: new (bytes: Uint8Array) => object;
      /** Sizes in pages of 64 kB. */
      readonly Memory: new (size: {
        readonly initial: number;
        readonly maximum?: number;
      }) => { readonly buffer: ArrayBuffer };
      readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
    };
  }
).WebAssembly;
