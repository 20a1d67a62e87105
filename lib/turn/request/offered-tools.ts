// The tools that a model is offered, in the same order from request to request: all that are not switched off.
import { switchedTo } from '../../projections/tools.ts';
import type { ToolDefinition } from '../../providers/provider.ts';
import type { Session, SessionStates } from '../../session/session.ts';
import { estimateTokens } from '../../tokens/estimate.ts';
import type { TurnDependencies } from '../turn.ts';
import type { TurnTools } from '../turn-tools.ts';
import { type ReserveInput, reserveTokens } from './reserve.ts';

/** Share of the window, without the part for the answer, that definitions of tools may take. */
const MAX_SHARE = 0.6;

export interface OfferedTools {
  readonly definitions: readonly ToolDefinition[];
  /** About how many tokens their definitions take in each request. */
  readonly tokens: number;
  /** Why there are none, where they would have taken the room of the conversation. */
  readonly notice?: string | undefined;
}

/** Whether a model is offered the tool: as the user switched it, else as the settings say. */
export function isOffered(
  { disabled = [] }: Pick<TurnTools, 'disabled'>,
  { tools }: Pick<SessionStates, 'tools'>,
  name: string,
): boolean {
  return switchedTo(tools, name) ?? !disabled.includes(name);
}

interface OfferedToolsInput {
  readonly session: Pick<Session, 'states'>;
  readonly dependencies: Pick<TurnDependencies, 'tools' | 'provider'> & ReserveInput;
}

/** No tools if the provider cannot call them, or if the window is too small for them and a conversation. */
export function offeredTools({ session, dependencies }: OfferedToolsInput): OfferedTools {
  const { tools, provider } = dependencies;
  if (tools === undefined || !provider.capabilities.toolCalling) return { definitions: [], tokens: 0 };
  const offered = tools.toolbox.tools.filter(({ name }) => isOffered(tools, session.states, name));
  const definitions = offered.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const tokens = toolTokens(definitions);
  const { contextWindow = Number.POSITIVE_INFINITY } = dependencies;
  const room = contextWindow - reserveTokens(dependencies);
  if (tokens <= room * MAX_SHARE) return { definitions, tokens };
  const notice = `No tools are offered: their definitions take ${tokens} of ${contextWindow} tokens. Switch some off with /tool, or use a larger window.`;
  return { definitions: [], tokens: 0, notice };
}

function toolTokens(definitions: readonly ToolDefinition[]): number {
  return definitions.reduce((sum, definition) => sum + estimateTokens(JSON.stringify(definition)), 0);
}
