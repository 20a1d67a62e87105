// Lets a model delegate a part of its work to a second model, which has a session of its own and sees nothing of this
// conversation but the task. Its last message is the result. The policy decides on each of its calls as on calls of
// this session.
import { excerpt } from '../../display/excerpt.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import type { Tool, ToolOutput } from '../tool.ts';
import { builtinTool } from './builtin-tool.ts';

export interface AgentTask {
  /** The session that it works in. */
  readonly sessionId: string;
  readonly task: string;
  /** Names of the tools that it is offered. Default: those that read, and then nothing is changed. */
  readonly tools: readonly string[] | undefined;
  readonly signal: AbortSignal;
  onProgress(text: string): void;
}

/** How an agent is begun. */
export interface AgentPort {
  /** The id of a new session. */
  newId(): string;
  /** @throws ToolFailure why it cannot begin */
  run(task: AgentTask): Promise<ToolOutput>;
}

export const AGENT = 'agent';
const FACTS = /\n([^\n]* · session agent-[\w-]+)\s*$/;
const SHOWN_CHARACTERS = 100;
/** The number of its requests is limited too; this ends an agent whose model hangs. */
const TIMEOUT_MS = 60 * 60 * 1000;

export function agentTool(agents: AgentPort): Tool {
  return builtinTool({
    name: AGENT,
    description:
      'Hands a task to another model, which works by itself and answers once: for a search through much that you need only the result of, or for independent parts at the same time. It sees nothing of this conversation. It reads only, unless you name tools.',
    properties: {
      task: {
        type: 'string',
        minLength: 1,
        maxLength: 20_000,
        description: 'All that it has to know: what is wanted, where to look, what the answer should hold.',
      },
      tools: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
        maxItems: 50,
        description: 'Names of your tools that it may use. Default: those that read.',
      },
    },
    required: ['task'],
    examples: [{ task: 'Find where lib/ reads environment variables. Answer with path:line for each.' }],
    async plan({ task, tools }) {
      const sessionId = agents.newId();
      return {
        action: {
          tool: AGENT,
          summary: excerpt(sanitizeLine(task), SHOWN_CHARACTERS),
          isReadOnly: tools === undefined,
          accesses: [],
          delegates: true,
        },
        subagent: sessionId,
        timeoutMs: TIMEOUT_MS,
        run: ({ signal, onProgress }) => agents.run({ sessionId, task, tools, signal, onProgress }),
      };
    },
  });
}

/**
 * The report of an agent that has ended, for people: its last message, the tools that it `used`, and the session that
 * has all of it.
 */
export function agentDisplay(said: string, { used, sessionId }: { readonly used: string; readonly sessionId: string }) {
  return `${said}\n${used} · session ${sessionId}`;
}

/** The two parts of `agentDisplay`; without the second where the text is not from there, or was cut. */
export function agentParts(display: string): { readonly said: string; readonly facts: string } {
  const found = FACTS.exec(display);
  return found === null ? { said: display, facts: '' } : { said: display.slice(0, found.index), facts: found[1]! };
}
