// The tools of a turn in words, for a turn without a REPL: a line for each call on the standard error of a terminal,
// and at the end the calls that did not run because no user could be asked.
import { excerpt } from '../display/excerpt.ts';
import { formatDuration } from '../display/quantities.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { Output } from './output.ts';

type ToolSignal = Extract<TurnSignal, { type: 'tool_call' | 'tool_started' | 'tool_result' }>;

interface ToolTeller {
  /** What to say now, if anything. */
  lineFor(signal: ToolSignal): string | undefined;
  /** Calls that did not run because no user could be asked. */
  readonly unasked: number;
  unaskedWords(): string;
}

const BY_RULE = 'Allow it by a rule in tools.allow, or ask in the REPL: "ollm repl".';
const MAX_LINE_CHARACTERS = 160;

/** `remedy`: what lets such calls run. */
export function createToolTeller({ isErrorTerminal }: Pick<Output, 'isErrorTerminal'>, remedy = BY_RULE): ToolTeller {
  /** The effect of each call, as far as it is known. */
  const summaries = new Map<string, string>();
  const unasked: string[] = [];
  return {
    lineFor(signal) {
      switch (signal.type) {
        case 'tool_call':
          summaries.set(signal.call.callId, signal.call.name);
          return undefined;
        case 'tool_started':
          summaries.set(signal.callId, signal.summary || signal.name);
          return undefined;
        case 'tool_result': {
          const what = oneLine(summaries.get(signal.callId) ?? 'A tool');
          summaries.delete(signal.callId);
          if (signal.unasked) unasked.push(what);
          return isErrorTerminal ? `${what}: ${outcomeOf(signal)}` : undefined;
        }
      }
    },
    get unasked() {
      return unasked.length;
    },
    unaskedWords() {
      const names = [...new Set(unasked)].join(', ');
      return `Not done, because this needs an answer at a terminal: ${names}. ${remedy}`;
    },
  };
}

function outcomeOf({ status, content, durationMs }: Extract<ToolSignal, { type: 'tool_result' }>): string {
  if (status === 'ok') return durationMs === undefined ? 'done' : formatDuration(durationMs);
  return `${status}. ${oneLine(content)}`;
}

function oneLine(text: string): string {
  const line = sanitizeLine(text.slice(0, MAX_LINE_CHARACTERS * 4));
  return excerpt(line, MAX_LINE_CHARACTERS);
}
