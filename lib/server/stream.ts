// An answer in pieces: no more is made than the client takes.
interface StreamOptions {
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
  return answerOf(pieces, { isHead, headers: { 'content-type': type, 'content-disposition': attachment(name) } });
}

/** A list in the envelope of every answer, each piece one of its elements. */
export async function streamedList(
  member: string,
  elements: AsyncIterable<Uint8Array>,
  { isHead }: Pick<StreamOptions, 'isHead'>,
): Promise<Response> {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return answerOf(listed(member, elements), { isHead, headers });
}

async function* listed(member: string, elements: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const beginning = `{"success":true,"data":{${JSON.stringify(member)}:[`;
  let before = beginning;
  for await (const element of elements) {
    yield Buffer.concat([Buffer.from(before), element]);
    before = ',';
  }
  yield Buffer.from(before === beginning ? `${beginning}]}}` : ']}}');
}

function attachment(name: string): string {
  return `attachment; filename="${name}"`;
}

async function answerOf(
  pieces: AsyncIterable<Uint8Array>,
  { headers: own, isHead }: Pick<StreamOptions, 'isHead'> & { readonly headers: Readonly<Record<string, string>> },
): Promise<Response> {
  const source = pieces[Symbol.asyncIterator]();
  const first = await source.next();
  const headers = { ...own, 'cache-control': 'no-store' };
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
