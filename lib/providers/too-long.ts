// A conversation that a provider refuses because it is too long for the model.
import { OllmError } from '../errors/index.ts';

const ABOUT_SIZE = new RegExp(
  [
    'context_length_exceeded',
    'exceed_context_size',
    '(prompt|input) is too long',
    'maximum context length',
    'exceeds? (the|its) (maximum number of tokens|(available |maximum )?context (size|window|length))',
    'input length exceeds',
    'input token count .{0,40}exceeds',
  ].join('|'),
  'i',
);

/** Whether an error message of a server is about the length of the conversation. */
export function isAboutSize(message: string): boolean {
  return ABOUT_SIZE.test(message);
}

/** `said`: the message of the server, quoted already. */
export function tooLong(model: string | undefined, said: string, data: Readonly<Record<string, unknown>>): OllmError {
  return new OllmError('CONTEXT_TOO_SMALL', `The conversation is too long for ${model || 'the model'}: ${said}.`, {
    hint: 'Shorten it with /compact, start a new session, or choose a model with a larger window.',
    data: { ...data, model },
  });
}
