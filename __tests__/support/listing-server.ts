// A server on 127.0.0.1 that lists models as OpenAI's protocol does, and keeps the requests that it got.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListingServer extends AsyncDisposable {
  /** Ends in /v1. */
  readonly address: string;
  readonly port: number;
  /** Method, path and headers of each request. */
  readonly requests: readonly Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
}

export async function listModelsHere(names: readonly string[]): Promise<ListingServer> {
  const requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    requests.push({ method, url, headers });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
