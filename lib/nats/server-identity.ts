// Whether a certificate is of a server that was named. The client hands Node the name of a host, and of a server that
// is named by its address it hands nothing: Node then asks for a certificate of localhost.
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

const NODE_WITHOUT_NAME = 'localhost';

/** For the `tls` options of the client. `servers`: such as `tls://10.0.0.7:4222`. */
export function identityCheckFor(servers: readonly string[]) {
  const hosts = servers.map((server) => new URL(server).hostname.replace(/^\[|\]$/g, ''));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    const error = checkServerIdentity(host, certificate);
    if (error === undefined || host !== NODE_WITHOUT_NAME || hosts.includes(host)) return error;
    const errors = addresses.map((address) => checkServerIdentity(address, certificate));
    return errors.includes(undefined) ? undefined : (errors[0] ?? error);
  };
}
