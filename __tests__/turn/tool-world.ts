// A session in memory with a scripted model and tools of the test, and the requests to both.
import { lastValueFrom, toArray } from 'rxjs';
import type { StoredEvent } from '../../lib/journal/types.ts';
import { silentLog, systemClock } from '../../lib/platform/index.ts';
import type { ModelRequest, ProviderSignal } from '../../lib/providers/provider.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import type { ApprovalAnswer, ApprovalRequest, Decision } from '../../lib/tools/decision.ts';
import type { Tool, ToolMeans, ToolOutput } from '../../lib/tools/tool.ts';
import { createToolbox } from '../../lib/tools/toolbox.ts';
import { runTurn, type TurnDependencies, type TurnOptions } from '../../lib/turn/run-turn.ts';
import type { TurnSignal } from '../../lib/turn/signals.ts';
import type { TurnTools } from '../../lib/turn/turn-tools.ts';
import { eventsOf, memoryWorld } from '../session/world.ts';
import { type Script, says, scriptedProvider } from '../support/scripted-provider.ts';

export type Args = Readonly<Record<string, unknown>>;

export interface ToolLike {
  readonly name?: string;
  readonly reads?: boolean;
  readonly run?: (args: Args, means: ToolMeans) => Promise<ToolOutput> | ToolOutput;
  readonly plan?: Tool['plan'];
  readonly command?: string;
  readonly parameters?: object;
}

/** A tool that says its input. */
export function testTool({ name = 'echo', reads = false, command, parameters, ...more }: ToolLike = {}): Tool {
  const run = more.run ?? ((args: Args) => ({ content: `echo ${JSON.stringify(args)}` }));
  return {
    name,
    description: `The tool ${name} of a test.`,
    parameters: parameters ?? { type: 'object', properties: { text: { type: 'string' } } },
    origin: 'program',
    plan:
      more.plan ??
      (async (args, { cwd }) => ({
        action: {
          tool: name,
          summary: `Run ${name} with ${JSON.stringify(args)}`,
          isReadOnly: reads,
          accesses: [],
          ...(command === undefined ? {} : { command: { kind: 'shell' as const, line: command, cwd } }),
        },
        run: async (means) => run(args, means),
      })),
  };
}

export interface Call {
  readonly name?: string;
  readonly args?: unknown;
  readonly callId?: string;
}

export async function* callsTools(...calls: Call[]): AsyncGenerator<ProviderSignal> {
  for (const [index, { name = 'echo', args = { text: 'hi' }, callId = `c${index + 1}` }] of calls.entries()) {
    yield { type: 'tool-call', call: { callId, name, args } };
  }
  yield { type: 'finish', reason: 'tool-calls' };
}

/** Asks for these calls first, and answers when it has their results. */
export function asksOnce(...calls: Call[]): Script {
  return (_request, _signal, round) => (round === 0 ? callsTools(...calls) : says('Done.'));
}

export const ALLOW: Decision = { kind: 'allow', by: 'policy', rule: 'allow:all' };
export const ASK: Decision = { kind: 'ask', rule: 'ask:all', reason: 'It writes.', grant: 'echo' };
export const DENY: Decision = { kind: 'deny', rule: 'deny:all', reason: 'Not here.' };

export interface ToolWorldOptions {
  readonly script: Script;
  readonly tools?: readonly Tool[];
  readonly decision?: Decision | ((tool: string) => Decision);
  readonly answer?: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;
  readonly more?: Partial<TurnDependencies>;
  readonly toolSettings?: Partial<TurnTools>;
}

export async function toolWorld({ script, tools = [testTool()], decision = ALLOW, ...options }: ToolWorldOptions) {
  const world = memoryWorld();
  const session = await world.create();
  const provider = scriptedProvider(script);
  const granted: string[] = [];
  const { answer } = options;
  const dependencies: TurnDependencies = {
    provider,
    model: 'm-1',
    counter: estimatingCounter,
    store: world.store,
    clock: systemClock,
    log: silentLog,
    tools: {
      toolbox: createToolbox(tools),
      policy: {
        decide: ({ tool }) => (typeof decision === 'function' ? decision(tool) : decision),
        grant: (rule) => granted.push(rule),
      },
      place: { root: '/project', cwd: '/project' },
      boundary: { sandbox: 'none', words: 'none', network: false, envRemoved: ['SECRET'], environment: ['PATH'] },
      runProgram: () => Promise.reject(new Error('No programs here.')),
      timeoutMs: 60_000,
      maxOutputTokens: 1_000,
      ...(answer === undefined ? {} : { approver: { ask: answer } }),
      ...options.toolSettings,
    },
    ...options.more,
  };
  const turn = (text: string, turnOptions?: TurnOptions): Promise<TurnSignal[]> =>
    lastValueFrom(runTurn(session, { text }, dependencies, turnOptions).pipe(toArray()));
  const events = async (): Promise<StoredEvent[]> => await eventsOf(world.store, 'notes');
  return { ...world, session, provider, dependencies, granted, turn, events };
}

/** The events of tools in the journal: type, call, and result. */
export function toolSteps(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ type, data }) => {
    if (!type.startsWith('tool.')) return [];
    const outcome = data.decision ?? data.status ?? '';
    return [`${type.slice(5)} ${data.callId} ${outcome}`.trim()];
  });
}

/** The results that the model received in the last request. */
export function resultsOf(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ content }) => content) : [],
  );
}
