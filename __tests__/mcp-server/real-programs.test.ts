// Programs of others start `ollm mcp serve` by their own configuration, with no network, and the model of the test has
// them search in a session of ollm: their next request holds the answer. Their own command has written the
// configuration, or `ollm agents --mcp`. The same with a running `ollm serve`, whose token they send.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claude } from '../agents/programs/claude.ts';
import { codex } from '../agents/programs/codex.ts';
import { copilot } from '../agents/programs/copilot.ts';
import { gemini } from '../agents/programs/gemini.ts';
import { opencode } from '../agents/programs/opencode.ts';
import { commandOf, type Program } from '../agents/programs/program.ts';
import { qwen } from '../agents/programs/qwen.ts';
import { OLLM } from '../support/cli.ts';
import { goOffline } from '../support/offline.ts';

const COMMAND = [process.execPath, OLLM, 'mcp', 'serve'];
const PROMPT = 'Where was the harbour light?';

const SERVE = `
${process.execPath} ${OLLM} serve --port 0 --json > served.json &
until [ -s served.json ]; do sleep 0.1; done
URL="$(sed 's/.*"address": *"\\([^"]*\\)".*/\\1/' served.json)/mcp"
export OLLM_TOKEN="$(cat ~/.ollm/server-token)"
`;

/**
 * How each is told of the server by its own command, as words and as a line of the shell, and what its model calls the
 * tool. Without these, `ollm agents --mcp` tells it.
 */
const PROGRAMS: readonly {
  readonly program: Program;
  readonly add?: readonly string[];
  readonly addUrl?: string;
  readonly tool: { readonly name: string; readonly namespace?: string };
  /** Further words of a turn. */
  readonly more?: readonly string[];
}[] = [
  {
    program: claude,
    add: ['mcp', 'add', 'ollm', '--', ...COMMAND],
    addUrl: 'mcp add --transport http ollm "$URL" --header "Authorization: Bearer $OLLM_TOKEN"',
    tool: { name: 'mcp__ollm__search_sessions' },
  },
  {
    program: codex,
    add: ['mcp', 'add', 'ollm', '--', ...COMMAND],
    addUrl: 'mcp add ollm --url "$URL" --bearer-token-env-var OLLM_TOKEN',
    tool: { name: 'search_sessions', namespace: 'mcp__ollm' },
    // It asks its model before a server is there, unless the server is required; and waits 10 s for it, which a
    // machine that does much else may take.
    more: ['required=true', 'startup_timeout_sec=120'].flatMap((each) => ['-c', `mcp_servers.ollm.${each}`]),
  },
  {
    program: gemini,
    add: ['mcp', 'add', '--scope', 'user', 'ollm', ...COMMAND],
    addUrl: 'mcp add --scope user --transport http --header "Authorization: Bearer $OLLM_TOKEN" ollm "$URL"',
    tool: { name: 'mcp_ollm_search_sessions' },
  },
  { program: copilot, tool: { name: 'ollm-search_sessions' } },
  { program: opencode, tool: { name: 'ollm_search_sessions' } },
  { program: qwen, tool: { name: 'mcp__ollm__search_sessions' } },
];

describe.each(PROGRAMS)('$program.agent', ({ program, add, addUrl, tool, more = [] }) => {
  const command = commandOf(program);
  if (command === undefined) {
    it.skip('(skipped where it is not installed: run .ci/install-agents)', () => {});
    return;
  }

  const ours = [process.execPath, OLLM, 'agents', '--mcp', program.agent, '--yes'];
  const ways: readonly (readonly [string, { readonly words?: readonly string[]; readonly line?: string }])[] = [
    ['ollm mcp serve, added by ollm agents --mcp', { words: ours }],
    ...(add === undefined ? [] : [['ollm mcp serve', { words: [command, ...add] }] as const]),
    ...(addUrl === undefined ? [] : [['/mcp of ollm serve', { line: `${command} ${addUrl}` }] as const]),
  ];

  it.each(ways)('searches the sessions of ollm through %s', async (_, { words, line }) => {
    const call = { ...tool, args: { query: 'harbour light', role: 'user' } };
    await using offline = await goOffline([{ prompt: PROMPT, call, answer: 'At the pier.' }], program.files);
    const cwd = join(offline.home, 'project');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    writeFileSync(join(cwd, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    const options = { cwd, env: program.env(offline.url) };
    const ask = ['ask', '--provider', 'offline', '--name', 'boat', 'Where is the harbour light?'];
    await offline.run([process.execPath, OLLM, ...ask], options);
    const turn = [command, ...program.turn(PROMPT), ...more];
    let output: string;
    if (words !== undefined) {
      // The directory shows that the program was started before.
      mkdirSync(join(offline.home, `.${program.agent}`), { recursive: true });
      await offline.run(words, options);
      output = await offline.run(turn, options);
    } else {
      const script = `${SERVE}${line} && "$@"; kill %1`;
      output = await offline.run(['bash', '-m', '-c', script, 'bash', ...turn], options);
    }
    expect(output).toContain('At the pier.');
    const [last] = offline.requests().slice(-1) as [readonly unknown[]];
    expect(JSON.stringify(last.slice(-3))).toContain('ollm:boat#');
  });
});
