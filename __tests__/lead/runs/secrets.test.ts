// An agent that says a key in each kind of its messages. No file of the home of ollm has that key, but the one of the
// settings, which gives it to the agent.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRunHome } from '../../runs/run-home.ts';

const KEY = 'harbour-light-41-river';

it('a run neither stores nor shows a key that its settings give to an agent, which prints, says and asks about it', async () => {
  using runs = createRunHome();
  const { home, project } = runs;
  runs.trust([project], { runs: { qwen: { env: { STRANGE_KEY: KEY, PLACE: 'north' } } } });
  // The settings win.
  const env = { PATH: runs.agentThat('leaks'), STRANGE_KEY: 'another-key-of-the-shell' };
  const { exitCode } = await home.here(['ask', '--agent', 'qwen', 'Do it'], { cwd: project, env });
  expect(exitCode).toBe(8);
  const types = runs.events().map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(['run.asked', 'run.output', 'run.partial', 'tool.decided', 'run.ended']),
  );
  const failed = runs.events().findLast(({ type }) => type === 'run.status');
  expect(failed).toMatchObject({
    data: { to: 'failed', error: { message: expect.stringMatching(/no answer for \[redacted/) } },
  });
  const files = readdirSync(home.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const { parentPath, name } of files) {
    if (name === 'config.yaml') continue;
    expect([name, readFileSync(join(parentPath, name)).includes(KEY)]).toEqual([name, false]);
  }
  const { stdout } = await home.here(['config', '--json'], { cwd: project });
  expect(stdout).toContain('PLACE');
  expect(stdout).not.toMatch(/harbour-light|north/);
});
