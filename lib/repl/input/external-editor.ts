// The user's own editor, for texts that are too long for a line: $VISUAL, $EDITOR, else vi or nano. The text goes
// through a file that only its owner can read, in a directory of its own that is removed however the editor or ollm
// ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/index.ts';
import { editorFailed, editorOf, runEditor } from '../../platform/processes/editor.ts';
import { temporaryDirectory } from '../../platform/processes/temporary-directory.ts';
import type { LineEditor } from './line-editor.ts';

interface EditOptions {
  /** The extension of the file, so that an editor knows the kind of text. */
  readonly extension: string;
  readonly signal: AbortSignal;
}

export interface ExternalEditor {
  /** The text as it was saved. @throws OllmError EDITOR_FAILED, INTERRUPTED */
  edit(text: string, options: EditOptions): Promise<string>;
}

interface ExternalEditorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Pick<LineEditor, 'lend'>;
}

/** Bytes of a text that is read back. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Undefined where no variable names one and none is installed. */
export function createExternalEditor({ env, terminal }: ExternalEditorOptions): ExternalEditor | undefined {
  const command = editorOf(env);
  if (command === undefined) return undefined;
  return {
    async edit(text, { extension, signal }) {
      const directory = mkdtempSync(join(temporaryDirectory(env.TMPDIR), 'ollm-edit-')); // 0700
      const remove = () => rmSync(directory, { recursive: true, force: true });
      // An exit while the editor runs passes the `finally` by.
      process.once('exit', remove);
      try {
        const file = join(directory, `text.${extension}`);
        await writeFile(file, text, { mode: 0o600, flag: 'wx' });
        await terminal.lend(() => runEditor(command, file, { env, signal }));
        return await readBack(file, command);
      } finally {
        process.off('exit', remove);
        remove();
      }
    },
  };
}

async function readBack(file: string, command: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > MOST_BYTES) throw editorFailed(command, 'the text has become too long');
    return bytes.toString('utf8');
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw editorFailed(command, 'the file is gone');
  }
}
