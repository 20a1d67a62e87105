// `ollm sync --hook` with what programs give to their hooks on standard input.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome } from '../../support/cli.ts';

const record = (text: string): string =>
  `${JSON.stringify({
    ...{ type: 'user', uuid: '1', parentUuid: null, sessionId: 'elm', cwd: '/home/ada' },
    timestamp: '2026-01-02T03:04:05.000Z',
    message: { role: 'user', content: text },
  })}\n`;

describe('ollm sync --hook', () => {
  it('indexes the named file for the search, and prints nothing that a program could take for an answer', async () => {
    using home = createHome();
    const folder = join(home.path, '.claude', 'projects', 'p');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'elm.jsonl');
    writeFileSync(path, record('The quokka jumps'));
    writeFileSync(join(folder, 'oak.jsonl'), record('The other quokka'));
    const input = JSON.stringify({ session_id: 'elm', transcript_path: path, hook_event_name: 'Stop' });
    const [first, second] = await Promise.all([
      home.run(['sync', '--hook'], { input }),
      home.run(['sync', '--hook'], { input }),
    ]);
    for (const run of [first, second]) expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect((await home.run(['search', 'quokka'])).stdout).toMatch(/^claude:elm#1\t[^\n]*\n$/);
  });

  it.each([['{}'], ['{"transcript_path":null}']])('does nothing for %s', async (input) => {
    using home = createHome();
    expect(await home.run(['sync', '--hook'], { input })).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    ['{"transcript_path":7}', 'is not text'],
    ['{"transcript_path":"/nowhere/a.jsonl"}', 'in which a program keeps its sessions'],
  ])('exits with 1 for %j, because 2 would make a program continue', async (input, reason) => {
    using home = createHome();
    const run = await home.run(['sync', '--hook'], { input });
    expect(run).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(reason) });
  });

  it('exits with 1 if the settings cannot be read', async () => {
    using home = createHome();
    writeFileSync(join(home.path, 'config.yaml'), 'provider: [\n');
    expect(await home.run(['sync', '--hook'], { input: '{"transcript_path":"/a"}' })).toMatchObject({ exitCode: 1 });
  });
});
