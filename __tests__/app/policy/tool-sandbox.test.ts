import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { createApp } from '../../../lib/app/compose.ts';
import { examine } from '../../../lib/app/doctor/doctor.ts';
import { sandboxFor, scopeFor, toolProgramsFor } from '../../../lib/app/policy/tool-sandbox.ts';
import type { Sandbox, SandboxFinding } from '../../../lib/tools/sandboxing.ts';
import { until } from '../../support/until.ts';
import { confined, describeConfined } from '../../tools/program-world.ts';

const NONE: SandboxFinding = { available: false, reason: 'bubblewrap is not installed.' };
const none = async () => NONE;

let home: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join('/var/tmp', 'ollm-home-')));
  project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

function app(settings = '', env: Record<string, string> = {}): Promise<App> {
  const config = join(home, 'settings.yaml');
  writeFileSync(config, settings);
  return createApp({
    env: { HOME: home, PATH: '/usr/bin:/bin', OLLM_PROVIDER: 'offline', ...env },
    cwd: project,
    command: 'ollm test',
    flags: { config },
  });
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const run = async (programs: Awaited<ReturnType<typeof toolProgramsFor>>, line: string) =>
  programs.run({ argv: ['sh', '-c', line], cwd: project }, { signal: new AbortController().signal });

describe('the scope of the sandbox', () => {
  test('hides the file that opens encrypted sessions, in any place', async () => {
    const keyFile = join(home, 'elsewhere', 'key');
    expect(scopeFor(await app(`retention:\n  keyFile: ${keyFile}\n`)).hidden).toContain(keyFile);
  });

  test('allows writing the project and places that the user opened, but not keys, journals and settings', async () => {
    mkdirSync(join(home, 'cache'));
    const scope = scopeFor(await app(`tools:\n  writable: [~/cache]\n  hidden: [~/notes]\n  network: true\n`));
    expect(scope.writable).toEqual([project, join(home, 'cache')]);
    expect(scope.network).toBe(true);
    expect(scope.hidden).toEqual(
      expect.arrayContaining(['.ssh', '.aws', '.gnupg', '.netrc', '.ollm', 'notes'].map((name) => join(home, name))),
    );
    expect(scope.protected).toEqual(
      expect.arrayContaining([
        join(project, '.git/'),
        join(project, '.ollm/'),
        join(home, 'cache', '.git/'),
        join(home, '.bashrc'),
        join(home, '.config/fish/'),
        join(home, 'settings.yaml'),
        join(home, '.ollm/session-data/'),
      ]),
    );
  });
});

describe('the setting tools.sandbox', () => {
  const settings = (value: string) => `tools:\n  sandbox: ${value}\n`;

  test('required: without a sandbox no program runs, and the reason is given', async () => {
    const programs = await toolProgramsFor(await app(settings('required')), none);
    expect(programs).toMatchObject({ isConfined: false, boundary: { sandbox: 'none' } });
    await expect(run(programs, 'touch ran')).rejects.toThrow(
      'No program is started: tools.sandbox is required, and there is none: bubblewrap is not installed.',
    );
    expect(readdirSync(project)).toEqual(['.git']);
  });

  test('preferred: without a sandbox programs run unconfined, and that is reported', async () => {
    const programs = await toolProgramsFor(await app(settings('preferred')), none);
    expect(programs).toMatchObject({
      isConfined: false,
      boundary: { sandbox: 'none', network: true, words: 'not confined: bubblewrap is not installed.' },
    });
    expect(await run(programs, 'exit 3')).toMatchObject({ exitCode: 3 });
  });

  test('off: no sandbox is even searched', async () => {
    const looking = () => Promise.reject(new Error('It was looked for.'));
    expect(await sandboxFor(await app(settings('off')), looking)).toEqual({
      kind: 'open',
      words: 'not confined: tools.sandbox is off',
    });
  });

  test('a sandbox that exists is used and named', async () => {
    const sandbox: Sandbox = { name: 'fence', confine: (argv) => ({ argv: ['/usr/bin/env', 'FENCED=yes', ...argv] }) };
    const programs = await toolProgramsFor(await app(), async () => ({ available: true, sandbox }));
    expect(programs).toMatchObject({
      isConfined: true,
      boundary: { sandbox: 'fence', words: 'fence, without network', network: false },
    });
    expect(textOf((await run(programs, 'echo $FENCED')).output)).toBe('yes\n');
  });
});

test('programs get the environment made for tools, and the removed names are known', async () => {
  const env = { DEPLOY_TOKEN: 'battery', EDITOR: 'vi', PAGER: 'less', GIT_EDITOR: 'vi' };
  const programs = await toolProgramsFor(await app('', env), none);
  expect(programs.boundary.envRemoved).toEqual(['DEPLOY_TOKEN']);
  const { output } = await run(programs, 'echo $DEPLOY_TOKEN-$EDITOR-$PAGER-$GIT_EDITOR-$GIT_TERMINAL_PROMPT');
  expect(textOf(output)).toBe('-vi-cat-true-0\n');
});

test('limits are those of the configuration', async () => {
  const brief = await toolProgramsFor(await app('tools:\n  timeoutSeconds: 1\n'), none);
  expect(await run(brief, 'exec sleep 1000')).toMatchObject({ status: 'timeout' });
  const terse = await toolProgramsFor(await app('tools:\n  maxOutputBytes: 1024\n'), none);
  expect(await run(terse, 'exec yes')).toMatchObject({ status: 'too-much-output' });
});

describeConfined(confined, () => {
  test('a file with a secret name is empty for programs until it is named in tools.readable', async () => {
    for (const name of ['.env', '.env.test']) writeFileSync(join(project, name), `${name}\n`);
    const read = async (settings: string) =>
      textOf((await run(await toolProgramsFor(await app(settings)), 'cat .env .env.test')).output);
    expect(await read('')).toBe('');
    expect(await read(`tools:\n  readable: [${JSON.stringify(join(project, '.env.test'))}]\n`)).toBe('.env.test\n');
  });

  test('two programs run at the same time in a project without .ollm, also after a killed run left its placeholder', async () => {
    const programs = await toolProgramsFor(await app());
    const first = run(programs, 'until [ -e go ]; do sleep 0.05; done; echo first');
    const held = join(project, '.ollm');
    // A place stays as long as the kernel has not ended the killed process in it: the next run removes it.
    const isGone = async () => {
      if (!existsSync(held)) return true;
      await run(programs, 'true');
      return false;
    };
    await until(() => existsSync(held));
    const second = await run(programs, 'echo second; touch .ollm/x');
    expect(textOf(second.output)).toContain('second');
    writeFileSync(join(project, 'go'), '');
    expect(textOf((await first).output)).toBe('first\n');
    await until(isGone);

    mkdirSync(held, { mode: 0o555 });
    chmodSync(held, 0o1555);
    expect(textOf((await run(programs, 'echo third')).output)).toBe('third\n');
    await until(isGone);
  });
});

describeConfined(confined, () => {
  test('a program that only reads sees the project unchanged: no placeholder is made, and a hidden file is an empty file', async () => {
    writeFileSync(join(project, '.env'), 'KEY=battery');
    mkdirSync(join(project, 'sub/.ollm'), { recursive: true });
    writeFileSync(join(project, 'sub/.ollm/config.yaml'), 'battery');
    const programs = await toolProgramsFor(await app());
    const look = 'ls -A; stat -c "%F %s" .env sub/.ollm; ls -A sub/.ollm; touch x .ollm';
    const { output } = await programs.run(
      { argv: ['bash', '-c', look], cwd: project, readsOnly: true },
      { signal: new AbortController().signal },
    );
    expect(textOf(output).split('\n').slice(0, 5)).toEqual([
      '.env',
      '.git',
      'sub',
      'regular empty file 0',
      expect.stringMatching(/^directory \d+$/),
    ]);
    expect(textOf(output).match(/Read-only file system/g)).toHaveLength(2);
    expect(readdirSync(project).sort()).toEqual(['.env', '.git', 'sub']);
  });
});

describeConfined(confined, () => {
  test('a program can write the project and nothing else, by the configuration', async () => {
    for (const name of ['.ssh', '.ollm']) {
      mkdirSync(join(home, name));
      writeFileSync(join(home, name, 'key'), 'battery');
    }
    const programs = await toolProgramsFor(await app());
    expect(programs).toMatchObject({ isConfined: true, boundary: { sandbox: 'bubblewrap' } });
    const { output } = await run(
      programs,
      'cat ~/.ssh/key ~/.ollm/*; touch made ~/.bashrc .git/hooks .ollm/config.yaml ~/x; ls -A',
    );
    expect(textOf(output)).not.toContain('battery');
    expect(textOf(output).match(/Read-only file system/g)).toHaveLength(4);
    expect(readdirSync(project).sort()).toEqual(['.git', 'made']);
  });
});

describeConfined(confined, () => {
  test('a file that the policy hides in a project by its name is hidden from programs too', async () => {
    for (const name of ['deploy', 'sub/.ollm', 'sub/.git', 'node_modules/tls'])
      mkdirSync(join(project, name), { recursive: true });
    const places = ['.env', '.env.local', 'deploy/id_ed25519', 'deploy/Server.PEM', 'sub/.ollm/config.yaml'];
    for (const name of places) writeFileSync(join(project, name), 'battery');
    for (const name of ['.env.example', 'sub/.git/config', 'node_modules/tls/ca.pem', 'plain'])
      writeFileSync(join(project, name), 'seen ');
    symlinkSync('plain', join(project, 'link.key'));
    const programs = await toolProgramsFor(await app());
    const { output } = await run(
      programs,
      `cat ${places.join(' ')} .env.example node_modules/tls/ca.pem sub/.git/config link.key 2>/dev/null;
       ln .env hard; mv .env away; echo x >> sub/.git/config; grep -rl battery .`,
    );
    expect(textOf(output)).not.toContain('battery');
    expect(textOf(output)).toMatch(/^seen seen seen seen /);
    expect(readFileSync(join(project, '.env'), 'utf8')).toBe('battery');
    expect(readFileSync(join(project, 'sub/.git/config'), 'utf8')).toBe('seen ');
    expect(readdirSync(project)).not.toContain('hard');
  });
});

describe('ollm doctor', () => {
  const rowOf = async (settings: string) => {
    for await (const check of examine(await app(settings), { nodeVersion: '24.0.0' }))
      if (check.name === 'sandbox') return check;
    return undefined;
  };

  test('reports the sandbox of the programs of tools', async () => {
    const row = await rowOf('');
    expect(row?.text).toMatch(/^bubblewrap, without network$|^seatbelt, without network$|^not confined: /);
    expect(row?.status).toBe(row?.text.startsWith('not') ? 'warn' : 'ok');
  });

  test('warns if there is no sandbox', async () => {
    expect(await rowOf('tools:\n  sandbox: off\n')).toEqual({
      name: 'sandbox',
      status: 'warn',
      text: 'not confined: tools.sandbox is off',
      remedy: 'Each program that a tool would start is asked about.',
    });
  });
});
