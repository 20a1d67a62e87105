// The question of a call and the event of its start name the same place, for each kind of call and each boundary.
import type { Command } from '../../../lib/tools/action.ts';
import { ASK, asksOnce, testTool, toolWorld } from '../tool-world.ts';

const SHELL: Command = { kind: 'shell', line: 'echo hi', cwd: '/project' };
const PROGRAM: Command = { kind: 'program', argv: ['git', 'status'], cwd: '/project' };
const CONFINED = { sandbox: 'bubblewrap', words: 'bubblewrap, without network' };
const OPEN = { sandbox: 'none', words: 'not confined: tools.sandbox is off' };

describe('a call that the user is asked about', () => {
  it.each([
    [
      'a line for a shell, confined',
      { command: SHELL },
      CONFINED,
      CONFINED.words,
      { sandbox: 'bubblewrap', network: false },
    ],
    ['a program, confined', { command: PROGRAM }, CONFINED, CONFINED.words, { sandbox: 'bubblewrap', network: false }],
    ['a line for a shell, not confined', { command: SHELL }, OPEN, OPEN.words, { sandbox: 'none' }],
    ['a tool of ollm itself', {}, CONFINED, 'run by ollm itself, without starting a program', { sandbox: 'none' }],
    [
      'a tool of a server',
      { isRemote: true },
      CONFINED,
      'run by a server, without a sandbox',
      { sandbox: 'none', remote: true },
    ],
  ])('names its place of execution: %s', async (_title, action, boundary, words, stored) => {
    const asked: string[] = [];
    const tool = testTool({
      plan: async () => ({
        action: { tool: 'echo', summary: 'Echo', isReadOnly: false, accesses: [], ...action },
        run: async () => ({ content: 'done' }),
      }),
    });
    const world = await toolWorld({
      script: asksOnce({}),
      tools: [tool],
      decision: ASK,
      answer: async ({ sandbox }) => {
        asked.push(sandbox);
        return { kind: 'once' };
      },
      toolSettings: { boundary: { ...boundary, network: false, envRemoved: [], environment: [] } },
    });
    await world.turn('Say hi');
    expect(asked).toEqual([words]);
    const started = (await world.events()).find(({ type }) => type === 'tool.started');
    const { sandbox, remote, command, argv } = started?.data ?? {};
    expect(started?.data).toMatchObject(stored);
    // The event tells a program without a sandbox from a call that starts no program.
    expect(words.includes('bubblewrap')).toBe(sandbox === 'bubblewrap');
    expect(words.startsWith('run by ollm')).toBe(remote === undefined && command === undefined && argv === undefined);
  });
});
