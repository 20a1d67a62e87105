// Needs bubblewrap, which makes a mount without writing for one process.
import { spawnSync } from 'node:child_process';
import { createHome, OLLM } from '../../support/cli.ts';

it('ollm doctor finishes its checks on a disk that is mounted read-only', async () => {
  using home = createHome();
  await home.append('notes', [{ type: 'x.note', data: {} }]);
  const bound = ['--dev-bind', '/', '/', '--ro-bind', home.path, home.path, '--'];
  if (spawnSync('bwrap', [...bound, 'true']).status !== 0) {
    console.log('skipped: bwrap cannot be started here');
    return;
  }
  const env = { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path };
  const doctor = [process.execPath, OLLM, 'doctor', '--json'];
  const { stdout, status } = spawnSync('bwrap', [...bound, ...doctor], { env, encoding: 'utf8' });
  const checks = JSON.parse(stdout) as { name: string; status: string; text: string }[];
  expect(status).toBe(1);
  expect(checks.find(({ name }) => name === 'data directory')).toMatchObject({
    status: 'fail',
    text: expect.stringContaining('mounted read-only'),
  });
  expect(checks.find(({ name }) => name === 'files')).toMatchObject({ status: 'ok' });
  expect(checks.find(({ name }) => name === 'trash')).toMatchObject({ status: 'ok' });
});
