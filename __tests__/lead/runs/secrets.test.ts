// An agent that says a key in each kind of its messages. No file of the home of ollm has that key.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRunHome } from '../../runs/run-home.ts';

const KEY = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

it('a run stores no key that an agent prints, thinks, says, asks about or fails with', async () => {
  using runs = createRunHome();
  const { home, project } = runs;
  runs.trust([project], { services: { environment: { allowList: ['STRANGE_KEY'] } } });
  const env = { PATH: runs.agentThat('leaks'), STRANGE_KEY: KEY };
  const { exitCode } = await home.here(['ask', '--agent', 'qwen', 'Do it'], { cwd: project, env });
  expect(exitCode).toBe(8);
  const types = runs.events().map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(['run.asked', 'run.output', 'run.partial', 'tool.decided', 'run.ended']),
  );
  const failed = runs.events().findLast(({ type }) => type === 'run.status');
  expect(failed).toMatchObject({
    data: { to: 'failed', error: { message: expect.stringContaining('no answer for') } },
  });
  const files = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const { parentPath, name } of files) {
    expect([name, readFileSync(join(parentPath, name)).includes(KEY)]).toEqual([name, false]);
  }
});
