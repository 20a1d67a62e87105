// The programs themselves continue the sessions that were handed to them: each is asked a question in the session
// that was written for it, with no network, and its request to a model server of the test holds texts of each role,
// says how calls ended, and has the calls. The test does not look for pictures.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { type Handover, type HandoverRequest, handOver } from '../../lib/app/handover/hand-over.ts';
import { claude } from '../agents/programs/claude.ts';
import { codex } from '../agents/programs/codex.ts';
import { copilot } from '../agents/programs/copilot.ts';
import { gemini } from '../agents/programs/gemini.ts';
import { opencode } from '../agents/programs/opencode.ts';
import { pi } from '../agents/programs/pi.ts';
import { commandOf, type Program } from '../agents/programs/program.ts';
import { qwen } from '../agents/programs/qwen.ts';
import { claudeConversation } from '../support/claude-conversation.ts';
import { goOffline } from '../support/offline.ts';
import type { ScriptedTurn } from '../support/scripted-turn.ts';

const NEXT: ScriptedTurn = { prompt: 'Which port was it in the end?', answer: 'It was port 4711.' };
const SOURCE = 'claude:5f3c0000-1111-4222-8333-444455556666';
/** Texts that the request must hold, in each protocol. */
const SAID = [
  ...['This conversation was carried over from Claude Code', 'first question', 'both at once', 'second question'],
  ...['the last answer', '[The call was denied and did not run.]', '[No result of the call is known.]'],
  ...['the exit code is 1', 'looks like JSON', 'mcp__other_server__run', 'deep'],
];

describe.each([claude, codex, gemini, qwen, pi, copilot, opencode])('a session handed to $agent', (program) => {
  const command = commandOf(program);
  if (command === undefined) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }

  it.each(['native', 'text'] as const)('is continued by it, with its calls as %s', async (calls) => {
    await using offline = await goOffline([NEXT], program.files);
    const cwd = join(offline.home, 'project');
    const source = join(offline.home, 'source');
    mkdirSync(cwd);
    for (const name of ['.claude', '.codex', '.gemini', '.qwen', '.pi/agent', '.copilot', 'ollm']) {
      mkdirSync(join(offline.home, name), { recursive: true });
    }
    claudeConversation(join(offline.home, '.claude', 'projects', 'source'), source);
    const { commands, address } = await hand(offline.home, cwd, { to: program.agent as HandoverRequest['to'], calls });
    const options = { cwd, env: program.env(offline.url) };
    for (const [, ...words] of commands.slice(0, -1)) await offline.run([command, ...words], options);
    const id = address.slice(address.indexOf(':') + 1);
    const output = await offline.run([command, ...program.turn(NEXT.prompt, id), ...modelOf(program)], options);
    expect(output).toContain(NEXT.answer);
    const request = offline.requests().findLast((messages) => JSON.stringify(messages).includes(NEXT.prompt));
    const sent = JSON.stringify(request);
    expect(SAID.filter((text) => !sent.includes(text))).toEqual([]);
    expect(sent.includes('"role":"tool"')).toBe(calls === 'native');
  });
});

async function hand(home: string, cwd: string, request: HandoverRequest): Promise<Handover> {
  const env = { HOME: home, OLLM_HOME: join(home, 'ollm') };
  const app = await createApp({ env, cwd, flags: {}, command: 'test' });
  try {
    return await handOver(app, SOURCE, request);
  } finally {
    await app.close();
  }
}

/** It asks the model of the last message again, and a session that was handed over names none that there is. */
function modelOf({ agent, model }: Program): readonly string[] {
  return agent === 'opencode' ? ['--model', `local/${model}`] : [];
}
