// The file of a system prompt, as bytes: one place, however it was named, and never one that may hold keys.
import { basename } from 'node:path';
import { isCredentialName } from '../../discovery/credential-names.ts';
import { OllmError } from '../../errors/index.ts';
import { promptFileBytes, promptFilePath } from '../../session/prompt-file.ts';
import type { App } from '../app.ts';

/** @throws OllmError IO_FAILED */
export function readPromptFile(app: Pick<App, 'fileSystem' | 'cwd'>, file: string) {
  const path = promptPath(app, file);
  refuseCredentials(path, file);
  return { path, bytes: promptFileBytes(app.fileSystem, path, file) };
}

/** All links resolved: one file is one place, whichever way it was named. */
export function promptPath({ fileSystem, cwd }: Pick<App, 'fileSystem' | 'cwd'>, file: string): string {
  return promptFilePath(fileSystem, cwd, file);
}

/** A project may name the file, and keys would go to the model with it. */
function refuseCredentials(path: string, file: string): void {
  if (!isCredentialName(basename(path))) return;
  throw new OllmError('IO_FAILED', `The prompt file ${file} is not read: by its name it may hold keys.`, {
    hint: 'Name another file: promptFile in a config.yaml, or --prompt-file.',
    data: { file },
  });
}
