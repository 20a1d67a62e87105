import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

let home: Home;
beforeEach(async () => {
  home = createHome();
  const parts = [{ type: 'text', text: 'Where is the harbour light?' }];
  const data = { role: 'user', parts, tokens: { count: 4, method: 'estimated' }, trusted: true };
  await home.append('oak', [{ type: 'message.added', data }]);
});
afterEach(() => home[Symbol.dispose]());

const page = (name = 'oak.html') => join(home.path, name);

describe('ollm share --static', () => {
  it.each([['--events', '0-0'], ['-o', 'oak.html'], ['--dry-run']])(
    'is required for %s, because a link would show the whole session',
    async (...options) => {
      const { exitCode, stderr } = await home.here(['share', 'oak', ...options]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('is about a page; a link shows all of the session');
    },
  );

  it.each([
    [['--turns', '3'], 'Add --take-part'],
    [['--take-part', '--cost', '0'], 'It takes US dollars'],
    [['--take-part', '--turns', 'x'], 'It takes a whole number'],
  ] as const)('%j is refused for a link', async (options, words) => {
    const { exitCode, stderr } = await home.here(['share', 'oak', ...options]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it.each([['--expires', '2d'], ['--take-part']])('cannot be combined with %s', async (...options) => {
    const { exitCode, stderr } = await home.here(['share', 'oak', '--static', '--yes', ...options]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is about a link');
    expect(existsSync(page())).toBe(false);
  });

  it('writes nothing without --yes if no user can be asked', async () => {
    const { exitCode, stderr } = await home.here(['share', 'oak', '--static']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('no secret was recognised');
    expect(stderr).toContain('Add --yes');
    expect(existsSync(page())).toBe(false);
  });

  it('creates a new file that only the user can read, and never replaces a file', async () => {
    const first = await home.here(['share', 'oak', '--static', '--yes']);
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.stdout).toContain('Wrote ');
    expect(statSync(page()).mode & 0o777).toBe(0o600);
    const before = readFileSync(page(), 'utf8');
    expect(before).toContain('Where is the harbour light?');
    const second = await home.here(['share', 'oak', '--static', '--yes']);
    expect(second.exitCode).not.toBe(0);
    expect(second.stderr).toContain('is there already, and is not replaced');
    expect(readFileSync(page(), 'utf8')).toBe(before);
  });

  it('asks at a terminal, and writes nothing after n', async () => {
    for (const [key, isWritten] of [
      ['n', false],
      ['y', true],
    ] as const) {
      await using terminal = openTerminal(process.execPath, [OLLM, 'share', 'oak', '--static', '-o', `${key}.html`], {
        columns: 100,
        rows: 20,
        cwd: home.path,
        env: { ...process.env, OLLM_HOME: home.path, HOME: home.path },
      });
      await terminal.waitFor('Go on?');
      terminal.type(`${key}\r`);
      expect(await terminal.exit).toMatchObject({ code: isWritten ? 0 : 1 });
      expect(existsSync(page(`${key}.html`))).toBe(isWritten);
    }
  });

  it('lists the redactions in a dry run, also as JSON', async () => {
    const { stdout, exitCode } = await home.here(['share', 'oak', '--static', '--dry-run', '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      id: 'oak',
      secrets: {},
      homePaths: expect.any(Number),
      events: expect.any(Number),
    });
    expect(existsSync(page())).toBe(false);
  });

  it.each([
    [['share', 'oak'], 'Add --static'],
    [['share', 'oak', '--static', '--events', '9-2'], 'such as 12-40'],
    [['share', 'oak', '--static', '--events', 'x'], 'such as 12-40'],
    [['share', 'nobody', '--static', '--yes'], 'nobody'],
    [['share', 'oak', '--static', '--events', '90-99', '--yes'], 'has no event 90'],
    [['share', 'oak', '--static', '--yes', '-o', 'no/such/page.html'], 'there is no directory'],
  ])('refuses %j with an explanation', async (args, words) => {
    const { exitCode, stderr } = await home.here(args);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain(words);
  });
});
