// Whole turns by a model that answers at once, from a script: a real session, a real file store and all that a turn
// does, and nothing that waits for another process.
import { lastValueFrom, tap } from 'rxjs';
import { createRedactor } from '../../lib/environment/redact.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { silentLog, systemClock, systemIds } from '../../lib/platform/index.ts';
import type { ProviderSignal } from '../../lib/providers/provider.ts';
import type { Session } from '../../lib/session/session.ts';
import { estimatingCounter } from '../../lib/tokens/estimate.ts';
import type { Tool } from '../../lib/tools/tool.ts';
import { createToolbox } from '../../lib/tools/toolbox.ts';
import { runTurn, type TurnDependencies } from '../../lib/turn/run-turn.ts';
import type { TurnTools } from '../../lib/turn/turn-tools.ts';
import { openStore } from './generated-journals.ts';
import { scriptedProvider } from './scripted-provider.ts';

const TOOL = 'file_edit';

/** By default it counts by the estimate, which is so quick that it hides nothing else. */
export const turnDependencies = (directory: string): Omit<TurnDependencies, 'provider'> => ({
  counter: estimatingCounter,
  model: 'm',
  // What a request may take is filled by the turns of a hundred events.
  contextWindow: 32_768,
  store: openStore(directory),
  clock: systemClock,
  log: silentLog,
  redactor,
});
const redactor = createRedactor({ secretValues: ['a secret of the environment'] });

/** Plays a generated turn: the model asks for its calls, a tool answers with its outputs, the model says its words. */
export async function playTurn(
  session: Session,
  directory: string,
  events: readonly NewOllmEvent[],
  counter = estimatingCounter,
): Promise<void> {
  const texts: string[] = [];
  const calls: object[] = [];
  const outputs: string[] = [];
  for (const { type, data } of events) {
    if (type === 'message.added') texts.push(...data.parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
    if (type === 'tool.requested') calls.push(data.args as object);
    if (type === 'tool.finished') outputs.push(data.result.llmContent);
  }
  const provider = scriptedProvider(async function* (_request, _signal, round): AsyncGenerator<ProviderSignal> {
    const args = calls[round];
    if (args) yield { type: 'tool-call', call: { callId: systemIds.token(), name: TOOL, args } };
    else yield { type: 'text', text: texts.at(-1)! };
    yield { type: 'finish', reason: args ? 'tool-calls' : 'stop' };
  });
  const tools = allowing(directory, answeringTool(outputs));
  const dependencies = { ...turnDependencies(directory), provider, counter, tools };
  let failure: unknown;
  await lastValueFrom(
    runTurn(session, { text: texts[0]! }, dependencies).pipe(
      tap((signal) => {
        if (signal.type === 'error') failure = signal.error;
        if (signal.type === 'tool_result' && signal.status !== 'ok') failure = new Error(signal.content);
      }),
    ),
  );
  if (failure !== undefined) throw failure;
}

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
