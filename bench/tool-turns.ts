// Turns in which a scripted model calls one tool: a real session, a real file store, the tools and the redactor of the
// product. For the cases that ask what tools cost.
import { lastValueFrom, tap } from 'rxjs';
import { createRedactor } from '../lib/environment/redact.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds } from '../lib/platform/index.ts';
import type { Provider, ProviderSignal } from '../lib/providers/provider.ts';
import type { Session } from '../lib/session/session.ts';
import { counterFor } from '../lib/tokens/counter-for.ts';
import { bashTool } from '../lib/tools/builtin/bash.ts';
import type { RunProgram } from '../lib/tools/program.ts';
import { createRunProgram } from '../lib/tools/run-program.ts';
import type { Sandbox } from '../lib/tools/sandboxing.ts';
import type { Tool } from '../lib/tools/tool.ts';
import { createToolbox, type Toolbox } from '../lib/tools/toolbox.ts';
import { runTurn } from '../lib/turn/run-turn.ts';
import { openStore } from './sessions.ts';

const MEGABYTE = 1 << 20;
const TIMEOUT_MS = 120_000;
const WINDOW_TOKENS = 32_768;
const OUTPUT_TOKENS = 8_192;

export interface ToolTurn {
  readonly session: Session;
  readonly directory: string;
  /** Which tool, with which arguments; without one the model answers at once. */
  readonly call?: { readonly name: string; readonly args: object };
  readonly runProgram: RunProgram;
  readonly toolbox: Toolbox;
}

/** Starts programs as the product does. */
export function programs(directory: string, sandbox?: Sandbox): RunProgram {
  return createRunProgram({
    env: { PATH: process.env.PATH ?? '', HOME: directory },
    scope: { writable: [directory], readable: [], protected: [], hidden: [], network: false },
    sandbox,
    limits: { timeoutMs: TIMEOUT_MS, maxOutputBytes: 16 * MEGABYTE },
    clock: systemClock,
    ids: systemIds,
  });
}

/** A tool that answers with this, at once. */
export function answeringTool(name: string, content: string): Tool {
  return {
    name,
    description: 'Answers at once.',
    parameters: { type: 'object', properties: {} },
    origin: 'program',
    plan: async () => ({
      action: { tool: name, summary: 'Answer', isReadOnly: true, accesses: [] },
      run: async () => ({ content }),
    }),
  };
}

/** These and bash. Made once, as the product does: what is checked of a tool is checked at its first call. */
export function toolboxOf(tools: readonly Tool[]): Toolbox {
  const ports = { fileSystem: nodeFileSystem, timeoutMs: TIMEOUT_MS, maxOutputBytes: 16 * MEGABYTE };
  return createToolbox([bashTool(ports), ...tools]);
}

export async function turnWithTool({ session, directory, call, runProgram, toolbox }: ToolTurn): Promise<void> {
  const dependencies = {
    provider: calling(call),
    model: 'm',
    contextWindow: WINDOW_TOKENS,
    counter: await counterFor({ provider: 'openai', model: 'gpt-4o' }),
    store: openStore(directory),
    clock: systemClock,
    log: silentLog,
    redactor: createRedactor({ secretValues: ['a secret of the environment'] }),
    tools: {
      toolbox,
      policy: { decide: () => ({ kind: 'allow', by: 'policy', rule: 'bench' }) as const, grant: () => undefined },
      place: { root: directory, cwd: directory },
      boundary: { sandbox: 'none', words: 'none', network: false, envRemoved: [], environment: ['PATH'] },
      runProgram,
      timeoutMs: TIMEOUT_MS,
      maxOutputTokens: OUTPUT_TOKENS,
    },
  };
  let failure: unknown;
  await lastValueFrom(
    runTurn(session, { text: 'go on' }, dependencies, {}).pipe(
      tap((signal) => {
        if (signal.type === 'error') failure = signal.error;
        if (signal.type === 'tool_result' && signal.status !== 'ok') failure = new Error(signal.content);
      }),
    ),
  );
  if (failure !== undefined) throw failure;
}

/** By the clock, and by the processor: what this thread itself computed, whatever other programs did meanwhile. */
export type TimeBy = 'clock' | 'processor';

/** The longest time in which nobody else had a turn while this went on. Milliseconds. */
export async function longestBlock(by: TimeBy, work: () => Promise<unknown>): Promise<number> {
  const time = by === 'clock' ? () => performance.now() : processorTime;
  let longest = 0;
  let last = time();
  let goesOn = true;
  const beat = () => {
    const now = time();
    longest = Math.max(longest, now - last);
    last = now;
    if (goesOn) setImmediate(beat);
  };
  setImmediate(beat);
  await work();
  goesOn = false;
  return longest;
}

function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function calling(call: ToolTurn['call']): Provider {
  let asked = 0;
  return {
    name: 'scripted',
    capabilities: {
      streaming: true,
      toolCalling: true,
      tokenCounting: false,
      compaction: false,
      maxContextWindow: 200_000,
    },
    models: async () => [{ name: 'm' }],
    async *stream(): AsyncGenerator<ProviderSignal> {
      asked += 1;
      if (call !== undefined && asked === 1) {
        yield { type: 'tool-call', call: { callId: systemIds.token(), ...call } };
        yield { type: 'finish', reason: 'tool-calls' };
      } else {
        yield { type: 'text', text: 'Done.' };
        yield { type: 'finish', reason: 'stop' };
      }
    },
  };
}
