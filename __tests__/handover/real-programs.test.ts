// The programs themselves continue the sessions that were handed to them: each is asked a question in the session
// that was written for it, with no network, and its request to a model server of the test holds texts of each role,
// says how calls ended, and has the calls. Then each is proved as `--prove` does it, pictures too.
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from '../../lib/app/app.ts';
import { createApp } from '../../lib/app/compose.ts';
import { type Handover, type HandoverRequest, handOver } from '../../lib/app/handover/hand-over.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import type { SessionRow } from '../../lib/app/list/session-row.ts';
import { TARGET_NAMES } from '../../lib/handover/targets.ts';
import { findSandbox } from '../../lib/tools/sandbox/find-sandbox.ts';
import { claude } from '../agents/programs/claude.ts';
import { codex } from '../agents/programs/codex.ts';
import { copilot } from '../agents/programs/copilot.ts';
import { gemini } from '../agents/programs/gemini.ts';
import { opencode } from '../agents/programs/opencode.ts';
import { pi } from '../agents/programs/pi.ts';
import { commandOf } from '../agents/programs/program.ts';
import { qwen } from '../agents/programs/qwen.ts';
import { listingOf } from '../support/agent-homes.ts';
import { claudeConversation } from '../support/claude-conversation.ts';
import { goOffline } from '../support/offline.ts';
import type { ScriptedTurn } from '../support/scripted-turn.ts';
import { createTree } from '../support/tree.ts';

const NEXT: ScriptedTurn = { prompt: 'Which port was it in the end?', answer: 'It was port 4711.' };
const SOURCE = 'claude:5f3c0000-1111-4222-8333-444455556666';
const PLACES = ['.claude', '.codex', '.gemini', '.qwen', '.pi/agent', '.copilot'];
/** Texts that the request must hold, in each protocol. */
const canConfine = (await findSandbox()).available;
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
    for (const name of [...PLACES, 'ollm']) mkdirSync(join(offline.home, name), { recursive: true });
    claudeConversation(join(offline.home, '.claude', 'projects', 'source'), source);
    const { commands } = await hand(offline.home, cwd, { to: program.agent as HandoverRequest['to'], calls });
    const options = { cwd, env: program.env(offline.url) };
    for (const [, ...words] of commands.slice(0, -1)) await offline.run([command, ...words], options);
    const id = commands
      .at(-1)!
      .at(-1)!
      .replace(/^--resume=/, '');
    const output = await offline.run([command, ...program.turn(NEXT.prompt, id)], options);
    expect(output).toContain(NEXT.answer);
    const request = offline.requests().findLast((messages) => JSON.stringify(messages).includes(NEXT.prompt));
    const sent = JSON.stringify(request);
    expect(SAID.filter((text) => !sent.includes(text))).toEqual([]);
    expect(sent.includes('"role":"tool"')).toBe(calls === 'native');
    rmSync(join(offline.home, 'ollm'), { recursive: true });
    // Gemini CLI continues in a copy of the file, in a folder of another name.
    const continuing = await continuedCopies(offline.home, cwd);
    expect(continuing.map((row) => [row.agent, row.copyOf])).toEqual([[program.agent, SOURCE]]);
  });
});

describe.each(TARGET_NAMES)('a proof that %s takes a session over', (to) => {
  const command = commandOf({ agent: to });
  if (command === undefined || !canConfine) {
    it.skip('(skipped where it is not installed, or bubblewrap cannot confine it)', () => {});
    return;
  }

  it.each(['native', 'text'] as const)('finds every part in its request, with calls as %s', async (calls) => {
    using tree = createTree();
    const home = tree.root;
    const places = [...PLACES, 'project'];
    for (const name of [...places, 'ollm']) mkdirSync(join(home, name), { recursive: true });
    claudeConversation(join(home, '.claude', 'projects', 'source'), join(home, 'source'));
    const before = listingOf(home, places);
    const request = { to, calls, prove: true, dryRun: true };
    const { proof, carried } = await hand(home, join(home, 'project'), request, dirname(command));
    const all = (count: number) => ({ written: count, sent: count });
    expect(proof?.counts).toEqual({
      ...{ texts: all(carried.texts), pictures: all(carried.pictures) },
      ...{ calls: all(carried.calls), results: all(carried.calls) },
    });
    expect(carried.calls).toBe(calls === 'native' ? 5 : 0);
    expect(listingOf(home, places)).toEqual(before);
  });
});

async function hand(home: string, cwd: string, request: HandoverRequest, folder = ''): Promise<Handover> {
  return withApp({ home, cwd, folder }, (app) => handOver(app, SOURCE, request));
}

/** Copies in which something new happened, in a home without the list of handovers. */
async function continuedCopies(home: string, cwd: string): Promise<readonly SessionRow[]> {
  return withApp({ home, cwd }, async (app) => {
    await syncSessions(app);
    const { rows } = await listAll(app);
    return rows.filter(({ continued }) => continued);
  });
}

async function withApp<Result>(
  { home, cwd, folder = '' }: { readonly home: string; readonly cwd: string; readonly folder?: string },
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const env = { HOME: home, OLLM_HOME: join(home, 'ollm'), PATH: `${folder}:${process.env.PATH}` };
  const app = await createApp({ env, cwd, flags: {}, command: 'test' });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
