// The server as a program of its own: a host and what serves it, opened and closed together.
import { openHost } from '../host/open-host.ts';
import type { HostOptions } from '../host/types.ts';
import { type RunningServer, type ServeOptions, startServer } from './serve.ts';
import { keepYoungHeapSmall } from './young-heap.ts';

/** @throws OllmError as `openHost` and `startServer` */
export async function serve(from: HostOptions, options: ServeOptions): Promise<RunningServer> {
  keepYoungHeapSmall();
  const host = await openHost(from);
  try {
    return await startServer(host, options);
  } catch (error) {
    await host.close();
    throw error;
  }
}
