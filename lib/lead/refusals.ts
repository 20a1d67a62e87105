// What a led session refuses, in words.
import { OllmError } from '../errors/index.ts';

/** The server ends before the prompt could be stored. */
export function endedFirst(id: string): OllmError {
  return new OllmError('SERVER_CLOSING', 'The server ended before this prompt could be stored.', {
    hint: 'Ask again later.',
    data: { id },
  });
}

/** The process that was given the session has not opened it yet. */
export function givenAway(id: string, leftMs: number): OllmError {
  return new OllmError('SESSION_LOCKED', `Session ${id} was just given to another process.`, {
    hint: 'Go on with it there, or ask again in ten seconds.',
    data: { id, retryAfterMs: Math.max(1, Math.ceil(leftMs)) },
  });
}

/** No prompt of this id waits. */
export function noPrompt(id: string, promptId: string): OllmError {
  return new OllmError('PROMPT_NOT_FOUND', `No prompt ${JSON.stringify(promptId.slice(0, 60))} waits in ${id}.`, {
    hint: 'Its turn runs already, has ended, or never was.',
  });
}

/** A turn runs, or prompts wait. */
export function busy(id: string): OllmError {
  return new OllmError('SESSION_BUSY', `A turn of ${id} runs, or waits.`, {
    hint: 'Wait for it, or stop it first.',
    data: { id },
  });
}
