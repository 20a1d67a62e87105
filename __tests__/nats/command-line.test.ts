// The commands of a user whose configuration says `store: nats://…`, from the built program: they act as on a disk. And
// the report of `ollm doctor` about each unusable server.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { loadClient } from '../../lib/nats/client.ts';
import { createHome, type Home, OLLM, ROOT } from '../support/cli.ts';
import { startNatsCluster } from '../support/nats-cluster.ts';
import { homeOnServers } from '../support/nats-home.ts';
import {
  answers,
  CLIENT_FOLDER,
  describeWithServer,
  freePort,
  type NatsServer,
  PROGRAM,
  startNatsServer,
} from '../support/nats-server.ts';
import { newTenant } from '../support/nats-store.ts';
import { until } from '../support/until.ts';

/** Runs a command that must succeed, and gives its output. */
async function printed(home: Home, args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await home.run(args, input === undefined ? {} : { input });
  if (exitCode !== 0) throw new Error(`ollm ${args.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`);
  return stdout;
}

describeWithServer('the page about servers', () => {
  it('shows two commands, after which a session can be created', async () => {
    const page = readFileSync(join(ROOT, 'docs/many-machines.md'), 'utf8');
    const [, block = ''] = /## In two commands\n\n```sh\n([^`]*)```/.exec(page) ?? [];
    const port = await freePort();
    const commands = block.trim().replace(' -js', ` -js -p ${port}`).replace(':4222', `:${port}`).split('\n');
    expect(commands).toHaveLength(2);
    const [serving = '', preparing = ''] = commands;

    using home = homeOnServers(undefined);
    const programs = join(home.path, 'bin');
    mkdirSync(programs);
    symlinkSync(OLLM, join(programs, 'ollm'));
    const PATH = [programs, dirname(PROGRAM), dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { PATH, HOME: home.path, OLLM_HOME: home.path };
    // In the place of the shell, so that it can be ended.
    const server = spawn('bash', ['-c', `exec ${serving.replace(/ &$/, '')}`], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => server.once('close', resolve));
    try {
      await until(() => answers(port));
      await promisify(execFile)('bash', ['-c', preparing], { env });
      const options = { env: { OLLM_STORE: `nats://127.0.0.1:${port}` } };
      const { exitCode, stderr } = await home.run(['ask', 'hello', '--name', 'oak', '--provider', 'offline'], options);
      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect((await home.run(['list'], options)).stdout).toContain('oak');
    } finally {
      server.kill('SIGKILL');
      await ended;
    }
  });
});

describeWithServer('commands with the sessions on a server', () => {
  let server: NatsServer;
  let address: string;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.dispose());
  beforeEach(() => {
    address = `${server.url}/${newTenant()}`;
  });

  it('ask, continue, show, follow and export a session without creating a file for it', async () => {
    using home = homeOnServers(address);
    expect((await home.run(['list'])).stderr).toContain('ollm store prepare');
    expect(await printed(home, ['store', 'prepare'])).toContain('prepared');
    expect(await printed(home, ['store', 'prepare'])).toContain('already');

    await printed(home, ['ask', 'hello oak', '--name', 'oak', '--provider', 'offline']);
    const tail = home.start(['tail', '-f', 'oak']);
    let followed = '';
    tail.stdout?.setEncoding('utf8').on('data', (text: string) => {
      followed += text;
    });
    await until(() => followed.includes('hello oak'));
    await printed(home, ['repl', '--resume', 'oak', '--quiet', '--provider', 'offline'], 'hello elm\n');
    await until(() => followed.includes('hello elm'));
    const ended = new Promise((resolve) => tail.once('close', resolve));
    tail.kill('SIGTERM');
    await ended;

    expect(await printed(home, ['list'])).toContain('oak');
    expect(await printed(home, ['show', 'oak'])).toMatch(/id\s+oak/);
    expect(await printed(home, ['verify', 'oak'])).not.toBe('');
    const { messages } = JSON.parse(await printed(home, ['replay', 'oak', '--json']));
    expect(JSON.stringify(messages)).toContain('hello elm');
    expect(await printed(home, ['export', 'oak', '--format', 'md'])).toContain('hello oak');
    expect(await printed(home, ['search', 'elm'])).toContain('oak');
    expect(() => readFileSync(home.journal('oak'))).toThrow('ENOENT');
  });

  it('copy a session to a disk and to a second tenant and back, with equal bytes', async () => {
    using files = createHome();
    using home = homeOnServers(address);
    using other = homeOnServers(`${server.url}/${newTenant()}`);
    await printed(home, ['store', 'prepare']);
    await files.append('oak', [
      { type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text: 'hello' }], trusted: true } },
    ]);
    const original = readFileSync(files.journal('oak'));
    const env = { OLLM_NATS__REPLICAS: '1' };
    // The client is looked for in the home.
    const { exitCode, stderr } = await files.run(['copy', 'oak', '--to', address], { env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('npm install --prefix') });
    using withClient = homeOnServers(undefined);
    await printed(files, ['copy', 'oak', '--to', withClient.sessions]);
    await printed(withClient, ['copy', 'oak', '--to', address]);
    expect((await withClient.run(['copy', 'oak', '--to', address])).stderr).toContain('already');

    const tenant = JSON.parse(await printed(other, ['store', 'prepare', '--json'])).location as string;
    await printed(home, ['copy', 'oak', '--to', tenant]);
    const back = join(home.path, 'back');
    mkdirSync(back);
    await printed(other, ['copy', 'oak', '--to', back]);
    expect(readFileSync(join(back, 'oak.jsonl')).equals(original)).toBe(true);
  });

  it('move an encrypted session through the server to a second home, with its key and its attachments', async () => {
    using from = homeOnServers(undefined);
    using home = homeOnServers(address);
    using last = createHome();
    const keyFile = join(from.path, 'key');
    writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
    const withKey = { OLLM_RETENTION__KEY_FILE: keyFile };
    const source = join(from.path, '.claude', 'projects', '-home-ada-garden', 'oak.jsonl');
    mkdirSync(dirname(source), { recursive: true });
    const message = { role: 'user', content: 'Why does the oak grow?' };
    const line = { type: 'user', uuid: 'u', sessionId: 'a', timestamp: '2026-01-02T03:04:05.000Z', message };
    writeFileSync(source, `${JSON.stringify(line)}\n`);
    const run = async (at: Home, ...args: string[]) => {
      const env = { ...withKey, OLLM_RETENTION__ENCRYPT_AT_REST: 'true' };
      const { exitCode, stdout, stderr } = await at.run(args, { env });
      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
      return stdout;
    };
    await run(from, 'import', 'claude:oak');
    await run(home, 'store', 'prepare');
    expect(JSON.parse(await run(from, 'copy', 'claude-oak', '--to', address, '--json'))).toMatchObject({ blobs: 1 });

    expect(await run(home, 'replay', 'claude-oak')).toContain('Why does the oak grow?');
    const locked = await home.run(['replay', 'claude-oak']);
    expect(locked.exitCode).not.toBe(0);
    expect(locked.stdout).not.toContain('oak grow');
    expect(JSON.parse(await run(home, 'copy', 'claude-oak', '--to', last.sessions, '--json'))).toMatchObject({
      blobs: 1,
    });
    expect(readFileSync(last.journal('claude-oak')).equals(readFileSync(from.journal('claude-oak')))).toBe(true);
    expect(readFileSync(last.journal('claude-oak'), 'utf8')).not.toContain('oak grow');
    const [name] = readdirSync(join(from.sessions, 'blobs'));
    const attachment = ({ sessions }: Home) => readFileSync(join(sessions, 'blobs', name!));
    expect(attachment(last).equals(attachment(from))).toBe(true);
  });

  it('delete, restore and purge a session, and prune all but those used last', async () => {
    using home = homeOnServers(address);
    await printed(home, ['store', 'prepare']);
    for (const id of ['ash', 'elm', 'oak']) await home.append(id, [{ type: 'note.added', data: { text: id } }]);
    await printed(home, ['delete', 'oak']);
    expect(await printed(home, ['list'])).not.toContain('oak');
    await printed(home, ['restore', 'oak']);
    expect(await printed(home, ['list'])).toContain('oak');
    await printed(home, ['prune', '--keep', '1', '--yes']);
    expect((await printed(home, ['list'])).trim().split('\n')).toHaveLength(1);
    await printed(home, ['prune', '--keep', '0', '--purge', '--yes']);
    expect((await printed(home, ['list'])).trim()).toBe('');
    const { stdout } = await home.run(['doctor']);
    expect(stdout).toMatch(/leftovers\s+none/);
  });
});

describeWithServer('ollm doctor for a store on a server', () => {
  const checked = async (store: string, nats: object = {}) => {
    using home = homeOnServers(store, nats);
    const { stdout, stderr } = await home.run(['doctor']);
    return stdout + stderr;
  };
  async function withServer(
    options: Parameters<typeof startNatsServer>[0],
    work: (server: NatsServer) => Promise<void>,
  ): Promise<void> {
    const server = await startNatsServer(options);
    try {
      await work(server);
    } finally {
      await server.dispose();
    }
  }
  const prepared = async (store: string) => {
    using home = homeOnServers(store);
    await printed(home, ['store', 'prepare']);
  };

  it('reports that no server answers, and how to start one', async () => {
    const report = await checked(`nats://127.0.0.1:${await freePort()}`);
    expect(report).toMatch(/fail\s+store\s+No server answers/);
    expect(report).toContain('nats-server -a 127.0.0.1 -js');
  });

  it('reports that the server has no JetStream', () =>
    withServer({ lines: ['jetstream: disabled'] }, async ({ url }) => {
      expect(await checked(url)).toMatch(/fail\s+store[\s\S]*JetStream/);
    }));

  it('reports missing streams, too few copies, and a stream that would lose events', () =>
    withServer({}, async ({ url }) => {
      expect(await checked(url)).toMatch(/fail\s+store\s+The server has no stream[\s\S]*ollm store prepare/);
      await prepared(url);
      expect(await checked(url)).toMatch(/warn\s+replicas\s+one copy/);
      expect(await checked(url, { replicas: 3 })).toMatch(/fail\s+store\s+.*1 of 3 replicas[\s\S]*--replicas=3/);
      const client = loadClient([CLIENT_FOLDER]);
      const connection = await client.connect({ servers: [url], name: 'a test' });
      const { streams } = (await client.manager(connection)) as unknown as {
        streams: { update(name: string, config: object): Promise<unknown> };
      };
      await streams.update('ollm-default', { max_age: 3600e9 });
      await connection.close();
      expect(await checked(url)).toMatch(/fail\s+store\s+.*drops messages by their age[\s\S]*--max-age=0/);
    }));

  it('reports lost names, and does not advise to sweep their journals', () =>
    withServer({}, async ({ url }) => {
      using home = homeOnServers(url);
      await printed(home, ['store', 'prepare']);
      await home.append('oak', [{ type: 'note.added', data: { text: 'oak' } }]);
      const client = loadClient([CLIENT_FOLDER]);
      const connection = await client.connect({ servers: [url], name: 'a test' });
      const { streams } = await client.manager(connection);
      await streams.purge('KV_ollm-default-names', { filter: '$KV.>' });
      await connection.close();
      const { stdout } = await home.run(['doctor']);
      expect(stdout).toMatch(/fail\s+leftovers\s+[\s\S]*nats stream restore/);
      expect(stdout).not.toContain('store sweep');
      expect((await home.run(['store', 'sweep'])).stderr).toContain('KV_ollm-default-names is empty');
    }));

  it('reports names with fewer copies than the journals, and the number of servers that were not asked', async () => {
    const monitors = await Promise.all([freePort(), freePort(), freePort()]);
    const cluster = await startNatsCluster({ monitors, jetstream: ['sync_interval: always'] });
    try {
      const address = cluster.urls.join(',').replaceAll(',nats://', ',');
      await until(async () => {
        using home = homeOnServers(address);
        return (await home.run(['store', 'prepare'])).exitCode === 0;
      });
      // A cluster that was just started or changed may not answer for a while.
      const says = (pattern: RegExp) => until(async () => pattern.test(await checked(address)));
      await says(/warn\s+replicas\s+one copy[\s\S]*KV_ollm-default-names --replicas=3/);
      const client = loadClient([CLIENT_FOLDER]);
      const connection = await client.connect({ servers: cluster.urls, name: 'a test' });
      const { streams } = (await client.manager(connection)) as unknown as {
        streams: { update(name: string, config: object): Promise<unknown> };
      };
      await streams.update('ollm-default', { num_replicas: 3 });
      await connection.close();
      const asked = async (ports: readonly number[], pattern: RegExp) => {
        const monitor = ports.map((port) => `http://127.0.0.1:${port}`).join(', ');
        await until(async () => pattern.test(await checked(address, { monitor })));
      };
      await asked(monitors, /ok\s+power cut/);
      await asked([monitors[0]!, monitors[0]!], /warn\s+power cut\s+1 of 3 servers syncs each/);
      await says(
        /fail\s+replicas\s+3 copies of some, but 1 of KV_ollm-default-names[\s\S]*OBJ_ollm-default-objects --replicas=3/,
      );
    } finally {
      await cluster.dispose();
    }
  });

  it('warns of a password that is sent to a different machine unencrypted', () =>
    withServer({ lines: ['authorization { users: [{user: me, password: secret}] }'] }, async ({ url, port }) => {
      using home = homeOnServers(url);
      const credentialsFile = join(home.path, 'credentials');
      writeFileSync(credentialsFile, 'me:secret\n', { mode: 0o600 });
      const env = { OLLM_NATS__CREDENTIALS_FILE: credentialsFile };
      const { exitCode, stderr } = await home.run(['store', 'prepare'], { env });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect((await home.run(['doctor'], { env })).stdout).not.toContain('unencrypted');
      // Linux connects to this machine, by an address that does not say so.
      const elsewhere = { ...env, OLLM_STORE: `nats://0.0.0.0:${port}` };
      expect((await home.run(['doctor'], { env: elsewhere })).stdout).toMatch(
        /warn\s+encryption\s+.*unencrypted[\s\S]*tls:\/\//,
      );
    }));

  it('reports the data that a power cut may destroy', async () => {
    const [http, always] = await Promise.all([freePort(), freePort()]);
    await withServer({ lines: [`http: 127.0.0.1:${http}`] }, async ({ url }) => {
      await prepared(url);
      expect(await checked(url)).toMatch(/warn\s+power cut\s+.*not known[\s\S]*nats\.monitor/);
      expect(await checked(url, { monitor: `http://127.0.0.1:${http}` })).toMatch(
        /warn\s+power cut\s+a power cut of the server may take[\s\S]*sync_interval: always/,
      );
      const elsewhere = await checked(url, { monitor: `http://127.0.0.1:${always}` });
      expect(elsewhere).toMatch(/warn\s+power cut\s+.*does not answer/);
      const withUser = await checked(url, { monitor: `http://me:s3cret@127.0.0.1:${http}` });
      expect(withUser).toMatch(/warn\s+power cut\s+http:\/\/\[hidden\]@\S+ does not answer: it holds a name/);
    });
    const jetstream = ['sync_interval: always'];
    await withServer({ lines: [`http: 127.0.0.1:${always}`], jetstream }, async ({ url }) => {
      await prepared(url);
      expect(await checked(url, { monitor: `http://127.0.0.1:${always}` })).toMatch(/ok\s+power cut/);
    });
  });
});
