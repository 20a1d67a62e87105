// A front of the model server for Codex, whose protocol names the server of a tool apart from the tool: the calls of
// `name` get that namespace on their way.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address of the front. */
export async function withNamespace(
  url: string,
  { name, namespace }: Readonly<Record<'name' | 'namespace', string>>,
): Promise<string> {
  const called = `"name":${JSON.stringify(name)}`;
  const front = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? null : Buffer.concat(chunks);
    const method = request.method ?? 'GET';
    const answer = await fetch(`${url}${request.url}`, {
      method,
      body,
      headers: { 'content-type': 'application/json' },
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end((await answer.text()).replaceAll(called, `${called},"namespace":${JSON.stringify(namespace)}`));
  });
  await new Promise<void>((ready) => front.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}
