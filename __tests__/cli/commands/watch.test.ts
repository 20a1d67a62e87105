// `ollm watch` with the built program: it imports as files are written, and ends in order.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

describe('ollm watch', () => {
  it('--once imports new sessions, and ends', async () => {
    using home = createHome();
    const place = worldOf(home);
    writeFileSync(place('elm'), line(1, 'One'));
    const { exitCode, stdout, stderr } = await home.run(['watch', '--once']);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('1 session looked at') });
    expect(stdout).toMatch(/^claude:elm\tclaude-elm\t\d+\n$/);
    expect((await home.run(['watch', '--once'])).stdout).toBe('');
  });

  it('imports sessions that appear while it runs, and ends in order on a signal', async () => {
    using home = createHome();
    const place = worldOf(home);
    writeFileSync(place('elm'), line(1, 'One'));
    const child = home.start(['watch']);
    const ended = new Promise((resolve) => child.on('close', (...how) => resolve(how)));
    const holds = (id: string, text: string) => () =>
      existsSync(home.journal(id)) && readFileSync(home.journal(id), 'utf8').includes(text);
    await until(holds('claude-elm', 'session.closed'));
    appendFileSync(place('elm'), line(2, 'Another matter'));
    writeFileSync(place('oak'), line(1, 'A new one'));
    await until(holds('claude-elm', 'Another matter'));
    await until(holds('claude-oak', 'A new one'));
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
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
