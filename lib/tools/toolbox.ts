// The tools of a session by name, and which of them are switched on. Names are unique: the first tool of a name keeps
// it.
import type { Tool } from './tool.ts';

export interface Toolbox {
  /** In the order in which models are told of them: the same from request to request. */
  readonly tools: readonly Tool[];
  find(name: string): Tool | undefined;
}

/**
 * @example
 * const toolbox = createToolbox([fileRead, bash]);
 * toolbox.find('bash')?.description;
 */
export function createToolbox(tools: readonly Tool[]): Toolbox {
  const byName = new Map<string, Tool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return { tools: [...byName.values()], find: (name) => byName.get(name) };
}
