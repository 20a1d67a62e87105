// A GET request for a page: no credentials, no cookies, no redirect, at most `maxBytes`. The connection goes to the
// addresses that were checked, whatever the name resolves to a moment later.
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { unlessAborted } from '../../platform/waiting.ts';
import { ToolFailure } from '../tool.ts';
import { isPublicAddress } from './public-address.ts';

/** The addresses of a host. Rejects where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

interface GetOptions {
  readonly signal: AbortSignal;
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Media types that are wanted, as the header has them. */
  readonly accept: string;
  /** Whether the host may be on this machine or in a private network. */
  readonly mayBePrivate: boolean;
  readonly resolve?: Resolve | undefined;
}

export interface Page {
  readonly status: number;
  /** `text/html`; empty where the server names none. */
  readonly mediaType: string;
  readonly charset: string | undefined;
  /** Where a redirect leads. */
  readonly location: string | undefined;
  readonly body: Uint8Array;
  /** Whether the server sent more than `body` holds. */
  readonly isCut: boolean;
}

/** @throws ToolFailure: the reason why the page could not be read; and the reason of the signal */
export async function getPage(url: URL, options: GetOptions): Promise<Page> {
  const { signal, timeoutMs } = options;
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, limit]);
  try {
    const addresses = await unlessAborted(checkedAddresses(url, options), stop);
    const response = await ask(url, addresses, options.accept, stop);
    return { ...headOf(response), ...(await bodyOf(response, options.maxBytes)) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolFailure) throw error;
    if (limit.aborted) throw new ToolFailure(`${url.host} took longer than ${timeoutMs / 1000} seconds.`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ToolFailure(`${url.host} could not be read: ${code ?? message}.`);
  }
}

async function checkedAddresses(url: URL, { resolve = addressesOf, mayBePrivate }: GetOptions): Promise<string[]> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const all = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
  const reached = all.filter((address) => isIP(address) !== 0 && (mayBePrivate || isPublicAddress(address)));
  if (reached.length > 0) return reached;
  throw new ToolFailure(
    `${url.host} is on this machine or in a private network, which is not fetched from. tools.web.privateHosts in the user's config.yaml opens a host.`,
  );
}

async function addressesOf(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function ask(url: URL, addresses: readonly string[], accept: string, signal: AbortSignal): Promise<IncomingMessage> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const toChecked: LookupFunction = (_hostname, { all }, done) => {
    if (all) done(null, found);
    else done(null, found[0]!.address, found[0]!.family);
  };
  const headers = { accept, 'accept-encoding': 'gzip, br', 'user-agent': 'ollm' };
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // A connection of its own: one that is kept could be to an address that was not checked.
    request(url, { agent: false, lookup: toChecked, headers, signal })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

function headOf({ statusCode = 0, headers }: IncomingMessage): Omit<Page, 'body' | 'isCut'> {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = parameters.map((each) => /^\s*charset="?([\w.:-]{1,40})"?\s*$/i.exec(each)?.[1]).find(Boolean);
  return { status: statusCode, mediaType: mediaType.trim().toLowerCase(), charset, location: headers.location };
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Pick<Page, 'body' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of unpacked(response)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) break;
    }
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

function unpacked(response: IncomingMessage): AsyncIterable<Buffer> {
  const coding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding === 'identity') return response;
  const unpack = coding === 'br' ? createBrotliDecompress() : createUnzip();
  response.on('error', (error) => unpack.destroy(error));
  return response.pipe(unpack);
}
