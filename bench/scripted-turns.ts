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
import type { Tool } from '../lib/tools/tool.ts';
import { createToolbox } from '../lib/tools/toolbox.ts';
import { compact } from '../lib/turn/compaction/compact.ts';
import { runTurn, type TurnDependencies } from '../lib/turn/run-turn.ts';
import type { TurnTools } from '../lib/turn/turn-tools.ts';
import { processorMilliseconds } from './measure.ts';
import { openStore } from './sessions.ts';

/** What a request may take. It is filled by the turns of a hundred events. */
const WINDOW_TOKENS = 32_768;
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
  const provider = scriptedProvider(async function* (_request, _signal, round): AsyncGenerator<ProviderSignal> {
    const args = calls[round];
    if (args) yield { type: 'tool-call', call: { callId: systemIds.token(), name: TOOL, args } };
    else yield { type: 'text', text: texts.at(-1)! };
    yield { type: 'finish', reason: args ? 'tool-calls' : 'stop' };
  });
  const tools = allowing(directory, answeringTool(outputs));
  let failure: unknown;
  const signals = runTurn(session, { text: texts[0]! }, { ...turnDependencies(directory, provider, counter), tools });
  await lastValueFrom(
    signals.pipe(
      tap((signal) => {
        if (signal.type === 'error') failure = signal.error;
        if (signal.type === 'tool_result' && signal.status !== 'ok') failure = new Error(signal.content);
      }),
    ),
  );
  if (failure !== undefined) throw failure;
}

/** Compacts a session's view without a model, and takes it back. Milliseconds of processor time of the first. */
export async function compaction(
  session: Session,
  directory: string,
  strategy: 'truncate' | 'hybrid' = 'truncate',
): Promise<number> {
  const provider = scriptedProvider(() => {
    throw new Error('It asks no model.');
  });
  const dependencies = { ...turnDependencies(directory, provider), contextWindow: 1e9 };
  const settings = { ...DEFAULT_COMPACTION, strategy, summaries: 'extraction', preserveRecentTokens: 4096 } as const;
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

/** By default it counts by the estimate, which is so quick that it hides nothing else. */
function turnDependencies(directory: string, provider: Provider, counter = estimatingCounter): TurnDependencies {
  return {
    provider,
    counter,
    model: 'm',
    contextWindow: WINDOW_TOKENS,
    store: openStore(directory),
    clock: systemClock,
    log: silentLog,
    redactor,
  };
}
const redactor = createRedactor({ secretValues: ['a secret of the environment'] });

/** Every call is allowed, and no person is asked. */
function allowing(directory: string, tool: Tool): TurnTools {
  return {
    toolbox: createToolbox([tool]),
    policy: { decide: () => ({ kind: 'allow', by: 'policy', rule: 'bench' }), grant: () => undefined },
    place: { root: directory, cwd: directory },
    boundary: { sandbox: 'none', words: 'none', network: false, envRemoved: [], environment: ['PATH'] },
    runProgram: () => Promise.reject(new Error('No program is started here.')),
    timeoutMs: 120_000,
    maxOutputTokens: 8_192,
  };
}

/** Answers with one of these after the other. */
function answeringTool(outputs: string[]): Tool {
  return {
    name: TOOL,
    description: 'Answers immediately.',
    parameters: { type: 'object', properties: {} },
    origin: 'program',
    plan: async () => ({
      action: { tool: TOOL, summary: 'Answer', isReadOnly: true, accesses: [] },
      run: async () => ({ content: outputs.shift()! }),
    }),
  };
}
