// The programs themselves call the hooks that were added for them, and a search finds the session immediately.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { changePlanned } from '../../lib/app/agent-config/change-planned.ts';
import { planHooks } from '../../lib/app/agent-config/hook-plan.ts';
import { createApp } from '../../lib/app/compose.ts';
import { claude } from '../agents/programs/claude.ts';
import { codex } from '../agents/programs/codex.ts';
import { gemini } from '../agents/programs/gemini.ts';
import { commandOf } from '../agents/programs/program.ts';
import { OLLM } from '../support/cli.ts';
import { goOffline } from '../support/offline.ts';

const TURN = { prompt: 'Which port does the server take?', answer: 'It takes port 4711.' };
/** Codex calls hooks that its user has not reviewed only with this. */
const REVIEWED = { codex: ['--dangerously-bypass-hook-trust'] } as Readonly<Record<string, readonly string[]>>;

describe.each([claude, codex, gemini])('$agent itself', (program) => {
  const command = commandOf(program);
  if (command === undefined) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }

  it('calls ollm, which finds the session', async () => {
    await using offline = await goOffline([TURN], program.files);
    const cwd = join(offline.home, 'project');
    mkdirSync(cwd);
    mkdirSync(join(offline.home, `.${program.agent}`), { recursive: true });
    const env = { HOME: offline.home, OLLM_HOME: join(offline.home, 'ollm') };
    const app = await createApp({ env, cwd, flags: {}, command: 'test' });
    const plans = await planHooks(app, { agents: [program.agent], program: [process.execPath, OLLM] });
    for (const plan of plans) expect(await changePlanned(app, plan, 'test')).toMatchObject({ state: 'add' });
    await app.close();
    const [verb = '', ...rest] = program.turn(TURN.prompt);
    await offline.run([command, verb, ...(REVIEWED[program.agent] ?? []), ...rest], {
      cwd,
      env: program.env(offline.url),
    });
    const sync = await offline.run([process.execPath, OLLM, 'sync'], { cwd, env });
    expect(sync).toContain(' of 1 read, 0 new texts.');
    const found = await offline.run([process.execPath, OLLM, 'search', '--exact', '4711'], { cwd, env });
    expect(found).toContain(TURN.answer);
  });
});
