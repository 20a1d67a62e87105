// From what a model asked for to a plan that can be decided on, or to the words that tell it why there is none.
import { waitFor } from '../../platform/waiting.ts';
import type { ModelToolCall } from '../../providers/provider.ts';
import { checkArguments } from '../../tools/arguments.ts';
import type { Answerer } from '../../tools/decision.ts';
import { type Tool, ToolFailure, type ToolPlan } from '../../tools/tool.ts';
import { isOffered } from '../request/offered-tools.ts';
import type { Turn } from '../turn.ts';
import type { TurnTools } from '../turn-tools.ts';
import type { Round } from './round.ts';

export interface PlannedCall {
  readonly kind: 'planned';
  readonly call: ModelToolCall;
  /** The arguments to run; the user may have changed those of the model. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly plan: ToolPlan;
  readonly tool: Tool;
  readonly tools: TurnTools;
}

/** A call that does not run. */
export interface CallRefusal {
  readonly kind: 'refused';
  readonly call: ModelToolCall;
  /** For the model. */
  readonly words: string;
  /** For the user. Default: `words`. */
  readonly display?: string | undefined;
  readonly rule: string;
  /** Default: policy. */
  readonly by?: 'policy' | 'user' | undefined;
  /** Why, for the journal. Default: `words`. */
  readonly reason?: string | undefined;
  /** Default: denied. */
  readonly status?: 'denied' | 'error' | undefined;
  readonly actionHash?: string | undefined;
  /** The danger in it, if the policy saw one. */
  readonly dangerous?: string | undefined;
  /** The decided arguments, if the user changed those of the model. */
  readonly args?: unknown;
  /** Denied because no user could be asked. */
  readonly isUnasked?: boolean | undefined;
  /** Where several users may decide: which one did. */
  readonly answerer?: Answerer | undefined;
}

export type Prepared = PlannedCall | CallRefusal;

export async function planCall({ turn, tools }: Round, call: ModelToolCall, args: unknown): Promise<Prepared> {
  const refused = (rule: string, words: string, status: CallRefusal['status'] = 'error'): CallRefusal => {
    return { kind: 'refused', call, rule, words, status };
  };
  if (tools === undefined) {
    const words = `The tool ${call.name} was not run: no tools are offered here. Answer from what is in the conversation.`;
    return refused('no-tools', words, 'denied');
  }
  const tool = tools.toolbox.find(call.name);
  if (tool === undefined) return refused('unknown-tool', unknownTool(call.name, tools, turn));
  if (!isOffered(tools, turn.session.states, tool.name)) {
    const words = `The tool ${tool.name} was not run: it is switched off.`;
    return refused('switched-off', words, 'denied');
  }
  const checked = await checkArguments(tool, args);
  if (!checked.ok) return refused('invalid-arguments', checked.message);
  try {
    const planned = tool.plan(checked.args, tools.place);
    const waited = await waitFor(planned, { signal: turn.cancelled, timeoutMs: tools.timeoutMs });
    if (waited.kind !== 'done')
      return refused('no-plan', `The tool ${tool.name} could not say in time what it would do.`);
    return { kind: 'planned', call, args: checked.args, plan: waited.value, tool, tools };
  } catch (error) {
    if (error instanceof ToolFailure) return refused('invalid-arguments', error.message);
    turn.dependencies.log.error(
      { service: 'tools', operation: tool.name, sessionId: turn.session.id, callId: call.callId, error },
      'A tool could not plan a call; the model got a message',
    );
    return refused('no-plan', `The tool ${tool.name} broke down before it ran: ${String(error)}`);
  }
}

function unknownTool(name: string, tools: TurnTools, { session }: Turn): string {
  const offered = tools.toolbox.tools.filter((tool) => isOffered(tools, session.states, tool.name));
  const names = offered.map((tool) => tool.name).join(', ');
  return `There is no tool ${name}. ${names === '' ? 'There are none.' : `There are: ${names}.`}`;
}
