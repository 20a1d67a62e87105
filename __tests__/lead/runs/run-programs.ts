// The agents that are run by ollm in tests, of those that .ci/install-agents installs.
import { claude } from '../../agents/programs/claude.ts';
import { codex } from '../../agents/programs/codex.ts';
import { copilot } from '../../agents/programs/copilot.ts';
import { gemini } from '../../agents/programs/gemini.ts';
import { kimi } from '../../agents/programs/kimi.ts';
import { opencode } from '../../agents/programs/opencode.ts';
import { adapterOf, commandOf, type Program } from '../../agents/programs/program.ts';
import { qwen } from '../../agents/programs/qwen.ts';

/** The programs that go on with a session any number of times. */
export const RUN_PROGRAMS: readonly Program[] = [claude, codex, copilot, qwen];

/** With those that no session can be resumed of any number of times. */
export const REPL_PROGRAMS: readonly Program[] = [...RUN_PROGRAMS, gemini, kimi, opencode];

const NEED_ADAPTERS = ['claude', 'codex'];
const ESCALATED = { sandbox_permissions: 'require_escalated', justification: 'It writes a file.' };

/** The folders with its command and its adapter; undefined if one of them is not installed. */
export function foldersOf(program: Program): readonly string[] | undefined {
  const command = commandOf(program);
  const adapter = adapterOf(program);
  if (command === undefined || (NEED_ADAPTERS.includes(program.agent) && adapter === undefined)) return undefined;
  return [command.slice(0, command.lastIndexOf('/')), ...(adapter === undefined ? [] : [adapter])];
}

/** A call that its agent asks about. */
export function askedCall(program: Program, command: string): ReturnType<Program['call']> {
  const call = program.call(command);
  // Codex asks where its model does: its own sandbox stops a call that does not.
  return program.agent === 'codex' ? { ...call, args: { ...call.args, ...ESCALATED } } : call;
}
