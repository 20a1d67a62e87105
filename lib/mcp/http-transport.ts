// The way to a server at an address: https, or this machine. Its token goes only to that origin; a redirect elsewhere
// fails the request. Each message from the server is bounded in size.
import type { Transport } from '@modelcontextprotocol/client';
import type { Launch } from './server-settings.ts';

interface HttpOptions extends Omit<Extract<Launch, { readonly kind: 'address' }>, 'kind'> {
  readonly maxMessageBytes: number;
}

const LINE_FEED = 0x0a;

export async function createHttpTransport({
  url,
  token,
  headers: others,
  isStreamOnly,
  maxMessageBytes,
}: HttpOptions): Promise<Transport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const headers = { ...others, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const common = {
    requestInit: { headers },
    redirectPolicy: 'same-origin' as const,
    fetch: async (input: string | URL, init?: RequestInit) => bounded(await fetch(input, init), maxMessageBytes),
  };
  if (isStreamOnly) return new SSEClientTransport(url, common);
  return new StreamableHTTPClientTransport(url, {
    ...common,
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
}

/** A stream of events is bounded by the line, which holds a message; anything else as a whole. */
function bounded(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let length = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const lineEnd = isStream ? chunk.lastIndexOf(LINE_FEED) : -1;
        length = lineEnd === -1 ? length + chunk.length : chunk.length - lineEnd - 1;
        if (length > maxBytes) throw new Error(`The server sent a message of more than ${maxBytes} bytes.`);
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const copy = new Response(counted, { status, statusText, headers });
  // A response that was made has no address, and the SDK asks where it came from.
  Object.defineProperty(copy, 'url', { value: response.url });
  Object.defineProperty(copy, 'redirected', { value: response.redirected });
  return copy;
}
