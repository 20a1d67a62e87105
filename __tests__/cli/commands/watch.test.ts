// `ollm watch` with the built program: it imports and indexes as files are written, and ends in order.
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCatalog } from '../../../lib/catalog/catalog.ts';
import { CATALOG_NAME } from '../../../lib/catalog/schema.ts';
import { nodeFileSystem, silentLog, thisProcess } from '../../../lib/platform/index.ts';
import { createHome } from '../../support/cli.ts';
import { until } from '../../support/until.ts';

const line = (number: number, text: string): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: `${number}-u`,
    parentUuid: number === 1 ? null : `${number - 1}-u`,
    sessionId: 's',
    cwd: '/home/ada',
    timestamp: '2026-01-02T03:04:05.000Z',
    message: { role: 'user', content: text },
  })}\n`;

function worldOf(home: ReturnType<typeof createHome>) {
  const folder = join(home.path, '.claude', 'projects', 'p');
  mkdirSync(folder, { recursive: true });
  return (id: string) => join(folder, `${id}.jsonl`);
}

/** Whether the catalogue has all there is, so that a search looks at stamps only. */
async function hasLooked(home: string): Promise<boolean> {
  const catalog = openCatalog({ home, fileSystem: nodeFileSystem, process: thisProcess('test'), log: silentLog });
  const looked = await catalog.ask((database) => database.prepare('SELECT 1 FROM looks WHERE number = 1').get());
  return looked.kind === 'done' && looked.value !== undefined;
}

describe('ollm watch', () => {
  it('--once imports and indexes new sessions, also after a sync that is under way, and ends', async () => {
    using home = createHome();
    const place = worldOf(home);
    writeFileSync(place('elm'), line(1, 'One quokka'));
    const lock = nodeFileSystem.open(join(home.path, 'sync.lock'), 'lock', 0o600);
    lock.tryLock('exclusive');
    const watched = home.run(['watch', '--once']);
    await until(() => existsSync(home.journal('claude-elm')));
    lock.close();
    const { exitCode, stdout, stderr } = await watched;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '1 session looked at, 2 new events.\n' });
    expect(stdout).toMatch(/^claude:elm\tclaude-elm\t\d+\n$/);
    expect(JSON.parse((await home.here(['sync', '--json'])).stdout)).toMatchObject({ sessions: 2, rows: 0 });
    // No catalogue that others may read is written.
    chmodSync(join(home.path, CATALOG_NAME), 0o644);
    writeFileSync(place('oak'), line(1, 'A new one'));
    const refused = await home.run(['watch', '--once']);
    expect(refused).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^claude:oak\tclaude-oak\t\d+\n$/) });
    expect(refused.stderr).toContain('The catalogue is open to other users. It is ');
    expect((await home.run(['watch', '--once'])).stdout).toBe('');
  });

  it('imports and indexes sessions that appear while it runs, and ends in order on a signal', async () => {
    using home = createHome();
    const place = worldOf(home);
    writeFileSync(place('elm'), line(1, 'One'));
    const child = home.start(['watch']);
    const ended = new Promise((resolve) => child.on('close', (...how) => resolve(how)));
    const holds = (id: string, text: string) => () =>
      existsSync(home.journal(id)) && readFileSync(home.journal(id), 'utf8').includes(text);
    await until(holds('claude-elm', 'session.closed'));
    appendFileSync(place('elm'), line(2, 'Another matter'));
    writeFileSync(place('oak'), line(1, 'A new quokka'));
    await until(holds('claude-elm', 'Another matter'));
    await until(holds('claude-oak', 'A new quokka'));
    await until(() => hasLooked(home.path));
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
    expect(JSON.parse((await home.here(['sync', '--json'])).stdout)).toMatchObject({ sessions: 4, read: 0 });
    expect((await home.here(['search', 'quokka'])).stdout).toContain('claude:oak#1-u');
    expect((await home.run(['verify', '--all'])).exitCode).toBe(0);
  });

  it('--print-unit prints a unit with the flags, and the variables that name the places of sessions', async () => {
    using home = createHome();
    const env = { OLLM_HOME: undefined, CODEX_HOME: '/my codex', UNRELATED: 'x' };
    const config = join(home.path, 'a.yaml');
    writeFileSync(config, '');
    const { stdout } = await home.run(['watch', '--print-unit', '--config', 'a.yaml'], { env });
    expect(stdout).toMatch(
      /^\[Unit\]\n[\s\S]*ExecStart=".*" "--max-semi-space-size=4" ".*ollm\.js" "--config" ".*" "watch"\n/,
    );
    expect(stdout).toContain(` "${config}" `);
    expect(stdout.match(/^Environment=.*$/gm)).toEqual(['Environment="CODEX_HOME=/my codex"']);
  });
});
