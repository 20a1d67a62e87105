// The user's hooks for one conversation: run in the environment made for tools, their context stored as events of the
// session. Hooks come only from the user's own configuration; those in a project's file are ignored there.
import { isOllmError, OllmError } from '../../errors/index.ts';
import type { AskHooksOptions, HookReplies } from '../../hooks/ask-hooks.ts';
import type { HookContext } from '../../hooks/hook-answer.ts';
import type { HookOutcome, TurnHooks } from '../../hooks/hooks.ts';
import { HOOK_NAMES, type HookName, type HookOccasion } from '../../hooks/question.ts';
import type { RunProgram } from '../../tools/program.ts';
import type { App } from '../app.ts';
import { addContext } from '../context/add-context.ts';
import type { Conversation } from '../conversation.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';
import { programProblem } from '../start/program-problem.ts';

const NOTHING: HookOutcome = { notices: [] };

/** What a turn calls; undefined where no hook is configured for turns and tools. */
export function turnHooks(app: App, conversation: Conversation): TurnHooks | undefined {
  const { beforeTurn, beforeTool, afterTool } = app.config.hooks;
  if (beforeTurn.length + beforeTool.length + afterTool.length === 0) return undefined;
  const ask = (occasion: HookOccasion, signal: AbortSignal) => askAndStore(app, conversation, occasion, signal);
  return {
    beforeTurn: (about, signal) => ask({ hook: 'beforeTurn', ...about }, signal),
    beforeTool: (about, signal) => ask({ hook: 'beforeTool', ...about }, signal),
    afterTool: (about, signal) => ask({ hook: 'afterTool', ...about }, signal),
  };
}

/**
 * Runs the hooks for the start of a session. Returns notices for the user. `stop` is called when there are some.
 *
 * @throws OllmError INTERRUPTED: they were stopped; and what an append throws
 */
export async function startHooks(
  app: App,
  conversation: Conversation,
  start: 'new' | 'resumed',
  stop: () => AbortSignal = () => new AbortController().signal,
): Promise<readonly string[]> {
  const problems = await problemsOfHooks(app);
  if (app.config.hooks.sessionStart.length === 0) return problems;
  const signal = stop();
  const { notices } = await askAndStore(app, conversation, { hook: 'sessionStart', start }, signal);
  if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped while the hooks of hooks.sessionStart ran.');
  return [...problems, ...notices];
}

/** Programs of hooks that other users can change. They run nevertheless: the user's settings name them. */
async function problemsOfHooks(app: App): Promise<string[]> {
  const lines = HOOK_NAMES.flatMap((hook) => app.config.hooks[hook].map((line) => ({ hook, line })));
  if (lines.length === 0) return [];
  const { hookProgram } = await import('../../hooks/split-words.ts');
  return lines.flatMap(({ hook, line }) => {
    const program = hookProgram(line, { homeDirectory: homeDirectoryOf(app) });
    const problem = program.ok ? programProblem(app, program.words) : undefined;
    return problem === undefined ? [] : [`hooks.${hook}: ${problem.text} ${problem.remedy}`];
  });
}

async function askAndStore(
  app: App,
  conversation: Conversation,
  occasion: HookOccasion,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const { hook } = occasion;
  if (app.config.hooks[hook].length === 0) return NOTHING;
  const { askHooks } = await import('../../hooks/ask-hooks.ts');
  const { context, veto, notices }: HookReplies = await askHooks(occasion, await optionsFor(app, conversation), signal);
  const refused: string[] = [];
  for (const entry of context) refused.push(...(await store(app, conversation, hook, entry)));
  const redact = await app.redactor();
  // A program that fails may print the data that it worked on.
  const clean = (text: string) => redact(text).text;
  return {
    veto: veto && { ...veto, reason: clean(veto.reason) },
    notices: [...notices, ...refused].map(clean),
  };
}

async function optionsFor(app: App, { session }: Conversation): Promise<AskHooksOptions> {
  const { config, paths, cwd, log } = app;
  return {
    lines: config.hooks,
    timeoutMs: config.hooks.timeoutSeconds * 1000,
    homeDirectory: homeDirectoryOf(app),
    place: { session: session.id, project: paths.project, cwd },
    runProgram: await hookRunner(app),
    log,
  };
}

/** Not confined: they are programs of the user's. A project cannot put its own in their place by way of PATH. */
async function hookRunner(app: App): Promise<RunProgram> {
  const [{ createRunProgram }, { toolEnvironment }] = await Promise.all([
    import('../../tools/run-program.ts'),
    import('../policy/tool-environment.ts'),
  ]);
  const { config, paths, clock, ids } = app;
  return createRunProgram({
    env: toolEnvironment(app).variables,
    scope: { writable: [paths.project], protected: [], hidden: [], network: true },
    limits: { timeoutMs: config.hooks.timeoutSeconds * 1000, maxOutputBytes: config.tools.maxOutputBytes },
    clock,
    ids,
  });
}

/** An equal entry is not stored again. Returns why it was refused, if it was. */
async function store(app: App, conversation: Conversation, hook: HookName, entry: HookContext): Promise<string[]> {
  const { key, content, priority, ttlSeconds, trusted = false } = entry;
  const known = conversation.session.states.context.entries.find((each) => each.key === key);
  if (known !== undefined && known.source !== 'hook') {
    return [`A hook (hooks.${hook}) would replace the context entry ${key}, which is not its own; it was not taken.`];
  }
  const isSame = known?.content === content && known.trusted === trusted && known.expiresAt === undefined;
  if (isSame && ttlSeconds === undefined && (priority === undefined || known.priority === priority)) return [];
  const ttlMs = ttlSeconds === undefined ? undefined : ttlSeconds * 1000;
  try {
    const { warning } = await addContext(app, conversation, { key, content, priority, ttlMs, source: 'hook', trusted });
    return warning === undefined ? [] : [warning];
  } catch (error) {
    if (!isOllmError(error, 'USAGE')) throw error;
    return [`Context from a hook (hooks.${hook}) was not taken: ${error.message}`];
  }
}
