// Names of agents, checked where a caller narrows something to one.
import { AGENT_NAMES, isAgentName } from '../../agents/registry.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import { OllmError } from '../../errors/index.ts';

/**
 * `advice`: a sentence that follows the list of names.
 * @throws OllmError USAGE: the name is none of an agent
 */
export function requireAgent(name: string, advice?: string): void {
  if (name === OWN_AGENT || isAgentName(name)) return;
  const names = [OWN_AGENT, ...AGENT_NAMES].join(', ');
  throw new OllmError('USAGE', `“${name}” is not an agent.`, {
    hint: `There are: ${names}.${advice === undefined ? '' : ` ${advice}`}`,
  });
}
