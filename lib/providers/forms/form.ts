// A form: how the messages of a conversation are written for one vendor's API, and read from it. Each is a file of
// this folder. Writing goes by way of the prompt that the providers send (ai-sdk/prompt.ts), so that a program is given
// what a turn would send. Pure.
import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { PromptRules } from '../ai-sdk/prompt.ts';
import type { GivenMessage } from './given.ts';

export interface ReadForm {
  /** The provider whose reasoning goes back in this form; undefined: the one of the session. */
  readonly provider?: string | undefined;
  /**
   * Reads one message, several, or a whole answer of the API. `newId` names calls that have no id.
   * @throws OllmError EVENT_INVALID
   */
  readonly read: (given: unknown, newId: () => string) => readonly GivenMessage[];
}

/** A form in which models are asked. */
export interface Form<Sent> extends ReadForm {
  readonly rules: PromptRules;
  /** `model`: the one that is asked; empty where it is not known. */
  readonly write: (prompt: LanguageModelV4Prompt, model: string) => Sent;
}

export type Prompted<Role extends LanguageModelV4Message['role']> = Extract<LanguageModelV4Message, { role: Role }>;

/** The system prompt in front, as one text, and the messages. */
export function withoutSystem(prompt: LanguageModelV4Prompt): {
  readonly system: string;
  readonly messages: LanguageModelV4Prompt;
} {
  const begin = prompt.findIndex(({ role }) => role !== 'system');
  const split = begin === -1 ? prompt.length : begin;
  const texts = prompt.slice(0, split).map(({ content }) => content as string);
  return { system: texts.join('\n\n'), messages: prompt.slice(split) };
}

/** The content of a file as base64. */
export function base64Of({ data }: Pick<LanguageModelV4FilePart, 'data'>): string {
  const content = data.type === 'data' ? data.data : '';
  return typeof content === 'string' ? content : Buffer.from(content).toString('base64');
}

/** The text of a result, and its images. */
export function outputOf({ output }: Prompted<'tool'>['content'][number] & { readonly type: 'tool-result' }): {
  readonly text: string;
  readonly isError: boolean;
  readonly files: readonly { readonly mediaType: string; readonly base64: string }[];
} {
  switch (output.type) {
    case 'text':
      return { text: output.value, isError: false, files: [] };
    case 'error-text':
      return { text: output.value, isError: true, files: [] };
    case 'content': {
      const text = output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      const files = output.value.flatMap((part) =>
        part.type === 'file' ? [{ mediaType: part.mediaType, base64: base64Of(part as LanguageModelV4FilePart) }] : [],
      );
      return { text, isError: false, files };
    }
    default:
      return { text: JSON.stringify(output), isError: output.type !== 'json', files: [] };
  }
}
