// Runs the programs that the user named for an occasion in order, and combines their answers. A veto ends the sequence.
// A guarding hook (before a tool, before a turn) that fails counts as a veto, because its answer is unknown. A failure
// of any other hook is a notice. Never throws; an abort ends the programs and answers with a veto.
import { basename } from 'node:path';
import { sanitize, sanitizeLine } from '../display/sanitize.ts';
import type { Log } from '../platform/log.ts';
import type { ProgramOutcome, RunProgram } from '../tools/program.ts';
import { ToolFailure } from '../tools/tool.ts';
import { type HookContext, readAnswer } from './hook-answer.ts';
import type { HookVeto } from './hooks.ts';
import { canVeto, type HookName, type HookOccasion, type HookPlace, isGuard, questionOf } from './question.ts';
import { hookProgram, splitWords } from './split-words.ts';

export interface AskHooksOptions {
  /** The lines of the configuration. */
  readonly lines: Readonly<Record<HookName, readonly string[]>>;
  readonly timeoutMs: number;
  /** For `~/`. */
  readonly homeDirectory: string;
  readonly place: HookPlace;
  /** In the environment made for tools; not confined: these are the user's own programs. */
  readonly runProgram: RunProgram;
  readonly log: Log;
}

/** What all hooks of an occasion said. */
export interface HookReplies {
  readonly context: readonly HookContext[];
  readonly veto?: HookVeto | undefined;
  /** Notices for the user, each as a sentence. */
  readonly notices: readonly string[];
}

/** What one of them said. */
type HookReply =
  | { readonly kind: 'answer'; readonly context: readonly HookContext[]; readonly veto?: string | undefined }
  /** `problem`: as the end of a sentence that begins with its name. */
  | { readonly kind: 'failure'; readonly problem: string };

/** Exit code by which a hook says no, with its reason on standard error. */
const VETO_EXIT_CODE = 2;
/** An answer may hold one context entry of the largest size. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_REASON_CHARACTERS = 1000;

/**
 * @example
 * const { veto } = await askHooks({ hook: 'beforeTool', turn: 1, call }, options, signal);
 * if (veto) console.log(`Not done: ${veto.reason}`);
 */
export async function askHooks(
  occasion: HookOccasion,
  options: AskHooksOptions,
  signal: AbortSignal,
): Promise<HookReplies> {
  const { hook } = occasion;
  const rule = `hook:${hook}`;
  const context: HookContext[] = [];
  const notices: string[] = [];
  for (const line of options.lines[hook]) {
    if (signal.aborted) return { context, veto: { rule, reason: 'It was cancelled before.' }, notices };
    const reply = await askHook(line, occasion, options, signal);
    const name = nameOf(line, options);
    if (reply.kind === 'failure') {
      const text = `The hook ${name} (hooks.${hook}) ${reply.problem}.`;
      options.log.warn(
        { service: 'hooks', operation: hook, sessionId: options.place.session, action: 'Correct or remove it.' },
        text,
      );
      if (isGuard(hook)) return { context, veto: { rule, reason: `${text} ${FAILED_GUARD}` }, notices };
      notices.push(text);
      continue;
    }
    context.push(...reply.context);
    if (reply.veto === undefined) continue;
    const reason = sanitize(reply.veto).trim().slice(0, MAX_REASON_CHARACTERS);
    if (canVeto(hook)) return { context, veto: { rule, reason: `The hook ${name} says no: ${reason}` }, notices };
    notices.push(`The hook ${name} (hooks.${hook}) says no, when it is too late for that: ${sanitizeLine(reason)}`);
  }
  return { context, notices };
}

const FAILED_GUARD = 'Nothing is done that it should have been asked about; correct it, or remove it from config.yaml.';

async function askHook(
  line: string,
  occasion: HookOccasion,
  { homeDirectory, place, timeoutMs, runProgram }: AskHooksOptions,
  signal: AbortSignal,
): Promise<HookReply> {
  const program = hookProgram(line, { homeDirectory });
  if (!program.ok) return { kind: 'failure', problem: `cannot be run: ${program.problem}` };
  try {
    const call = {
      argv: program.words,
      cwd: place.cwd,
      input: questionOf(occasion, place),
      errorsApart: true,
      timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    };
    return replyOf(await runProgram(call, { signal }), timeoutMs);
  } catch (error) {
    if (error instanceof ToolFailure)
      return { kind: 'failure', problem: `cannot be run: ${withoutStop(error.message)}` };
    throw error;
  }
}

function replyOf(outcome: ProgramOutcome, timeoutMs: number): HookReply {
  const { status, exitCode, killedBy } = outcome;
  const failure = (problem: string): HookReply => ({ kind: 'failure', problem });
  const said = sanitize(new TextDecoder().decode(outcome.errors)).trim().slice(0, MAX_REASON_CHARACTERS);
  if (status === 'cancelled') return { kind: 'answer', context: [], veto: 'It was cancelled.' };
  if (status === 'timeout') return failure(`was ended: it took longer than ${timeoutMs / 1000} s`);
  if (status === 'too-much-output') return failure(`was ended: it printed more than ${MAX_OUTPUT_BYTES} bytes`);
  if (exitCode === VETO_EXIT_CODE) return { kind: 'answer', context: [], veto: said || 'It gave no reason.' };
  if (exitCode !== 0) {
    const how = exitCode === undefined ? `was ended by ${killedBy}` : `ended with exit code ${exitCode}`;
    return failure(said === '' ? how : `${how}: ${withoutStop(sanitizeLine(said))}`);
  }
  const read = readAnswer(new TextDecoder().decode(outcome.output));
  return read.ok ? { kind: 'answer', ...read.answer } : failure(`answered ${sanitizeLine(read.problem)}`);
}

/** For people, who know their programs by name. Arguments may hold secrets. */
function nameOf(line: string, { homeDirectory }: AskHooksOptions): string {
  const split = splitWords(line, { homeDirectory });
  return sanitizeLine(split.ok ? basename(split.words[0]) : line.split(/\s/, 1).join(''));
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
