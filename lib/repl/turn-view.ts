// What the signals of a turn mean for whoever watches: in which order things are said, and in which words. Where they are
// put, and how they look, is up to the surface: render/answer-screen.ts on a terminal, piped-answer.ts elsewhere.

import { sanitizeLine } from '../display/sanitize.ts';
import type { TurnSignal } from '../turn/signals.ts';

/** Where one answer is shown. */
export interface AnswerSurface {
  /** The question is on its way. */
  begin(): void;
  /** More of the answer. */
  text(content: string): void;
  /** One line that is no part of the answer. */
  aside(line: string): void;
  /** Shows what is still to be shown; the next word begins a line. Harmless when done twice. */
  settle(): void;
}

export interface TurnView {
  show(signal: TurnSignal): void;
  end(): void;
}

export interface TurnVoice {
  notice(text: string): void;
  problem(message: string, hint?: string): void;
}

export function createTurnView(surface: AnswerSurface, voice: TurnVoice): TurnView {
  const show = (signal: TurnSignal): void => {
    switch (signal.type) {
      case 'start':
        surface.begin();
        break;
      case 'delta':
        surface.text(signal.content);
        break;
      case 'reasoning':
        break; // Kept in the journal; the spinner goes on.
      case 'tool_call':
        surface.aside(`→ ${sanitizeLine(signal.call.name)} ${sanitizeLine(JSON.stringify(signal.call.args) ?? '')}`);
        break;
      case 'tool_started':
      case 'tool_output':
        break;
      case 'retry':
        surface.aside(`${sanitizeLine(signal.reason)} Trying again in ${Math.ceil(signal.delayMs / 1000)} s.`);
        break;
      case 'tool_result':
        surface.aside(`← ${sanitizeLine(signal.status)} ${sanitizeLine(signal.content)}`);
        break;
      case 'notice':
        surface.aside(sanitizeLine(signal.text));
        break;
      case 'done':
        surface.settle();
        break;
      case 'cancelled':
        surface.settle();
        voice.notice('Cancelled. What had arrived is kept.');
        break;
      case 'error':
        surface.settle();
        voice.problem(signal.error.message, signal.error.hint);
        break;
    }
  };
  return { show, end: () => surface.settle() };
}
