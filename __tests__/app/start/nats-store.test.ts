// The store on servers as the settings describe it: every kind of credentials and certificates, from files, against a
// real server; and for each that does not do, what to do.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServerStore, type ServerParts } from '../../../lib/app/start/nats-store.ts';
import type { OllmError } from '../../../lib/errors/index.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../../lib/platform/index.ts';
import { CREATED, read, say } from '../../journal/store.contract.ts';
import {
  createCertificates,
  createOperator,
  missingOpenssl,
  type Operator,
  userNkey,
} from '../../support/nats-identities.ts';
import { describeWithServer, linkClient, type NatsServer, startNatsServer } from '../../support/nats-server.ts';
import { newTenant } from '../../support/nats-store.ts';

let directory: string;
const files: string[] = [];
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ollm-servers-'));
  linkClient(directory);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A file that only this user can read. */
function file(text: string, mode = 0o600): string {
  const path = join(directory, `file-${files.length}`);
  files.push(path);
  writeFileSync(path, text, { mode });
  return path;
}

const opened: ReturnType<typeof openServerStore>[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.disconnect();
});

function open(address: string, settings: Partial<ServerParts['settings']> = {}) {
  const store = openServerStore(address, {
    fileSystem: nodeFileSystem,
    clock: systemClock,
    ids: systemIds,
    process: thisProcess('a test'),
    log: silentLog,
    home: directory,
    settings: { replicas: 1, ...settings },
  });
  opened.push(store);
  return store;
}

/** Prepares, writes and reads a session. Undefined, or how that was refused. */
async function refusalOf(address: string, settings: Partial<ServerParts['settings']> = {}) {
  try {
    const store = open(`${address}/${newTenant()}`, settings);
    await store.prepare();
    const writer = await store.create('one', CREATED);
    await writer.append(say('hello'));
    await writer.close();
    expect(await read(store, 'one')).toEqual(['hello']);
    return undefined;
  } catch (error) {
    const { code, message, hint } = error as OllmError;
    return { code, message, hint };
  }
}

const hinting = (code: string, hint: string) => ({ code, hint: expect.stringContaining(hint) });

it.each(['nats://me:s3cret@127.0.0.1:9', 'nats://127.0.0.1:9,s3cret@127.0.0.1:8', 'nats//me:s3cret@127.0.0.1'])(
  'the address %s is refused without its password',
  (address) => {
    expect(() => open(address)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringContaining('s3cret') }),
    );
  },
);

describe('the file with the credentials', () => {
  const refused = (path: string) => () => open('nats://127.0.0.1:9', { credentialsFile: path });

  it('must be readable only by its user', () => {
    const readable = file('me:secret');
    chmodSync(readable, 0o644);
    expect(refused(readable)).toThrow(expect.objectContaining(hinting('CONFIG_INVALID', `chmod 600 ${readable}`)));
    chmodSync(readable, 0o620);
    expect(refused(readable)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    chmodSync(readable, 0o600);
    expect(refused(readable)).not.toThrow();
  });

  it.each([
    ['nothing', ''],
    ['several words', 'me and you'],
    ['the seed of an account', `SA${'A'.repeat(56)}`],
    ['a JWT without its seed', 'eyJ0eXAiOiJKV1QifQ.e30.x'],
  ])('that has %s is refused with a description of its contents', (_, text) => {
    expect(refused(file(text))).toThrow(expect.objectContaining(hinting('CONFIG_INVALID', 'nsc generate creds')));
  });

  it('that is missing is named', () => {
    const path = join(directory, 'absent');
    expect(refused(path)).toThrow(expect.objectContaining({ message: expect.stringContaining(path) }));
  });
});

describe('the files with certificates', () => {
  const refused = (settings: Partial<ServerParts['settings']>) => () => open('tls://127.0.0.1:9', settings);

  it('must be PEM, a certificate needs its key, and the key must be private', () => {
    const empty = file('hello');
    expect(refused({ caFile: empty })).toThrow(expect.objectContaining(hinting('CONFIG_INVALID', 'PEM')));
    const certificate = file('-----BEGIN CERTIFICATE-----');
    expect(refused({ certFile: certificate })).toThrow(expect.objectContaining(hinting('CONFIG_INVALID', 'both')));
    const key = file('-----BEGIN PRIVATE KEY-----');
    chmodSync(key, 0o640);
    const shared = { certFile: certificate, keyFile: key };
    expect(refused(shared)).toThrow(expect.objectContaining(hinting('CONFIG_INVALID', 'chmod 600')));
  });
});

describeWithServer('a server with authentication', () => {
  const nkey = userNkey();
  const guarded = (lines: readonly string[]) => {
    const of: { server?: NatsServer } = {};
    beforeAll(async () => {
      of.server = await startNatsServer({ lines });
    });
    afterAll(() => of.server?.dispose());
    return of as { server: NatsServer };
  };

  describe('by password', () => {
    const of = guarded(['authorization { users: [{ user: me, password: secret }] }']);
    it('connects the holder of the right one, and refuses each other client with a hint', async () => {
      expect(await refusalOf(of.server.url, { credentialsFile: file('me:secret\n') })).toBeUndefined();
      expect(await refusalOf(of.server.url)).toMatchObject(hinting('STORE_REFUSED', 'nats.credentialsFile'));
      const wrong = await refusalOf(of.server.url, { credentialsFile: file('me:guess') });
      expect(wrong).toMatchObject(hinting('STORE_REFUSED', 'Check the file'));
      expect(JSON.stringify(wrong)).not.toContain('guess');
    });
  });

  describe('by token', () => {
    const of = guarded(['authorization { token: "open-sesame" }']);
    it('connects the holder of the right one, and refuses each other client with a hint', async () => {
      expect(await refusalOf(of.server.url, { credentialsFile: file('open-sesame\n') })).toBeUndefined();
      const wrong = await refusalOf(of.server.url, { credentialsFile: file('close-sesame') });
      expect(wrong).toMatchObject(hinting('STORE_REFUSED', 'Check the file'));
    });
  });

  describe('by nkey', () => {
    const of = guarded([`authorization { users: [{ nkey: ${nkey.publicKey} }] }`]);
    it('connects the holder of the right one, and refuses each other client with a hint', async () => {
      expect(await refusalOf(of.server.url, { credentialsFile: file(`${nkey.seed}\n`) })).toBeUndefined();
      const wrong = await refusalOf(of.server.url, { credentialsFile: file(userNkey().seed) });
      expect(wrong).toMatchObject(hinting('STORE_REFUSED', 'Check the file'));
      const mistyped = await refusalOf(of.server.url, { credentialsFile: file(`SU${'A'.repeat(56)}`) });
      expect(mistyped).toMatchObject(hinting('CONFIG_INVALID', 'nats.credentialsFile'));
    });
  });

  describe('by the credentials of an operator', () => {
    const operator: Operator = createOperator();
    const of = guarded(operator.lines);

    it('connects the users of a known account while their credentials are valid', async () => {
      expect(await refusalOf(of.server.url, { credentialsFile: file(operator.user()) })).toBeUndefined();
      for (const creds of [operator.stranger(), operator.user({ expires: Math.floor(Date.now() / 1000) - 60 })]) {
        const wrong = await refusalOf(of.server.url, { credentialsFile: file(creds) });
        expect(wrong).toMatchObject(hinting('STORE_REFUSED', 'Check the file'));
      }
      const halved = operator.user().split('-----BEGIN USER')[0]!;
      const broken = await refusalOf(of.server.url, { credentialsFile: file(halved) });
      expect(broken).toMatchObject(hinting('CONFIG_INVALID', 'nats.credentialsFile'));
    });

    it('keeps a user of one tenant out of a second tenant', async () => {
      const [own, foreign] = [newTenant(), newTenant()];
      for (const tenant of [own, foreign]) {
        const store = open(`${of.server.url}/${tenant}`, { credentialsFile: file(operator.user()) });
        await store.prepare();
        await (await store.create('one', CREATED)).close();
      }
      const credentialsFile = file(operator.user(tenantPermissions(own)));
      const store = open(`${of.server.url}/${own}`, { credentialsFile });
      const writer = await store.openWriter('one');
      await writer.append(say('mine'));
      await writer.close();
      await store.putBlob(Buffer.from('attached'));
      await store.writeDocument('one', 'state', '{}');
      expect(await read(store, 'one')).toEqual(['mine']);
      expect(await store.list()).toHaveLength(1);
      const { entry } = await store.trash('one');
      await store.purge(entry);
      expect(await store.sweep()).toEqual({ generations: 0, attachments: 0 });

      const other = open(`${of.server.url}/${foreign}`, { credentialsFile });
      await expect(other.list()).rejects.toMatchObject({ code: 'STORE_REFUSED' });
      await expect(other.prepare()).rejects.toMatchObject({ code: 'STORE_REFUSED' });
    });
  });
});

describeWithServer('a server with a certificate of its own authority', () => {
  const missing = missingOpenssl();
  if (missing !== undefined) {
    it.skip(`needs certificates, and ${missing}`, () => {});
    return;
  }
  let folder: string;
  const path = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ollm-certificates-'));
    createCertificates(folder, {
      server: 'subjectAltName=IP:127.0.0.1',
      elsewhere: 'subjectAltName=DNS:elsewhere.example',
      client: 'extendedKeyUsage=clientAuth',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function withServer(options: { name?: string; verify?: boolean }, work: (address: string) => Promise<void>) {
    const { name = 'server', verify = false } = options;
    const files = `cert_file: "${path(`${name}.pem`)}", key_file: "${path(`${name}.key`)}", ca_file: "${path('ca.pem')}"`;
    const server = await startNatsServer({ lines: [`tls { ${files}, verify: ${verify} }`] });
    try {
      await work(server.url.replace('nats:', 'tls:'));
    } finally {
      await server.dispose();
    }
  }

  it('is trusted only with the certificate of the authority', () =>
    withServer({}, async (address) => {
      expect(await refusalOf(address, { caFile: path('ca.pem') })).toBeUndefined();
      expect(await refusalOf(address.replace('tls:', 'nats:'), { caFile: path('ca.pem') })).toBeUndefined();
      expect(await refusalOf(address)).toMatchObject(hinting('STORE_UNREACHABLE', 'nats.caFile'));
      const other = await refusalOf(address, { caFile: path('client.pem') });
      expect(other).toMatchObject(hinting('STORE_UNREACHABLE', 'Check that nats.caFile'));
    }));

  it('is not trusted under a different name', () =>
    withServer({ name: 'elsewhere' }, async (address) => {
      const refusal = await refusalOf(address, { caFile: path('ca.pem') });
      expect(refusal).toMatchObject(hinting('STORE_UNREACHABLE', 'this name or address'));
    }));

  it('that requires a client certificate is given one', () =>
    withServer({ verify: true }, async (address) => {
      const caFile = path('ca.pem');
      const own = { caFile, certFile: path('client.pem'), keyFile: path('client.key') };
      expect(await refusalOf(address, own)).toBeUndefined();
      expect(await refusalOf(address, { caFile })).toMatchObject(hinting('STORE_UNREACHABLE', 'nats.certFile'));
      const mixed = { ...own, keyFile: path('server.key') };
      expect(await refusalOf(address, mixed)).toMatchObject(hinting('STORE_UNREACHABLE', 'nats.keyFile'));
    }));

  it('is not reached by tls:// if it has no encryption', async () => {
    const server = await startNatsServer();
    const refusal = await refusalOf(server.url.replace('nats:', 'tls:'));
    expect(refusal).toMatchObject(hinting('STORE_UNREACHABLE', 'nats:// in place of tls://'));
    await server.dispose();
  });
});

/** As docs/many-machines.md lists them. */
function tenantPermissions(tenant: string) {
  const streams = [`ollm-${tenant}`, `KV_ollm-${tenant}-names`, `OBJ_ollm-${tenant}-objects`];
  return {
    publish: [
      `ollm.${tenant}.>`,
      `$KV.ollm-${tenant}-names.>`,
      `$O.ollm-${tenant}-objects.>`,
      '$JS.API.INFO',
      ...streams.flatMap((stream) => [
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.PURGE.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.DIRECT.GET.${stream}.>`,
        `$JS.API.CONSUMER.*.${stream}.>`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
        `$JS.API.CONSUMER.CREATE.${stream}`,
        `$JS.FC.${stream}.>`,
      ]),
    ],
    subscribe: ['_INBOX.>', `ollm.${tenant}.>`],
  };
}
