// Records the streams of the real programs again, as .ci/install-agents installs them, into fixtures/runs:
// node __tests__/runs/recorded/record.ts AGENT…
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { askedCall, foldersOf, REPL_PROGRAMS } from '../../lead/runs/run-programs.ts';
import { goOffline } from '../../support/offline.ts';
import type { ScriptedCall } from '../../support/scripted-turn.ts';
import { type Passed, PROJECT, pathOf } from './recording.ts';
import { COMMAND, NOTES, turnsOf } from './scenes.ts';

const PATCH = `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: notes.md\n+${NOTES.trim()}\n*** End Patch\nEOF`;
/** Calls that write a file, each by a tool of the agent. */
const EDITS: Readonly<Record<string, (path: string) => ScriptedCall>> = {
  claude: (file_path) => ({ name: 'Write', args: { file_path, content: NOTES } }),
  codex: () => ({ name: 'exec_command', args: { cmd: PATCH } }),
  copilot: (path) => ({ name: 'create', args: { path, file_text: NOTES } }),
  gemini: (file_path) => ({ name: 'write_file', args: { file_path, content: NOTES } }),
  kimi: (path) => ({ name: 'Write', args: { path, content: NOTES } }),
  opencode: (filePath) => ({ name: 'write', args: { filePath, content: NOTES } }),
  qwen: (file_path) => ({ name: 'write_file', args: { file_path, content: NOTES } }),
};
/** Lists of what else the program can do, and its bills. */
const LEFT_OUT = ['available_commands_update', 'usage_update', 'session_info_update'];
const MOST_CHARACTERS = 300;

for (const agent of process.argv.slice(2)) {
  const program = REPL_PROGRAMS.find((each) => each.agent === agent)!;
  const placed = new Map<string, string>();
  // A call of the model names this path, so that it is known before there is a home.
  const cwd = `/tmp/ollm-recorded-${agent}`;
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd);
  await using offline = await goOffline(
    turnsOf(askedCall(program, COMMAND), EDITS[agent]!(join(cwd, 'notes.md'))),
    program.files,
  );
  const log = join(offline.home, 'log.jsonl');
  const PATH = [...foldersOf(program)!, dirname(process.execPath), process.env.PATH].join(':');
  const here = join(import.meta.dirname, 'record-here.ts');
  console.log(
    await offline.run([process.execPath, '--no-warnings', here, agent, log], {
      ...{ cwd, env: { ...program.env(offline.url), PATH } },
    }),
  );
  placed.set(cwd, PROJECT).set(offline.home, '/home/me').set(offline.url, 'http://model');
  const text = readFileSync(log, 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Passed)
    .filter(({ message }) => !LEFT_OUT.includes(String(updateOf(message)?.sessionUpdate)))
    .map((passed) => JSON.stringify(passed, shortened));
  const scrubbed = [...placed].reduce((all, [from, to]) => all.replaceAll(from, to), lines.join('\n'));
  mkdirSync(dirname(pathOf(agent)), { recursive: true });
  writeFileSync(pathOf(agent), `${scrubbed}\n`);
  rmSync(cwd, { recursive: true });
}

function updateOf({ params }: Passed['message']): { readonly sessionUpdate?: unknown } | undefined {
  return (params as { update?: object } | undefined)?.update;
}

function shortened(name: string, value: unknown): unknown {
  if (name === '_meta') return undefined;
  return typeof value === 'string' && value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value;
}
