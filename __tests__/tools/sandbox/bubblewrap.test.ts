import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mountPointsElsewhere } from '../../../lib/platform/disks/mounts.ts';
import { nodeFileSystem, systemIds } from '../../../lib/platform/index.ts';
import { createBubblewrap } from '../../../lib/tools/sandbox/bubblewrap.ts';
import { createPlaceholders } from '../../../lib/tools/sandbox/placeholders.ts';
import type { SandboxScope } from '../../../lib/tools/sandboxing.ts';
import {
  confined,
  describeConfined,
  programWorld,
  type RunOptions,
  runningWith,
  sandbox,
  uniqueSleep,
  until,
  type World,
} from '../program-world.ts';

// These attacks must be harmless even if the sandbox is broken: they touch only files and processes of the test.
let world: World;
beforeEach(() => {
  world = programWorld();
});
afterEach(() => world.remove());

const sh = (line: string, scope: Partial<SandboxScope> = {}, options: RunOptions = {}) =>
  world.sh(line, { sandbox, scope, ...options });
const inProject = (...parts: string[]) => join(world.project, ...parts);
const inHome = (...parts: string[]) => join(world.home, ...parts);
const listen = async (server: Server, at: number | string): Promise<Server> =>
  new Promise((done) => {
    if (typeof at === 'number') server.listen(at, '127.0.0.1', () => done(server));
    else server.listen(at, () => done(server));
  });
/**
 * A place is left to a program that was killed in it until the kernel has ended it: the next run takes it away
 * then.
 */
const leaves = (names: readonly string[], folder: string, scope: Partial<SandboxScope>) =>
  until(async () => {
    if (readdirSync(folder).join() === names.join()) return true;
    await sh('true', scope, { cwd: folder });
    return false;
  });
/** Says whether a connection came about. */
const connect = (to: string) => `socat -u OPEN:/dev/null ${to} && echo connected || echo refused`;

const linuxOnly = process.platform === 'linux' ? describeConfined : describe.skip;
linuxOnly(confined, () => {
  describe('files in the sandbox', () => {
    test('can be written in the project, and only read around it', async () => {
      writeFileSync(inHome('note'), 'kept');
      const { text } = await sh(
        'echo new > file && cat file; cat ../note; echo over > ../note; touch ../other; mkdir ../folder',
      );
      expect(text).toMatch(/^new\nkept/);
      expect(text.match(/Read-only file system/g)).toHaveLength(3);
      expect(readFileSync(inProject('file'), 'utf8')).toBe('new\n');
      expect(readFileSync(inHome('note'), 'utf8')).toBe('kept');
      expect(readdirSync(world.home).sort()).toEqual(['note', 'project']);
    });

    test('cannot be written through a link in the project that leads out of it', async () => {
      writeFileSync(inHome('note'), 'kept');
      symlinkSync(inHome('note'), inProject('link'));
      symlinkSync(world.home, inProject('up'));
      const { text } = await sh(
        'echo x > link; echo x > up/note; touch up/new; ln up/note hard; ln -s /etc/passwd p && echo x > p',
      );
      expect(text.match(/Read-only file system|Invalid cross-device link/g)).toHaveLength(5);
      expect(readFileSync(inHome('note'), 'utf8')).toBe('kept');
    });

    test('can be written in further directories that were opened', async () => {
      mkdirSync(inHome('cache'));
      const { text } = await sh('echo x > ../cache/x && cat ../cache/x', {
        writable: [world.project, inHome('cache')],
      });
      expect(text).toBe('x\n');
    });

    test('are not affected by a writable directory that does not exist', async () => {
      expect(await sh('true', { writable: [world.project, inHome('gone')] })).toMatchObject({ exitCode: 0, text: '' });
    });

    test('are empty if they are hidden, and hidden directories have nothing in them, by any name', async () => {
      mkdirSync(inHome('.ssh'));
      writeFileSync(inHome('.ssh', 'id_rsa'), 'battery');
      writeFileSync(inHome('.netrc'), 'battery');
      symlinkSync(inHome('.ssh'), inHome('keys'));
      symlinkSync('../.netrc', inProject('n'));
      const hidden = [inHome('.ssh'), inHome('.ssh', 'id_rsa'), inHome('.netrc'), inHome('.absent')];
      const { text } = await sh(
        'cat ../.ssh/id_rsa ../keys/id_rsa; cat ../.netrc n; ls -A ../.ssh; grep -r battery ..; touch ../.ssh/x; echo end',
        { hidden },
      );
      expect(text).not.toContain('battery');
      expect(text.match(/No such file/g)).toHaveLength(2);
      expect(text).toMatch(/Read-only file system\nend\n$/);
      expect(readFileSync(inHome('.netrc'), 'utf8')).toBe('battery');
    });

    test('that are hidden look like ordinary empty ones, and leave nothing outside', async () => {
      writeFileSync(inProject('.env'), 'battery');
      const before = readdirSync(tmpdir()).filter((name) => name.startsWith('ollm-empty-'));
      const { text } = await sh('stat -c "%F %s" .env; echo x > .env; rm -f .env; cat .env; echo end', {
        hidden: [inProject('.env')],
      });
      expect(text).toMatch(/^regular empty file 0\n/);
      expect(text).toMatch(/end\n$/);
      expect(text).not.toContain('battery');
      expect(readFileSync(inProject('.env'), 'utf8')).toBe('battery');
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith('ollm-empty-'))).toEqual(before);
    });

    test('are hidden at their real place if a link is hidden', async () => {
      mkdirSync(inHome('vault'));
      writeFileSync(inHome('vault', 'key'), 'battery');
      symlinkSync('vault', inHome('.aws'));
      expect((await sh('cat ../vault/key ../.aws/key', { hidden: [inHome('.aws')] })).text).not.toContain('battery');
    });

    test('that are hidden stay so inside the project, by any of their names', async () => {
      mkdirSync(inProject('secrets'));
      writeFileSync(inProject('secrets', 'key'), 'battery');
      const { text } = await sh(
        'cat secrets/key; mv secrets s2; rm -rf secrets; umount secrets; cat /proc/self/root$PWD/secrets/key',
        {
          hidden: [inProject('secrets')],
        },
      );
      expect(text).not.toContain('battery');
      expect(readFileSync(inProject('secrets', 'key'), 'utf8')).toBe('battery');
    });

    test('are not accessible to a program in a hidden directory, which does not run', async () => {
      await expect(sh('true', { hidden: [world.home] })).rejects.toThrow(/home is hidden from tools \(tools.hidden\)/);
    });

    test('in /tmp are its own and gone afterwards, and no socket of a service in /tmp or /run exists', async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-outside-')));
      try {
        const line = `ls ${folder}; echo $TMPDIR; touch "$(mktemp)" && echo made; ls /run; ls -A /tmp | wc -l; touch /dev/x /dev/shm/x`;
        const { text } = await sh(
          line,
          {},
          { env: { PATH: '/usr/bin:/bin', TMPDIR: folder, SSH_AUTH_SOCK: '/tmp/s' } },
        );
        expect(text).toMatch(/cannot access .*\n\/tmp\nmade\n1\n/);
        expect(existsSync('/dev/shm/x')).toBe(false);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('in a directory in /tmp that was opened for reading exist, and so does the working directory', async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-readable-')));
      try {
        writeFileSync(join(folder, 'note'), 'kept\n');
        const line = `cat ${folder}/note; touch ${folder}/x; touch "$(mktemp)" && echo made`;
        const expected = /^kept\n.*Read-only file system\nmade\n$/;
        expect((await sh(line, { readable: [folder] })).text).toMatch(expected);
        expect((await sh(line, {}, { cwd: folder })).text).toMatch(expected);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test('of a project in /tmp, or of the whole disk, can be in scope', async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ollm outside-')));
      try {
        const scope = { writable: [folder], protected: [join(folder, '.git/')] };
        expect((await sh('touch a; touch .git/x; ls', scope, { cwd: folder })).text).toMatch(
          /Read-only file system\na\n$/,
        );
        expect(
          (await sh('touch b; ls; touch .git/x', { ...scope, writable: ['/'] }, { cwd: world.project })).text,
        ).toMatch(/^b\n/);
        await leaves(['a'], folder, scope);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });

  describe('a protected file', () => {
    const git = () => ({ protected: [inProject('.git/'), inProject('.ollm/')] });

    test('cannot be changed, removed, replaced or moved', async () => {
      mkdirSync(inProject('.git', 'hooks'), { recursive: true });
      writeFileSync(inProject('.git', 'config'), '[core]\n');
      const { text } = await sh(
        'echo x >> .git/config; touch .git/hooks/post-commit; rm -rf .git; mv .git g; mkdir n && mv -T n .git; ln -sfn n .git; cat .git/config',
        git(),
      );
      expect(text).toMatch(/\[core\]\n$/);
      expect(readFileSync(inProject('.git', 'config'), 'utf8')).toBe('[core]\n');
      expect(readdirSync(inProject('.git', 'hooks'))).toEqual([]);
    });

    test('cannot be created at a missing place, and leaves no litter', async () => {
      const line =
        'touch .git/x; mkdir .git; mkdir -p .git/hooks; rmdir .git; mv .git g; mkdir n; mv -T n .git; git init -q .; chmod 777 .git; echo end';
      const { text } = await sh(line, git());
      expect(text).toMatch(/end\n$/);
      expect(text.match(/Read-only|busy|exists|denied|not permitted/gi)!.length).toBeGreaterThanOrEqual(7);
      await leaves(['n'], world.project, git());
    });

    test('is skipped by git as a placeholder, and git continues to the repository above', async () => {
      spawnSync('git', ['init', '-q', world.home]);
      expect(
        (await sh('git rev-parse --show-toplevel', git(), { env: { PATH: '/usr/bin:/bin', HOME: '/' } })).text,
      ).toBe(`${world.home}\n`);
    });

    test('may be a start-up file of a shell, which cannot be created in a home that is the project', async () => {
      const scope = { writable: [world.home], protected: [inHome('.bashrc'), inHome('.config/fish/')] };
      const line =
        'cd ..; echo evil > .bashrc; echo evil >> .bashrc; mv .bashrc x; mkdir -p .config/fish; mv .config c; ls -A';
      const { text } = await sh(line, scope);
      expect(text).toMatch(/\.bashrc\n\.config\nproject\n$/);
      await leaves(['project'], world.home, scope);
    });

    test('stays in its place because the directories above it cannot be moved', async () => {
      mkdirSync(inHome('a', 'b'), { recursive: true });
      writeFileSync(inHome('a', 'b', 'c'), 'kept');
      const scope = { writable: [world.home], protected: [inHome('a', 'b', 'c')] };
      const { text } = await sh('cd ..; mv a z; mv a/b a/z; echo x > a/b/c; touch a/new a/b/new; ls a/b', scope);
      expect(text).toMatch(/busy.*busy.*Read-only.*\nc\nnew\n$/s);
      expect(readFileSync(inHome('a', 'b', 'c'), 'utf8')).toBe('kept');
    });

    test('that is a link cannot be replaced, and its target cannot be changed', async () => {
      mkdirSync(inProject('real.git'));
      mkdirSync(inProject('src'));
      symlinkSync('real.git', inProject('.git'));
      const { text } = await sh(
        'rm .git; mv .git g; touch real.git/x; touch .git/x; touch src/new && echo written',
        git(),
      );
      expect(text).toMatch(/written\n$/);
      expect(lstatSync(inProject('.git')).isSymbolicLink()).toBe(true);
      expect(readdirSync(inProject('real.git'))).toEqual([]);
    });

    test('has one placeholder for two runs at the same time, which the last one removes', async () => {
      const nap = uniqueSleep();
      const abort = new AbortController();
      const long = sh(`sleep ${nap}; true`, git(), { signal: abort.signal });
      await until(() => runningWith(nap) > 0);
      expect((await sh('touch .git/x', git())).text).toMatch(/Read-only/);
      expect(existsSync(inProject('.git'))).toBe(true);
      abort.abort();
      await long;
      await leaves([], world.project, git());
    });

    test('has no placeholder if a different process holds the place', async () => {
      const nap = uniqueSleep();
      const abort = new AbortController();
      const long = sh(`sleep ${nap}; true`, git(), { signal: abort.signal });
      await until(() => runningWith(nap) > 0);
      const ofAnother = createPlaceholders(nodeFileSystem, mountPointsElsewhere);
      ofAnother.hold([{ path: inProject('.git'), kind: 'directory' }]).release();
      expect(existsSync(inProject('.git'))).toBe(true);
      abort.abort();
      await long;
      await leaves([], world.project, git());
    });

    test('that a different program wrote into a placeholder stays', async () => {
      const nap = uniqueSleep();
      const abort = new AbortController();
      const long = sh(`sleep ${nap}; true`, git(), { signal: abort.signal });
      await until(() => runningWith(nap) > 0);
      chmodSync(inProject('.git'), 0o755);
      writeFileSync(inProject('.git', 'HEAD'), 'ref: refs/heads/main\n');
      abort.abort();
      await long;
      expect(readdirSync(inProject('.git'))).toEqual(['HEAD']);
    });
  });

  describe('the network in the sandbox', () => {
    test('reaches no process outside, on loopback or by an abstract socket', async () => {
      const name = `ollm-${process.pid}-${Date.now()}`;
      const tcp = await listen(
        createServer((socket) => socket.end()),
        0,
      );
      const abstract = await listen(
        createServer((socket) => socket.end()),
        `\0${name}`,
      );
      try {
        const { port } = tcp.address() as { port: number };
        const lines = [connect(`TCP:127.0.0.1:${port}`), connect(`ABSTRACT-CONNECT:${name}`)].join('; ');
        expect((await sh(lines)).text.match(/^(connected|refused)$/gm)).toEqual(['refused', 'refused']);
        expect((await sh(lines, { network: true })).text.match(/^(connected|refused)$/gm)).toEqual([
          'connected',
          'connected',
        ]);
      } finally {
        tcp.close();
        abstract.close();
      }
    });

    test('lets a program talk to itself over loopback', async () => {
      const line =
        'socat -u TCP-LISTEN:4711,bind=127.0.0.1 - & for i in $(seq 150); do echo hi | socat -u - TCP:127.0.0.1:4711 2>/dev/null && break; sleep 0.1; done; wait';
      expect((await sh(line)).text).toBe('hi\n');
    });

    test('has no socket in /tmp', async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-socket-')));
      const server = await listen(
        createServer((socket) => socket.end()),
        join(folder, 's'),
      );
      try {
        const line = connect(`UNIX-CONNECT:${join(folder, 's')}`);
        expect((await sh(line)).text).toMatch(/refused\n$/);
        expect((await sh(line, { network: true })).text).toMatch(/refused\n$/);
      } finally {
        server.close();
        rmSync(folder, { recursive: true });
      }
    });
  });

  describe('the processes of a confined program', () => {
    test('cannot see, signal or trace other processes, or read their environment', async () => {
      const nap = uniqueSleep();
      const other = spawn('sleep', [nap], { env: { PATH: '/usr/bin:/bin', OTHER_KEY: 'battery' } });
      try {
        await until(() => runningWith(nap) === 1);
        const line = `kill -9 ${other.pid}; cat /proc/${other.pid}/environ; cat /proc/[0-9]*/cmdline | tr '\\0' ' '`;
        const { text } = await sh(`trap '' KILL; (${line}) 2>&1`);
        expect(text).not.toContain(nap);
        expect((await sh('cat /proc/[0-9]*/environ /proc/$PPID/environ')).text).not.toMatch(/battery|npm_|JEST/);
        expect(other.exitCode).toBeNull();
        expect(runningWith(nap)).toBe(1);
      } finally {
        other.kill('SIGKILL');
      }
    });

    test('have no capability and can gain none', async () => {
      const { text } = await sh(
        'grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs)" /proc/self/status; mount -t tmpfs none /mnt && echo mounted; (cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern) && echo set; echo h > /proc/sysrq-trigger && echo set',
      );
      expect(text).toMatch(/CapPrm:\t0{16}\nCapEff:\t0{16}\nCapBnd:\t0{16}\nNoNewPrivs:\t1\n/);
      expect(text).not.toMatch(/mounted|^set$/m);
    });

    test('get no other user from a setuid program', async () => {
      cpSync('/usr/bin/id', inProject('id'));
      chmodSync(inProject('id'), 0o4755);
      const { text } = await sh('./id -u; chown 12345 id && echo given; setpriv --reuid 12345 id && echo changed');
      expect(text.split('\n')[0]).toBe(String(process.getuid!()));
      expect(text).not.toMatch(/given|changed/);
    });

    test('can uncover nothing in a namespace of their own', async () => {
      mkdirSync(inHome('.ssh'));
      writeFileSync(inHome('.ssh', 'key'), 'battery');
      const line =
        'unshare -Urm sh -c "umount -l ../.ssh; mount -o remount,rw / ; mount -o remount,rw,bind /; touch ../x; cat ../.ssh/key"; echo end';
      const { text } = await sh(line, { hidden: [inHome('.ssh')] });
      expect(text).toMatch(/end\n$/);
      expect(text).not.toContain('battery');
      expect(existsSync(inHome('x'))).toBe(false);
    });

    test('have no terminal to type into', async () => {
      expect((await sh('exec 3</dev/tty && echo terminal')).text).not.toMatch(/^terminal/m);
    });

    test('have a limit that stops a fork bomb', async () => {
      expect((await sh("bash -c 'ulimit -u'")).text).toBe('4096\n');
      const placeholders = createPlaceholders(nodeFileSystem, mountPointsElsewhere);
      const limited = createBubblewrap({
        program: '/usr/bin/bwrap',
        taskLimit: ['/usr/bin/prlimit', '--nproc=12:12'],
        fileSystem: nodeFileSystem,
        ids: systemIds,
        placeholders,
        filter: undefined,
      });
      const scope = { writable: [], protected: [], hidden: [], network: false };
      const bomb = 'i=0; while [ $i -lt 40 ]; do sleep 3 & i=$((i+1)); done; echo all';
      const { argv } = limited.confine(['/bin/sh', '-c', bomb], scope, '/');
      // No limit holds for root: the bomb is another user's.
      const asNobody = process.getuid!() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
      const [program, ...args] = [...asNobody, ...argv];
      const { stdout, stderr } = spawnSync(program!, args, { encoding: 'utf8', timeout: 20_000 });
      expect(stdout).not.toContain('all');
      expect(stderr).toMatch(/fork/i);
    });
  });

  test('more arguments than bubblewrap accepts are reported, and nothing is left', async () => {
    const many = Array.from({ length: 9000 }, () => 'x');
    await expect(world.run(['echo', ...many], { sandbox, scope: { protected: [inProject('.git/')] } })).rejects.toThrow(
      /echo has 9001 arguments; in the sandbox there can be 8\d{3}/,
    );
    expect(readdirSync(world.project)).toEqual([]);
  });

  // Only root can become another user.
  const byRoot = process.getuid?.() === 0 ? test : test.skip;
  byRoot('a user who is not root is confined in the same way', () => {
    chmodSync(world.project, 0o777);
    const { argv, inherited, end } = sandbox!.confine(
      ['/bin/sh', '-c', 'touch a; touch .git/x; touch /var/tmp/x; id -u'],
      { writable: [world.project], protected: [inProject('.git/')], hidden: [], network: false },
      world.project,
    );
    const above = join(world.home, '..');
    for (const folder of [above, world.home]) chmodSync(folder, 0o755);
    const files = inherited!.map((content, index) => {
      writeFileSync(join(above, String(index)), content);
      return openSync(join(above, String(index)), 'r');
    });
    const { stdout, stderr } = spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', ...argv], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', ...files],
    });
    for (const file of files) closeSync(file);
    end?.();
    expect(stdout).toBe('65534\n');
    expect(stderr.match(/Read-only file system|Permission denied/g)).toHaveLength(2);
    expect(readdirSync(world.project)).toEqual(['a']);
  });

  test('a hard link from the project to an outside file is not prevented: it is the same file', async () => {
    writeFileSync(inHome('note'), 'before');
    linkSync(inHome('note'), inProject('same'));
    await sh('echo after > same');
    expect(readFileSync(inHome('note'), 'utf8')).toBe('after\n');
  });
});
