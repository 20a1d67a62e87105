// An answer in pieces: no more is made than the client takes.
export interface StreamOptions {
  readonly type: string;
  /** Under which it is saved. */
  readonly name: string;
  readonly isHead: boolean;
}

/** The first piece is made before the answer begins, so that what fails at once has its status. */
export async function streamed(
  pieces: AsyncIterable<Uint8Array>,
  { type, name, isHead }: StreamOptions,
): Promise<Response> {
  const source = pieces[Symbol.asyncIterator]();
  const first = await source.next();
  const headers = {
    'content-type': type,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'no-store',
  };
  if (isHead) await source.return?.();
  if (isHead || first.done) return new Response(null, { headers });
  let held: Uint8Array | undefined = first.value;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = held === undefined ? await source.next() : { done: false, value: held };
        held = undefined;
        if (next.done) controller.close();
        // The maker may use the memory of a piece again.
        else controller.enqueue(Uint8Array.from(next.value));
      },
      async cancel() {
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers });
}
