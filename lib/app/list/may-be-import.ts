// Whether the journal of an import may be called so: `<agent>-…`. Loads no agent.
import { AGENT_NAMES } from '../../agents/registry.ts';

const START = new RegExp(`^(?:${AGENT_NAMES.join('|')})-`);

export function mayBeImport(id: string): boolean {
  return START.test(id);
}
