import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFetch } from '../../lib/server/own-fetch.ts';
import { type CertificateFiles, hasOpenssl, makeCertificate } from '../support/certificate.ts';

/** Answers with the request that it received. */
async function served({ cert, key }: CertificateFiles) {
  const seen: unknown[] = [];
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push(body);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method: request.method, authorization: request.headers.authorization, body }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, address, [Symbol.dispose]: () => void server.close() };
}

(hasOpenssl ? describe : describe.skip)('a program of this machine (needs openssl)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-own-fetch-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const asking = { method: 'POST', headers: { authorization: 'Bearer t' }, body: '{"a":1}' };

  it('the fetch accepts the server with the given certificate, whatever name the certificate has', async () => {
    const files = makeCertificate(directory, 'DNS:ollm.example');
    using server = await served(files);
    const fetch = await ownFetch({ certificate: readFileSync(files.cert, 'latin1') });
    const answer = await fetch(`${server.address}/x`, asking);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ method: 'POST', authorization: 'Bearer t', body: '{"a":1}' });
  });

  it('the fetch sends nothing to a server with a different certificate', async () => {
    const [ours, theirs] = ['ours', 'theirs'].map((name) => makeCertificate(directory, 'IP:127.0.0.1', name));
    using server = await served(theirs!);
    const fetch = await ownFetch({ certificate: readFileSync(ours!.cert, 'latin1') });
    await expect(fetch(server.address, asking)).rejects.toThrow(/certificate/);
    expect(server.seen).toEqual([]);
  });
});
