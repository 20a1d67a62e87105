// The store on servers of NATS, as the settings describe it: address, tenant, credentials from a file, certificates.
import { join } from 'node:path';
import type { ResolvedConfig } from '../../config/types.ts';
import { shownAddress } from '../../environment/shown-words.ts';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { loadClient } from '../../nats/client.ts';
import type { NatsCredentials, NatsPlace } from '../../nats/connection.ts';
import { type NatsStore, openNatsStore } from '../../nats/nats-store.ts';
import { readFile } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import type { App } from '../app.ts';

export type ServerParts = Pick<App, 'fileSystem' | 'clock' | 'ids' | 'process' | 'log'> & {
  readonly home: string;
  readonly settings: ResolvedConfig['nats'];
};

const ADDRESS = /^((?:nats|tls):\/\/[^/\s]+)(?:\/([a-z0-9-]{1,32}))?$/;
const DEFAULT_TENANT = 'default';
const OPEN_TO_OTHERS = 0o077;

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
    throw new OllmError('CONFIG_INVALID', `${JSON.stringify(shownAddress(address))} is not the address of a store.`, {
      hint: 'Write nats://HOST:PORT, or nats://HOST:PORT/TENANT.',
    });
  }
  const [scheme, hosts = ''] = base.split('://');
  if (hosts.includes('@')) {
    throw new OllmError(
      'CONFIG_INVALID',
      `The address ${JSON.stringify(shownAddress(address))} holds a name or a password.`,
      {
        hint: 'Put them into a file that only you can read, and name that in nats.credentialsFile.',
      },
    );
  }
  const servers = hosts.split(',').map((host) => `${scheme}://${host}`);
  const { credentialsFile, replicas, caFile, certFile, keyFile } = parts.settings;
  const [ca, cert, key] = [certificateIn(caFile, parts), certificateIn(certFile, parts), privateKeyIn(keyFile, parts)];
  if ((cert === undefined) !== (key === undefined)) {
    throw new OllmError('CONFIG_INVALID', 'Of nats.certFile and nats.keyFile there is only one.', {
      hint: 'A certificate is shown together with its key: name both, or neither.',
    });
  }
  const hasTls = scheme === 'tls' || ca !== undefined || cert !== undefined;
  return {
    servers,
    tenant,
    replicas,
    credentials: credentialsFile === undefined ? undefined : credentialsIn(credentialsFile, parts),
    ...(hasTls && { tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } }),
  };
}

const SEED = /^S[A-Z][A-Z2-7]{56}$/;
const USER_SEED = /^SU/;

function credentialsIn(path: string, parts: ServerParts): NatsCredentials {
  refuseOpenToOthers(path, parts);
  const text = textOf(path, parts).trim();
  // The client reads it only with the last line end.
  if (text.includes('BEGIN NATS USER JWT')) return { credentials: Buffer.from(`${text}\n`) };
  if (SEED.test(text) && USER_SEED.test(text)) return { nkey: Buffer.from(text) };
  const [, name, password] = /^([^\s:]+):(\S+)$/.exec(text) ?? [];
  if (name !== undefined && password !== undefined) return { user: { name, password } };
  // A seed of an account, or a JWT without its seed, is never sent.
  if (/^[^\s:]+$/.test(text) && !SEED.test(text) && !text.startsWith('eyJ')) return { token: text };
  throw new OllmError('CONFIG_INVALID', `${path} has no credentials that ollm knows.`, {
    hint: 'Put in it what "nsc generate creds" prints, the seed of a user nkey (SU…), one line user:password, or a token.',
    data: { path },
  });
}

/** A file with credentials must be readable only by this user. */
function refuseOpenToOthers(path: string, { fileSystem, process: { uid } }: ServerParts): void {
  const stat = fileSystem.stat(path);
  if (stat === undefined || uid === undefined) return;
  const problem = ownershipProblem(stat, uid);
  const words = problem?.words ?? ((stat.mode & OPEN_TO_OTHERS) === 0 ? undefined : 'can be read by other users');
  if (words === undefined) return;
  throw new OllmError('CONFIG_INVALID', `${path} ${words}, and it contains credentials.`, {
    hint: problem?.kind === 'foreign' ? 'Use a copy of your own.' : `chmod 600 ${path}`,
    data: { path },
  });
}

/** @throws OllmError CONFIG_INVALID */
function certificateIn(path: string | undefined, parts: ServerParts): string | undefined {
  if (path === undefined) return undefined;
  const text = textOf(path, parts);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new OllmError('CONFIG_INVALID', `${path} has no certificate.`, {
    hint: 'It must be PEM: the lines from BEGIN CERTIFICATE to END CERTIFICATE.',
    data: { path },
  });
}

function privateKeyIn(path: string | undefined, parts: ServerParts): string | undefined {
  if (path === undefined) return undefined;
  refuseOpenToOthers(path, parts);
  return textOf(path, parts);
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
