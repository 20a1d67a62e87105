// The agent of a server ends when nothing more can be stored of its session: the log says so, and the server goes on.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processesMarked } from '../../lib/platform/processes/process-tree.ts';
import { describeWith } from '../lab/kernel/needs.ts';
import { createRunHome } from '../runs/run-home.ts';
import { serve } from '../support/served.ts';
import { until } from '../support/until.ts';

describeWith('prlimit', 'a server whose files may not grow', () => {
  it('goes on after the end of an agent that it cannot note', async () => {
    using runs = createRunHome();
    runs.trust([runs.project], { server: { workspaces: [runs.project] } });
    const env = { PATH: runs.agentThatWrites(), HOME: runs.home.path };
    await using server = await serve(runs.home, [], { env, cwd: runs.project });
    const started = await server.post('/api/llm/providers/qwen/sessions/start?wait=1', {
      prompt: 'hello',
      workspacePath: runs.project,
    });
    expect(started.body.data.status).toBe('completed');
    const [journal] = runs.journals();
    const bytes = statSync(join(runs.home.sessions, journal!)).size;
    const limited = spawnSync('prlimit', [`--fsize=${bytes}:${bytes}`, '--pid', String(server.child.pid)]);
    expect(limited.status).toBe(0);
    const mark = runs.events().find(({ type }) => type === 'run.started')!.data.mark;
    for (const pid of processesMarked(String(mark))) process.kill(pid, 'SIGKILL');
    const log = join(runs.home.path, 'ollm.log');
    const isNoted = () => existsSync(log) && readFileSync(log, 'utf8').includes('The end of a run could not be stored');
    await until(() => isNoted() || server.child.exitCode !== null);
    expect(server.child.exitCode).toBeNull();
    expect((await server.data('/health')).status).toBe('ok');
  });
});
