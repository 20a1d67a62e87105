// `ollm config edit`: the user's own file in an editor. The editor gets a draft next to the file, and only a draft
// without problems replaces it: a slip never stops the next run. A draft with problems stays, and the next edit opens
// it.
import { dirname, join } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { readFile, writeAll } from '../../platform/files/io.ts';
import { editorOf, runEditor } from '../../platform/processes/editor.ts';
import { changeUserFile, problemsOfText, readUserFile, type UserFile } from './user-file.ts';

const EMPTY = '# Settings of ollm. docs/configuration.md lists all; "ollm config" shows those in force.\n';

/** @throws OllmError EDITOR_FAILED, INTERRUPTED; CONFIG_INVALID: the saved text has problems, and is in the draft */
export async function editUserFile(
  file: UserFile,
  { signal }: { readonly signal: AbortSignal },
): Promise<{ readonly isChanged: boolean }> {
  const { fileSystem, path, env } = file;
  const command = editorOf(env);
  if (command === undefined) {
    throw new OllmError(
      'EDITOR_FAILED',
      'No editor was found: VISUAL and EDITOR are not set, and neither vi nor nano exists.',
      {
        hint: `Set EDITOR, or change ${path} with "ollm config set KEY VALUE".`,
      },
    );
  }
  const before = readUserFile(file);
  const draft = join(dirname(path), 'config.draft.yaml');
  if (fileSystem.stat(draft) === undefined) writeNew(file, draft, before === '' ? EMPTY : before);
  await runEditor(command, draft, { env, signal });
  const text = readDraft(file, draft);
  const problems = await problemsOfText(draft, text);
  if (problems.length > 0) {
    throw new OllmError('CONFIG_INVALID', problems.join('\n'), {
      hint: `${path} is as it was. "ollm config edit" opens the draft again; delete ${draft} to begin from the file.`,
      data: { problems },
    });
  }
  const isChanged = text !== before && !(before === '' && text === EMPTY);
  if (isChanged) {
    await changeUserFile(file, async (now) => {
      if (now === before) return text;
      throw new OllmError('CONFIG_INVALID', `${path} was changed by another program while the editor was open.`, {
        hint: `Your text is in ${draft}: compare the two, then "ollm config edit" again.`,
      });
    });
  }
  fileSystem.unlink(draft);
  return { isChanged };
}

function writeNew({ fileSystem }: UserFile, path: string, text: string): void {
  fileSystem.makeDirectory(dirname(path));
  using handle = fileSystem.open(path, 'create', 0o600);
  writeAll(handle, new TextEncoder().encode(text));
}

function readDraft({ fileSystem }: UserFile, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFile(fileSystem, path));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw new OllmError('EDITOR_FAILED', `${path} is gone.`, {});
    throw new OllmError('CONFIG_INVALID', `${path} cannot be read: ${(error as Error).message}`, {
      hint: 'The file must be text in UTF-8.',
      cause: error,
    });
  }
}
