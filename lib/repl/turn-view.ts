// Turns the signals of a turn into words, and their order. Their place and look are up to the surface:
// render/answer-screen.ts on a terminal, piped-answer.ts elsewhere.
import { sanitizeLine } from '../display/sanitize.ts';
import { ERROR_CODES, type OllmError } from '../errors/index.ts';
import type { ModelToolCall } from '../providers/provider.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { ShownToolEnd } from './render/tool-lines.ts';

/** Where one answer is shown. */
export interface AnswerSurface {
  /** The question is on its way. */
  begin(): void;
  /** More of the answer. */
  text(content: string): void;
  /** More of the model's thoughts before it answers. */
  reasoning(content: string): void;
  /** A line that is not part of the answer. */
  aside(line: string): void;
  /** A message of the user during the turn: the next request includes it. */
  said(text: string): void;
  /** More of the arguments of a call that the model is writing. */
  toolInput(input: ToolInput): void;
  /** The request is repeated after a pause. */
  retry(retry: Retry): void;
  toolStarted(callId: string, call: { readonly name: string; readonly summary: string }): void;
  toolOutput(callId: string, text: string): void;
  toolEnded(callId: string, end: ShownToolEnd): void;
  /** Shows the rest; the next word begins a line. Harmless when done twice. */
  settle(): void;
}

export type ToolInput = Pick<Extract<TurnSignal, { readonly type: 'tool_input' }>, 'key' | 'name' | 'text'>;

export interface Retry {
  /** Why: a sentence of one line. */
  readonly reason: string;
  readonly attempt: number;
  readonly attempts: number;
  readonly delayMs: number;
}

export interface TurnView {
  show(signal: TurnSignal): void;
  /** The arguments of a call, as the model or the user last gave them; undefined if it is not known. */
  argsOf(callId: string): unknown;
  /** The user has changed them. */
  setArgs(callId: string, args: unknown): void;
  /** Something else takes the screen, such as a question about this call: signals wait for `release`. */
  hold(callId?: string): void;
  release(): void;
  end(): void;
}

interface TurnVoice {
  notice(text: string): void;
  problem(message: string, hint?: string): void;
}

interface Call {
  readonly name: string;
  args: unknown;
  summary: string;
  /** The user was asked about it, and has seen its effect. */
  asked: boolean;
}

/** Characters of a tool's output that are kept while nothing is shown: no more could be seen. */
const MOST_HELD = 8000;
/** Signals that bring a part of the answer. */
const ARRIVALS: readonly TurnSignal['type'][] = ['delta', 'reasoning', 'tool_call'];

export function createTurnView(surface: AnswerSurface, voice: TurnVoice): TurnView {
  const calls = new Map<string, Call>();
  let held: TurnSignal[] | undefined;
  let anythingArrived = false;

  const show = (signal: TurnSignal): void => {
    anythingArrived ||= ARRIVALS.includes(signal.type);
    switch (signal.type) {
      case 'start':
        surface.begin();
        break;
      case 'delta':
        surface.text(signal.content);
        break;
      case 'reasoning':
        surface.reasoning(signal.content);
        break;
      case 'steered':
        surface.said(signal.text);
        break;
      case 'tool_input':
        surface.toolInput(signal);
        break;
      case 'tool_call':
        know(signal.call);
        break;
      case 'tool_started': {
        const { callId, name, summary } = signal;
        const call = calls.get(callId) ?? know({ callId, name, args: undefined });
        call.summary = summary;
        surface.toolStarted(callId, call);
        break;
      }
      case 'tool_output':
        surface.toolOutput(signal.callId, signal.text);
        break;
      case 'tool_result':
        surface.toolEnded(signal.callId, endOf(signal));
        break;
      case 'retry':
        surface.retry({ ...signal, reason: sanitizeLine(signal.reason) });
        break;
      case 'notice':
        surface.aside(sanitizeLine(signal.text));
        break;
      case 'done':
        surface.settle();
        break;
      case 'cancelled':
        surface.settle();
        voice.notice(anythingArrived ? 'Cancelled. The part that arrived is kept.' : 'Cancelled.');
        break;
      case 'error':
        surface.settle();
        voice.problem(signal.error.message, hintFor(signal.error, anythingArrived));
        break;
    }
  };

  const know = ({ callId, name, args }: ModelToolCall): Call => {
    const call = { name, args, summary: '', asked: false };
    calls.set(callId, call);
    return call;
  };

  const endOf = ({ callId, status, content, durationMs, truncated }: Signal<'tool_result'>): ShownToolEnd => {
    const { name, summary, asked } = calls.get(callId) ?? { name: 'tool', summary: '', asked: false };
    return { name, summary, status, content, durationMs, truncated, wasShown: asked && status === 'ok' };
  };

  return {
    show(signal) {
      if (held) keep(held, signal);
      else show(signal);
    },
    argsOf: (callId) => calls.get(callId)?.args,
    setArgs(callId, args) {
      const call = calls.get(callId);
      if (call) call.args = args;
    },
    hold(callId) {
      const call = callId === undefined ? undefined : calls.get(callId);
      if (call) call.asked = true;
      if (held) return;
      surface.settle();
      held = [];
    },
    release() {
      const waiting = held ?? [];
      held = undefined;
      surface.begin();
      waiting.forEach(show);
    },
    end: () => surface.settle(),
  };
}

type Signal<Type extends TurnSignal['type']> = Extract<TurnSignal, { readonly type: Type }>;

/** A tool may print without end while the user thinks: of each stretch only the end is kept. */
function keep(held: TurnSignal[], signal: TurnSignal): void {
  const last = held.at(-1);
  if (signal.type === 'tool_output' && last?.type === 'tool_output' && last.callId === signal.callId) {
    held[held.length - 1] = { ...signal, text: (last.text + signal.text).slice(-MOST_HELD) };
  } else held.push(signal);
}

/** The hint of the error, and the commands of the REPL that help. */
function hintFor({ code, exitCode, hint = '' }: OllmError, anythingArrived: boolean): string {
  if (code === 'LOOP_DETECTED') return `${hint} /loop off switches it off for now.`;
  // An agent of another maker keeps its conversation itself.
  const isOfAgent = code.startsWith('AGENT_');
  const isUnanswered = exitCode === ERROR_CODES.PROVIDER_FAILED.exit && !anythingArrived && !isOfAgent;
  return isUnanswered
    ? `${hint} /retry asks again. Your next message takes this question along, unless /undo takes it out.`.trimStart()
    : hint;
}
