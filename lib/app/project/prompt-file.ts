// The file of a system prompt, as bytes: one place, however it was named, and never one that may hold keys.
import { basename, resolve } from 'node:path';
import { isCredentialName } from '../../discovery/credential-names.ts';
import { OllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { readWholeFile } from '../read-text-file.ts';

const MAX_PROMPT_BYTES = 1024 * 1024;

/** @throws OllmError IO_FAILED */
export function readPromptFile(app: Pick<App, 'fileSystem' | 'cwd'>, file: string) {
  const path = promptPath(app, file);
  refuseCredentials(path, file);
  const bytes = readWholeFile(app.fileSystem, path, MAX_PROMPT_BYTES);
  if (bytes === undefined) throw unreadable(file);
  return { path, bytes };
}

/** All links resolved: one file is one place, whichever way it was named. */
export function promptPath({ fileSystem, cwd }: Pick<App, 'fileSystem' | 'cwd'>, file: string): string {
  try {
    return fileSystem.realPath(resolve(cwd, file));
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** A project may name the file, and keys would go to the model with it. */
function refuseCredentials(path: string, file: string): void {
  if (!isCredentialName(basename(path))) return;
  throw new OllmError('IO_FAILED', `The prompt file ${file} is not read: by its name it may hold keys.`, {
    hint: 'Name another file: promptFile in a config.yaml, or --prompt-file.',
    data: { file },
  });
}

function unreadable(file: string, cause?: unknown): OllmError {
  return new OllmError('IO_FAILED', `The prompt file ${file} cannot be read.`, {
    hint: `It must be a text file of at most ${MAX_PROMPT_BYTES / 1024} KiB.`,
    data: { file },
    ...(cause === undefined ? {} : { cause }),
  });
}
