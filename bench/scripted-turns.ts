// Whole turns by a model that answers at once, from a script: a real session, a real file store and all that a turn
// does, and nothing that waits for another process.
import { lastValueFrom, tap } from 'rxjs';
import { scriptedProvider } from '../__tests__/support/scripted-provider.ts';
import { DEFAULT_COMPACTION } from '../lib/context/compaction/due.ts';
import { createRedactor } from '../lib/environment/redact.ts';
import type { NewOllmEvent } from '../lib/events/index.ts';
import { silentLog, systemClock, systemIds } from '../lib/platform/index.ts';
import type { Provider, ProviderSignal } from '../lib/providers/provider.ts';
import type { Session } from '../lib/session/session.ts';
import type { TokenCounter } from '../lib/tokens/counter.ts';
import { estimatingCounter } from '../lib/tokens/estimate.ts';
import type { RunProgram } from '../lib/tools/program.ts';
import type { Tool } from '../lib/tools/tool.ts';
import { createToolbox, type Toolbox } from '../lib/tools/toolbox.ts';
import { compact } from '../lib/turn/compaction/compact.ts';
import { runTurn, type TurnDependencies } from '../lib/turn/run-turn.ts';
import type { TurnTools } from '../lib/turn/turn-tools.ts';
import { processorMilliseconds } from './measure.ts';
import { openStore } from './sessions.ts';

/** What a request may take. It is filled by the turns of a hundred events. */
export const WINDOW_TOKENS = 32_768;
export const TIMEOUT_MS = 120_000;
const OUTPUT_TOKENS = 8_192;

/** What the model says to one request. */
export type Answer = readonly ProviderSignal[];

export function saying(...texts: readonly string[]): Answer {
  return [...texts.map((text) => ({ type: 'text', text }) as const), { type: 'finish', reason: 'stop' }];
}

export function calling(name: string, args: object): Answer {
  return [
    { type: 'tool-call', call: { callId: systemIds.token(), name, args } },
    { type: 'finish', reason: 'tool-calls' },
  ];
}

/** Gives one answer after the other, as fast as they are taken, and the last one again from then on. */
export function answering(...answers: readonly [Answer, ...Answer[]]): Provider {
  return scriptedProvider(async function* (_request, _signal, round) {
    yield* answers[Math.min(round, answers.length - 1)]!;
  });
}

export interface TurnParts {
  readonly directory: string;
  readonly provider: Provider;
  /** Default: the estimate, which is so quick that it hides nothing else. */
  readonly counter?: TokenCounter | undefined;
  readonly tools?: TurnTools | undefined;
}

/** What a turn runs on. */
export function turnDependencies({ counter = estimatingCounter, directory, ...parts }: TurnParts): TurnDependencies {
  return {
    ...parts,
    model: 'm',
    contextWindow: WINDOW_TOKENS,
    counter,
    store: openStore(directory),
    clock: systemClock,
    log: silentLog,
    redactor,
  };
}
const redactor = createRedactor({ secretValues: ['a secret of the environment'] });

/** Every call is allowed, and nobody is asked. */
export function allowedTools(directory: string, toolbox: Toolbox, runProgram: RunProgram): TurnTools {
  return {
    toolbox,
    policy: { decide: () => ({ kind: 'allow', by: 'policy', rule: 'bench' }), grant: () => undefined },
    place: { root: directory, cwd: directory },
    boundary: { sandbox: 'none', words: 'none', network: false, envRemoved: [], environment: ['PATH'] },
    runProgram,
    timeoutMs: TIMEOUT_MS,
    maxOutputTokens: OUTPUT_TOKENS,
  };
}

/** A tool that answers with this, at once. */
export function answeringTool(name: string, content: () => string): Tool {
  return {
    name,
    description: 'Answers at once.',
    parameters: { type: 'object', properties: {} },
    origin: 'program',
    plan: async () => ({
      action: { tool: name, summary: 'Answer', isReadOnly: true, accesses: [] },
      run: async () => ({ content: content() }),
    }),
  };
}

/** To its end. What goes wrong in it breaks the case off. */
export async function wholeTurn(session: Session, text: string, dependencies: TurnDependencies): Promise<void> {
  let failure: unknown;
  await lastValueFrom(
    runTurn(session, { text }, dependencies).pipe(
      tap((signal) => {
        if (signal.type === 'error') failure = signal.error;
        if (signal.type === 'tool_result' && signal.status !== 'ok') failure = new Error(signal.content);
      }),
    ),
  );
  if (failure !== undefined) throw failure;
}

const TOOL = 'file_edit';

/** Plays a generated turn: the model asks for its calls, a tool answers with its outputs, the model says its words. */
export async function playTurn(
  session: Session,
  directory: string,
  events: readonly NewOllmEvent[],
  counter?: TokenCounter,
): Promise<void> {
  const texts = events.flatMap((event) =>
    event.type === 'message.added' ? event.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  const calls = events.flatMap((event) => (event.type === 'tool.requested' ? [event.data.args as object] : []));
  const outputs = events.flatMap((event) => (event.type === 'tool.finished' ? [event.data.result.llmContent] : []));
  const answers = [...calls.map((args) => calling(TOOL, args)), saying(texts.at(-1)!)];
  const toolbox = createToolbox([answeringTool(TOOL, () => outputs.shift()!)]);
  const tools = allowedTools(directory, toolbox, () => Promise.reject(new Error('No program is started here.')));
  const provider = answering(...(answers as [Answer, ...Answer[]]));
  await wholeTurn(session, texts[0]!, turnDependencies({ directory, provider, tools, counter }));
}

/** Truncates a session's view, and takes it back. Milliseconds of processor time of the first. */
export async function compaction(session: Session, directory: string): Promise<number> {
  const dependencies = {
    ...turnDependencies({ directory, provider: answering(saying('')) }),
    contextWindow: 1e9,
  };
  const settings = { ...DEFAULT_COMPACTION, strategy: 'truncate', preserveRecentTokens: 4096 } as const;
  let seq = -1;
  const ms = await processorMilliseconds(async () => {
    const { signal } = new AbortController();
    const result = await compact(session, dependencies, { settings, by: 'user', signal });
    if (result.kind === 'compacted') seq = result.seq;
  });
  if (seq < 0) throw new Error('nothing was compacted');
  await session.append({ type: 'compaction.undone', data: { seq } });
  return ms;
}
