// Agents of other makers, as .ci/install-agents installs them, in a mode in which they do not ask: offline, in the
// sandbox of this machine. Each writes its session, works in its workspace, and is stopped at the boundary.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processesMarked } from '../../../lib/platform/processes/process-tree.ts';
import { claude } from '../../agents/programs/claude.ts';
import { codex } from '../../agents/programs/codex.ts';
import { copilot } from '../../agents/programs/copilot.ts';
import { gemini } from '../../agents/programs/gemini.ts';
import type { Program } from '../../agents/programs/program.ts';
import { qwen } from '../../agents/programs/qwen.ts';
import { OLLM } from '../../support/cli.ts';
import { goOffline } from '../../support/offline.ts';
import { describeConfined } from '../../tools/program-world.ts';
import { foldersOf } from './run-programs.ts';

/** Each agent with its mode in which it runs a command without a question. */
const MODES: readonly (readonly [Program, string])[] = [
  [claude, 'bypassPermissions'],
  [codex, 'agent-full-access'],
  [copilot, 'https://agentclientprotocol.com/protocol/session-modes#autopilot'],
  [gemini, 'yolo'],
  [qwen, 'yolo'],
];
const CASES = MODES.map(([program, mode]) => ({ agent: program.agent, program, mode }));
const ANSWER = 'It is made.';
const PROMPT = 'Make the file now.';

let temporary: string | undefined;
beforeAll(() => {
  // An agent in the sandbox has a /tmp of its own.
  temporary = process.env.TMPDIR;
  process.env.TMPDIR = '/var/tmp';
});
afterAll(() => {
  if (temporary === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = temporary;
});

describeConfined('in the sandbox', () => {
  it.each(CASES)('$agent works in its workspace, and nowhere else', async ({ program, mode }) => {
    const folders = foldersOf(program);
    if (folders === undefined) return console.warn(`${program.agent} is not installed: run .ci/install-agents`);
    const { agent } = program;
    const line = 'echo run > made.txt; echo out > ../out.txt; cat ../.ssh/id; echo x > .git/config; cat made.txt';
    const turn = { prompt: PROMPT, call: program.call(line), answer: ANSWER };
    await using offline = await goOffline([turn], program.files);
    const { home } = offline;
    const cwd = join(home, 'project');
    for (const folder of ['project/.git', '.ssh', '.ollm']) mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, '.ssh', 'id'), 'A PRIVATE KEY');
    const settings = {
      trustedDirectories: [cwd],
      runs: { [agent]: { mode } },
      services: { environment: { allowList: Object.keys(program.env(offline.url)) } },
    };
    writeFileSync(join(home, '.ollm', 'config.yaml'), JSON.stringify(settings));
    const env = {
      ...program.env(offline.url),
      PATH: [...folders, dirname(process.execPath), process.env.PATH].join(':'),
    };
    const ask = (...more: readonly string[]) =>
      offline.run([process.execPath, OLLM, 'ask', '--agent', agent, ...more, PROMPT], { cwd, env });
    const printed = await ask();
    expect(printed).toContain(ANSWER);
    expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('run\n');
    expect(existsSync(join(home, 'out.txt'))).toBe(false);
    expect(existsSync(join(cwd, '.git', 'config'))).toBe(false);
    const address = new RegExp(`${agent}:\\S+`).exec(printed)![0];
    const again = await ask('--resume', address);
    expect(again).toContain(ANSWER);
    const exported = await offline.run([process.execPath, OLLM, 'export', address, '--imported'], { cwd, env });
    expect(exported).toContain('made.txt');
    expect(exported).not.toContain('A PRIVATE KEY');
    expect(processesMarked(`HOME=${home}`)).toEqual([]);
  });
});
