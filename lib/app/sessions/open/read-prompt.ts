// The system prompt of a file that the user, or a project, names, with the facts about it for the journal.
import type { CreatedData, SystemPrompt } from '../../../session/create.ts';
import { sha256Of } from '../../../session/identify.ts';
import { estimatingCounter } from '../../../tokens/estimate.ts';
import type { App } from '../../app.ts';
import { readPromptFile } from '../../project/prompt-file.ts';

export interface Prompt {
  readonly system: SystemPrompt;
  readonly record: NonNullable<CreatedData['prompt']>;
}

/** @throws OllmError IO_FAILED */
export async function readPrompt(app: App, file: string): Promise<Prompt> {
  const { path, bytes } = readPromptFile(app, file);
  const { text } = (await app.redactor())(new TextDecoder().decode(bytes));
  return { system: { text, tokens: estimatingCounter.count(text) }, record: { file: path, sha256: sha256Of(bytes) } };
}
