// Whether a password or a token goes over a network in the clear. An nkey and a credentials file only sign the server's
// challenge, so they reveal nothing that another program could use.
import type { NatsPlace } from './connection.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** False also where the connection is encrypted, or stays on this machine. */
export function isPasswordOpen({
  servers,
  credentials,
  tls,
}: Pick<NatsPlace, 'servers' | 'credentials' | 'tls'>): boolean {
  const isShown = credentials?.user !== undefined || credentials?.token !== undefined;
  if (!isShown || tls !== undefined) return false;
  return servers.some((server) => {
    const url = URL.parse(server);
    return url === null || (url.protocol !== 'tls:' && !LOOPBACK.test(url.hostname.toLowerCase()));
  });
}
