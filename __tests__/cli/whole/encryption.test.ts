import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineBuffer } from '../../../lib/journal/line/buffer.ts';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

const PLANTED = 'blue-whale-at-dawn';
const PASSPHRASE = 'correct horse battery';

function configure(home: Home, lines: readonly string[]): void {
  writeFileSync(join(home.path, 'config.yaml'), `retention:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

function homeWithKeyFile(): Home {
  const home = createHome();
  writeFileSync(join(home.path, 'key'), randomBytes(32), { mode: 0o600 });
  configure(home, ['encryptAtRest: true', `keyFile: ${join(home.path, 'key')}`]);
  return home;
}

/** Every file of a home that holds the word, in its name or in it. */
function filesWith(home: Home, word: string): string[] {
  const paths = readdirSync(home.path, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => {
    const full = join(home.path, path);
    return path.includes(word) || (statSync(full).isFile() && readFileSync(full).includes(word));
  });
}

describe('encrypted sessions of the command line', () => {
  it('are written and read with a key file, and leave no readable text in the home', async () => {
    using home = homeWithKeyFile();
    const asked = await home.here(['ask', '--name', 'plan', '--provider', 'offline', `Where is ${PLANTED}?`]);
    expect(asked.exitCode).toBe(0);
    expect((await home.here(['ask', '--name', 'plan', `And when is ${PLANTED}?`])).exitCode).toBe(0);
    expect(filesWith(home, PLANTED)).toEqual([]);
    for (const command of [
      ['show', 'plan'],
      ['export', 'plan'],
      ['replay', 'plan'],
    ]) {
      const { stdout, exitCode } = await home.here(command);
      expect([command[0], exitCode, stdout.includes(PLANTED)]).toEqual([command[0], 0, true]);
    }
  });

  it('warn when they are exported to a file that is not encrypted', async () => {
    using home = homeWithKeyFile();
    await home.append('plan', [{ type: 'session.titled', data: { title: PLANTED, by: 'user' } }]);
    const told = async (...options: string[]) => {
      const { exitCode, stderr } = await home.here(['export', 'plan', ...options]);
      return [exitCode, stderr.includes('is encrypted; this file is not')];
    };
    expect(await told('-o', join(home.path, 'plan.md'))).toEqual([0, true]);
    expect(await told('-o', join(home.path, 'plan.jsonl'))).toEqual([0, false]);
    expect(readFileSync(join(home.path, 'plan.jsonl'), 'utf8')).not.toContain(PLANTED);
    expect(await told('-o', join(home.path, 'redacted.jsonl'), '--redact')).toEqual([0, true]);
  });

  it('are listed, followed, verified and deleted without the key, and not shown', async () => {
    using home = homeWithKeyFile();
    await home.append('plan', [{ type: 'session.titled', data: { title: PLANTED, by: 'user' } }]);
    configure(home, []);
    expect((await home.here(['list'])).stdout).toMatch(/^plan\t\d{4}-.*\tencrypted$/m);
    const tail = await home.here(['tail', 'plan']);
    expect(tail.stdout).toMatch(/session\.titled +\(encrypted\)/);
    expect([tail.exitCode, tail.stderr]).toEqual([0, '']);
    expect((await home.here(['verify', 'plan'])).exitCode).toBe(0);
    for (const command of ['show', 'export', 'replay']) {
      const { exitCode, stderr } = await home.here([command, 'plan']);
      expect([command, exitCode]).toEqual([command, 7]);
      expect(stderr).toContain('a key file opens it');
    }
    expect((await home.here(['delete', 'plan', '--purge', '--yes'])).exitCode).toBe(0);
    expect((await home.here(['list'])).stdout).not.toContain('plan');
  });

  it('are reported as damaged by verify --deep and by replay if a line was cut out of the middle', async () => {
    using home = homeWithKeyFile();
    const titled = (title: string) => ({ type: 'session.titled', data: { title, by: 'user' } });
    await home.append('plan', [titled('one'), titled('two'), titled('three')]);
    expect((await home.here(['verify', 'plan', '--deep'])).exitCode).toBe(0);
    const path = home.journal('plan');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const buffer = new LineBuffer();
    let prev = '0'.repeat(16);
    for (const [seq, line] of lines.toSpliced(lines.length - 2, 1).entries()) {
      prev = buffer.addMembers(JSON.parse(line), seq, prev);
    }
    writeFileSync(path, buffer.bytes);
    expect((await home.here(['verify', 'plan'])).stdout).not.toContain('bad-seal');
    const deep = await home.here(['verify', 'plan', '--deep']);
    expect([deep.exitCode, deep.stdout]).toEqual([4, expect.stringMatching(/bad-seal.*skip 1 line before/)]);
    expect((await home.here(['replay', 'plan'])).stderr).toMatch(/skip 1 line before/);
  });

  it('are not confused with a plain session, which says on resume that it is not encrypted', async () => {
    using home = createHome();
    await home.append('plan', [{ type: 'session.titled', data: { title: 'plan', by: 'user' } }]);
    configure(home, ['encryptAtRest: true']);
    const { stderr, exitCode } = await home.here(['ask', '--resume', 'plan', '--provider', 'offline', 'hello']);
    expect([exitCode, stderr.includes('This session is not encrypted')]).toEqual([0, true]);
  });

  it('are refused if no user can be asked for a passphrase', async () => {
    using home = createHome();
    configure(home, ['encryptAtRest: true']);
    const { exitCode, stderr } = await home.here(['ask', '--provider', 'offline', PLANTED]);
    expect(exitCode).toBe(7);
    expect(stderr).toContain('retention.keyFile');
    expect(filesWith(home, PLANTED)).toEqual([]);
  });
});

describe('a passphrase on a terminal', () => {
  it('is asked for before the REPL begins, is not shown, and encrypts everything typed after it', async () => {
    using home = createHome();
    configure(home, ['encryptAtRest: true']);
    const options = { cwd: home.path, env: { PATH: process.env.PATH ?? '', HOME: home.path, OLLM_HOME: home.path } };
    const repl = ['repl', '--name', 'plan', '--provider', 'offline'];
    {
      await using terminal = openTerminal(process.execPath, [OLLM, ...repl], options);
      await terminal.waitFor('New passphrase');
      terminal.type(`${PASSPHRASE}\r`);
      await terminal.waitFor('Repeat the passphrase');
      terminal.type(`${PASSPHRASE}\r`);
      await terminal.waitFor('This session is encrypted');
      terminal.type(`Remember ${PLANTED}\r`);
      await terminal.waitFor('not a language model');
      terminal.type('/save\r');
      await terminal.waitFor('An encrypted session has no snapshot');
      terminal.type('/exit\r');
      expect(await terminal.exit).toMatchObject({ code: 0 });
      expect(terminal.raw()).not.toContain(PASSPHRASE);
    }
    expect(filesWith(home, PLANTED)).toEqual([]);
    expect(filesWith(home, PASSPHRASE)).toEqual([]);
    // A REPL that is open reads the keys itself, and asks for none.
    configure(home, []);
    {
      await using terminal = openTerminal(process.execPath, [OLLM, 'repl', '--provider', 'offline'], options);
      await terminal.waitFor(/^>( |$)/);
      terminal.type('/load plan\r');
      await terminal.waitFor('before a REPL is open');
      terminal.type('/exit\r');
      expect(await terminal.exit).toMatchObject({ code: 0 });
    }
    await using shown = openTerminal(process.execPath, [OLLM, 'show', 'plan'], options);
    await shown.waitFor('Passphrase of session plan');
    shown.type('not this one\r');
    await shown.waitFor('Wrong passphrase');
    // A slip is rubbed out unseen.
    shown.type(`${PASSPHRASE}x\x7f\r`);
    // The answer of the offline provider names the words of the question.
    await shown.waitFor('`whale`');
    expect(await shown.exit).toMatchObject({ code: 0 });
  });

  it.each([
    ['Ctrl+C, in the middle of it', 'corr\x03'],
    ['Ctrl+D', '\x04'],
  ])('stays missing after %s: the REPL ends with 130 and creates no session', async (_, keys) => {
    using home = createHome();
    configure(home, ['encryptAtRest: true']);
    const options = { cwd: home.path, env: { PATH: process.env.PATH ?? '', HOME: home.path, OLLM_HOME: home.path } };
    await using terminal = openTerminal(process.execPath, [OLLM, 'repl', '--provider', 'offline'], options);
    await terminal.waitFor('New passphrase');
    terminal.type(keys);
    await terminal.waitFor('No passphrase was given.');
    expect(await terminal.exit).toMatchObject({ code: 130 });
    expect((await home.here(['list', '--json'])).stdout).toBe('[]\n');
  });
});
