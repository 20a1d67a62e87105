// Whether a program listens at an address: the kernel accepts or refuses a local connection immediately, however busy
// the program is. So a refusal needs no wait, and an acceptance is a reason to wait for the answer.
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Limit for addresses that neither accept nor refuse, such as a host that a firewall shields. */
const CONNECT_MS = 2_000;

/** Never rejects. */
export async function acceptsConnections(url: string, signal?: AbortSignal): Promise<boolean> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  const end = () => resolve(false);
  socket.once('connect', () => resolve(true)).once('error', end);
  // In a process that was busy, the timer may come before an event of the socket that has waited longer.
  const timer = setTimeout(async () => {
    await setImmediate();
    end();
  }, CONNECT_MS);
  signal?.addEventListener('abort', end, { once: true });
  try {
    return signal?.aborted ? false : await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    socket.on('error', () => {}).destroy();
  }
}
