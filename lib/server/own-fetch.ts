// Requests of programs of this machine to a server of their own home that speaks HTTPS: its certificate names the host
// that browsers use, not this machine, and often no authority vouches for it. The server that was announced has exactly
// the certificate that it announced; to any other nothing is sent, not even the token.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Announced } from '../host/server-file.ts';

/** Supports only requests of ollm's client: a text as body, and an answer that is read whole. */
export async function ownFetch({ certificate }: Pick<Announced, 'certificate'>): Promise<typeof globalThis.fetch> {
  if (certificate === undefined) return globalThis.fetch;
  const { request } = await import('node:https');
  const { fingerprint256 } = new X509Certificate(certificate);
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = request(new URL(String(input)), {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        signal: signal ?? undefined,
        ca: certificate,
        allowPartialTrustChain: true,
        checkServerIdentity: (_host, peer) => (peer.fingerprint256 === fingerprint256 ? undefined : otherServer()),
      });
      asking.once('response', resolve).once('error', reject);
      asking.end(typeof body === 'string' ? body : undefined);
    });
    const pieces: Uint8Array[] = await answer.toArray();
    const type = answer.headers['content-type'];
    return new Response(Buffer.concat(pieces), {
      status: answer.statusCode ?? 500,
      headers: type === undefined ? {} : { 'content-type': type },
    });
  };
}

function otherServer(): Error {
  return new Error('The certificate is not that of the server that was announced.');
}
