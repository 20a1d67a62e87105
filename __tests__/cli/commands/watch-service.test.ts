// `ollm watch --install` with a systemd of the user that the test starts, in namespaces of its own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { endWithTests } from '../../support/end-with-tests.ts';
import { openTerminal } from '../../support/terminal.ts';

const SYSTEMD = '/usr/lib/systemd/systemd';
const ALONE = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
/** As `systemctl` and `systemd` look for each other. */
const BOOT = `mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system "$XDG_RUNTIME_DIR" && ${SYSTEMD} --user &
until systemctl --user is-system-running --wait 2>/dev/null | grep -qE 'running|degraded'; do sleep 0.1; done\n`;
/** A systemd of an ordinary user needs a group of processes of its own, which only the one of the machine gives. */
const canBoot =
  process.getuid?.() === 0 &&
  existsSync(SYSTEMD) &&
  spawnSync('unshare', [...ALONE, 'sh', '-c', 'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system']).status ===
    0;

/** Where the program of the test keeps its sessions: a name in which each character has a meaning in a unit. */
const PLACE = 'my $HOME %h "place" \\ \'x\'';
const UNIT = '.config/systemd/user/ollm-watch.service';
const RECORD = {
  ...{ type: 'user', uuid: '1', parentUuid: null, sessionId: 'elm', cwd: '/home/ada' },
  timestamp: '2026-01-02T03:04:05.000Z',
  message: { role: 'user', content: 'The quokka jumps' },
};

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home[Symbol.dispose]());

async function bootedRun(script: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    ...{ HOME: home.path, OLLM_HOME: home.path, XDG_RUNTIME_DIR: '/run/user/me' },
    CLAUDE_CONFIG_DIR: join(home.path, PLACE),
  };
  const child = spawn('unshare', [...ALONE, 'sh', '-c', BOOT + script], { env, cwd: home.path });
  endWithTests(() => child.kill('SIGKILL'));
  const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  await once(child, 'close');
  clearTimeout(patience);
  return output;
}

describe('ollm watch --install', () => {
  (canBoot ? it : it.skip)(
    'runs as a service that finds the sessions of this run, until it is uninstalled',
    async () => {
      const folder = join(home.path, PLACE, 'projects', 'p');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'elm.jsonl'), `${JSON.stringify(RECORD)}\n`);
      const ollm = `"${process.execPath}" "${OLLM}" watch`;
      const ask = 'systemctl --user show -p ActiveState,UnitFileState ollm-watch';
      const output = await bootedRun(
        [
          `${ollm} --install --yes; ${ollm} --install --yes; ${ask}`,
          `for i in $(seq 300); do grep -q quokka "${home.journal('claude-elm')}" 2>/dev/null && break; sleep 0.1; done`,
          `${ask}; ${ollm} --uninstall --yes; ${ask}; kill %1 2>/dev/null; exit`,
        ].join('\n'),
      );
      expect(output.match(/^(?:It runs|Stopped|ActiveState|UnitFileState).*$/gm)).toEqual([
        ...Array<string>(2).fill(`It runs: ${join(home.path, UNIT)}`),
        ...['ActiveState=active', 'UnitFileState=enabled', 'ActiveState=active', 'UnitFileState=enabled'],
        `Stopped and removed: ${join(home.path, UNIT)}`,
        ...['ActiveState=inactive', 'UnitFileState='],
      ]);
      expect(readFileSync(home.journal('claude-elm'), 'utf8')).toContain('The quokka jumps');
      expect(existsSync(join(home.path, UNIT))).toBe(false);
    },
  );

  it('installs the file and names the command to run if systemd does not answer', async () => {
    const env = { XDG_RUNTIME_DIR: join(home.path, 'none'), DBUS_SESSION_BUS_ADDRESS: undefined, CODEX_HOME: '/c' };
    const run = await home.run(['watch', '--install', '--yes'], { env });
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('systemd did not start it') });
    expect(run.stderr).toContain('run "systemctl --user daemon-reload"');
    expect(readFileSync(join(home.path, UNIT), 'utf8')).toBe(
      (await home.run(['watch', '--print-unit'], { env })).stdout,
    );
    expect(await home.run(['watch', '--uninstall', '--yes'], { env })).toMatchObject({ exitCode: 0 });
    expect(await home.run(['watch', '--uninstall'], { env })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('There is no'),
    });
  });

  it('shows the file and asks at a terminal, and changes nothing after n', async () => {
    await using terminal = openTerminal(process.execPath, [OLLM, 'watch', '--install'], {
      ...{ columns: 200, rows: 30, cwd: home.path },
      env: { ...process.env, OLLM_HOME: home.path, HOME: home.path, OLLM_HUB__KEEP: '365d' },
    });
    await terminal.waitFor('+WantedBy=default.target');
    await terminal.waitFor('The service does not get OLLM_HUB__KEEP');
    await terminal.waitFor('Go on?');
    terminal.type('n\r');
    expect(await terminal.exit).toMatchObject({ code: 1 });
    expect(existsSync(join(home.path, '.config'))).toBe(false);
  });

  it('needs --yes if no user can be asked, and replaces no link that leads elsewhere', async () => {
    expect(await home.run(['watch', '--install'])).toMatchObject({ exitCode: 2 });
    mkdirSync(join(home.path, UNIT), { recursive: true });
    expect(await home.run(['watch', '--install', '--yes'])).toMatchObject({
      stderr: expect.stringContaining('is not a regular file'),
    });
  });

  it.each([[['watch', '--yes']], [['watch', '--install', '--once']], [['watch', '--install', '--uninstall']]])(
    'refuses %j',
    async (args) => {
      expect(await home.here(args)).toMatchObject({ exitCode: 2 });
    },
  );
});
