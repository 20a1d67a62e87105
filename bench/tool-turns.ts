// Turns in which a scripted model calls one tool, and programs as the product starts them. For the cases that ask what tools
// cost.
import { nodeFileSystem, systemClock, systemIds } from '../lib/platform/index.ts';
import type { Session } from '../lib/session/session.ts';
import { counterFor } from '../lib/tokens/counter-for.ts';
import { bashTool } from '../lib/tools/builtin/bash.ts';
import type { RunProgram } from '../lib/tools/program.ts';
import { createRunProgram } from '../lib/tools/run-program.ts';
import type { Sandbox } from '../lib/tools/sandboxing.ts';
import type { Tool } from '../lib/tools/tool.ts';
import { createToolbox, type Toolbox } from '../lib/tools/toolbox.ts';
import {
  allowedTools,
  calling,
  saying,
  scriptedProvider,
  TIMEOUT_MS,
  turnDependencies,
  wholeTurn,
} from './scripted-turns.ts';

const MEGABYTE = 1 << 20;

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

/** These and bash. Made once, as the product does: what is checked of a tool is checked at its first call. */
export function toolboxOf(tools: readonly Tool[]): Toolbox {
  const ports = { fileSystem: nodeFileSystem, timeoutMs: TIMEOUT_MS, maxOutputBytes: 16 * MEGABYTE };
  return createToolbox([bashTool(ports), ...tools]);
}

export async function turnWithTool({ session, directory, call, runProgram, toolbox }: ToolTurn): Promise<void> {
  const done = saying('Done.');
  const dependencies = turnDependencies({
    directory,
    provider: call === undefined ? scriptedProvider(done) : scriptedProvider(calling(call.name, call.args), done),
    counter: await counterFor({ provider: 'openai', model: 'gpt-4o' }),
    tools: allowedTools(directory, toolbox, runProgram),
  });
  await wholeTurn(session, 'go on', dependencies);
}
