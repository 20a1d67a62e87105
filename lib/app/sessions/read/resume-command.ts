// The command that goes on with a session in its own program.
import { partsOfInside } from '../../../agents/inside.ts';
import { isAgentName, loadAgent } from '../../../agents/registry.ts';
import { OWN_AGENT } from '../../../catalog/catalog.ts';
import { loadTarget, TARGET_NAMES } from '../../../handover/targets.ts';

interface Resumed {
  /** `ollm`, or the name of another program. */
  readonly agent: string;
  readonly id: string;
  /** The id that the program takes, where the address has another one. */
  readonly programId?: string | undefined;
}

/** In a file of its own, which Claude Code does not continue. */
const CLAUDE_SUBAGENT = /^claude:agent-/;

/**
 * The program and its arguments, to be run in the directory of the session. Undefined where the program has no such
 * command, and for the session of an agent inside of another session.
 *
 * @example
 * await resumeCommand({ agent: 'claude', id: '5f3c0000-1111' }); // ['claude', '--resume', '5f3c0000-1111']
 */
export async function resumeCommand({ agent, id, programId = id }: Resumed): Promise<readonly string[] | undefined> {
  if (agent === OWN_AGENT) return ['ollm', 'resume', id];
  if (id.includes('/') || partsOfInside(id) !== undefined || CLAUDE_SUBAGENT.test(`${agent}:${id}`)) return undefined;
  const name = TARGET_NAMES.find((each) => each === agent);
  if (name !== undefined) return (await loadTarget(name)).command(programId, '');
  return isAgentName(agent) ? (await loadAgent(agent)).resume?.(programId) : undefined;
}
