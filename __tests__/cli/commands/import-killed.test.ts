// `ollm import`, killed again and again with the built program.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createHome, type Home } from '../../support/cli.ts';

const uuid = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;

function prompt(number: number, text: string): string {
  const message = { role: 'user', content: text };
  const place = { parentUuid: number === 1 ? null : uuid(number - 1), isSidechain: false, sessionId: 'a' };
  const record = { type: 'user', uuid: uuid(number), timestamp: '2026-01-02T03:04:05.000Z', cwd: '/home/ada/garden' };
  return `${JSON.stringify({ ...record, ...place, version: '2.0.0', message })}\n`;
}

function place(home: Home, id: string): string {
  const path = join(home.path, '.claude', 'projects', '-home-ada-garden', `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

it('an import that was killed at any moment and then continued equals an import that ran through', async () => {
  using whole = createHome();
  const texts = Array.from({ length: 1500 }, (_, index) => prompt(index + 1, `Question ${index} ${'x'.repeat(2000)}`));
  writeFileSync(place(whole, 'elm'), texts.join(''));
  const started = performance.now();
  await whole.run(['import', '--all']);
  const takes = performance.now() - started;
  using home = createHome();
  writeFileSync(place(home, 'elm'), texts.join(''));
  let interrupted = 0;
  for (let share = 0.3; share < 1.1; share += 0.1) {
    const child = home.start(['import', '--all']);
    const ended = new Promise((resolve) => child.on('close', resolve));
    await setTimeout(takes * share);
    child.kill('SIGKILL');
    interrupted += (await ended) === null ? 1 : 0;
  }
  expect(interrupted).toBeGreaterThan(0);
  const { exitCode, stderr } = await home.run(['import', '--all']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/ of 1 imported.*\n$/) });
  const events = async (each: Home) =>
    (await each.run(['export', 'claude-elm', '--format', 'jsonl'])).stdout
      .split('\n')
      .filter((line) => line.includes('"origin"'))
      .map((line) => (JSON.parse(line) as { type: string; data: { origin: object } }).data.origin)
      .slice(1);
  expect(await events(home)).toEqual(await events(whole));
  expect(await home.run(['verify', 'claude-elm'])).toMatchObject({ exitCode: 0, stderr: '' });
  // Nothing else is left: the same attachments as of one that was never killed.
  const blobs = (each: Home) => readdirSync(join(each.sessions, 'blobs')).sort();
  expect(blobs(home).filter((name) => !name.endsWith('.tmp'))).toEqual(blobs(whole));
});
