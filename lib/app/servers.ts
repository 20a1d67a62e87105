// The store on servers of NATS, as the settings describe it: address, tenant, credentials from a file, certificates.
import { join } from 'node:path';
import type { ResolvedConfig } from '../config/types.ts';
import { OllmError, systemErrorCode } from '../errors/index.ts';
import { loadClient } from '../nats/client.ts';
import type { Credentials, NatsPlace } from '../nats/connection.ts';
import { type NatsStore, openNatsStore } from '../nats/nats-store.ts';
import { readFile } from '../platform/files/io.ts';
import { ownershipProblem } from '../platform/files/ownership.ts';
import type { App } from './app.ts';

export type ServerParts = Pick<App, 'fileSystem' | 'clock' | 'ids' | 'process' | 'log'> & {
  readonly home: string;
  readonly settings: ResolvedConfig['nats'];
};

const ADDRESS = /^((?:nats|tls):\/\/[^/\s]+)(?:\/([a-z0-9-]{1,32}))?$/;
const DEFAULT_TENANT = 'default';

/**
 * Opens the store at an address; nothing is connected yet.
 * @throws OllmError CONFIG_INVALID: the address or the credentials cannot be used
 */
export function openServerStore(address: string, parts: ServerParts): NatsStore {
  const { clock, ids, process, log, home } = parts;
  const place = placeAt(address, parts);
  // The user installs the client there, because ollm does not bring it.
  const folders = [join(home, 'nats')];
  return openNatsStore({ clock, ids, process, log }, { place, client: () => loadClient(folders) });
}

function placeAt(address: string, parts: ServerParts): NatsPlace {
  const [, base = '', tenant = DEFAULT_TENANT] = ADDRESS.exec(address) ?? [];
  if (base === '') {
    throw new OllmError('CONFIG_INVALID', `${JSON.stringify(address)} is not the address of a store.`, {
      hint: 'Write nats://HOST:PORT, or nats://HOST:PORT/TENANT.',
    });
  }
  const [scheme, hosts = ''] = base.split('://');
  const servers = hosts.split(',').map((host) => `${scheme}://${host}`);
  const { credentialsFile, replicas, caFile, certFile, keyFile } = parts.settings;
  const read = (path: string | undefined) => (path === undefined ? undefined : textOf(path, parts));
  const [ca, cert, key] = [read(caFile), read(certFile), read(keyFile)];
  const hasTls = scheme === 'tls' || ca !== undefined || cert !== undefined;
  return {
    servers,
    tenant,
    replicas,
    credentials: credentialsFile === undefined ? undefined : credentialsIn(credentialsFile, parts),
    ...(hasTls && { tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } }),
  };
}

function credentialsIn(path: string, parts: ServerParts): Credentials {
  const stat = parts.fileSystem.stat(path);
  const problem = stat && ownershipProblem(stat, parts.process.uid);
  if (problem) {
    throw new OllmError('CONFIG_INVALID', `The credentials in ${path} ${problem.words}.`, {
      hint: `chmod 600 ${path}`,
      data: { path },
    });
  }
  const text = textOf(path, parts).trim();
  if (text.includes('BEGIN NATS USER JWT')) return { credentials: Buffer.from(text) };
  if (/^SU[A-Z2-7]{56}$/.test(text)) return { nkey: Buffer.from(text) };
  const [, name, password] = /^([^\s:]+):(\S+)$/.exec(text) ?? [];
  if (name !== undefined && password !== undefined) return { user: { name, password } };
  throw new OllmError('CONFIG_INVALID', `${path} has no credentials that ollm knows.`, {
    hint: 'Put in it what "nsc generate creds" prints, the seed of a user nkey (SU…), or one line user:password.',
    data: { path },
  });
}

function textOf(path: string, { fileSystem }: ServerParts): string {
  try {
    return Buffer.from(readFile(fileSystem, path)).toString();
  } catch (error) {
    throw new OllmError('CONFIG_INVALID', `${path} cannot be read (${systemErrorCode(error) ?? 'unknown'}).`, {
      hint: 'Check the setting of nats that names it.',
      data: { path },
      cause: error,
    });
  }
}
