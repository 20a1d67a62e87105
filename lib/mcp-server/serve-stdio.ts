// The server on standard input and output, as agents start it.
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import type { App } from '../app/app.ts';
import { onAbort } from '../platform/waiting.ts';
import type { ServedScope } from './client-scope.ts';
import { makeServer, servedTools } from './server.ts';

/** Until the client closes standard input, or `signal` is aborted. */
export async function serveStdio(app: App, scope: ServedScope, signal: AbortSignal): Promise<void> {
  const tools = await servedTools(app, scope);
  const handle = serve(() => makeServer(app, scope, tools), {
    onerror: (error) =>
      app.log.warn({ service: 'mcp-server', operation: 'serve', error }, 'A message was not understood'),
  });
  await new Promise<void>((resolve) => {
    onAbort(signal, resolve);
    // The end of standard output pauses standard input, of which nothing more is heard.
    for (const event of ['end', 'close', 'pause']) process.stdin.once(event, resolve);
  });
  await handle.close();
}
