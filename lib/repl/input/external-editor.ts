// The user's own editor, for texts that are too long for a line: $VISUAL, else $EDITOR. The text goes through a file
// that only its owner can read, in a directory of its own that is removed however the editor or ollm ends.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import { temporaryDirectory } from '../../platform/processes/temporary-directory.ts';
import type { LineEditor } from './line-editor.ts';

export interface EditOptions {
  /** Of the file, so that an editor knows the kind of text. */
  readonly extension: string;
  readonly signal: AbortSignal;
}

export interface ExternalEditor {
  /** The text as it was saved. @throws OllmError EDITOR_FAILED, INTERRUPTED */
  edit(text: string, options: EditOptions): Promise<string>;
}

export interface ExternalEditorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Pick<LineEditor, 'lend'>;
}

/** Bytes of a text that is read back. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Undefined where neither variable names one. */
export function createExternalEditor({ env, terminal }: ExternalEditorOptions): ExternalEditor | undefined {
  const command = env.VISUAL?.trim() || env.EDITOR?.trim();
  if (!command) return undefined;
  return {
    async edit(text, { extension, signal }) {
      const directory = mkdtempSync(join(temporaryDirectory(env.TMPDIR), 'ollm-edit-')); // 0700
      const remove = () => rmSync(directory, { recursive: true, force: true });
      // An exit while the editor runs passes the `finally` by.
      process.once('exit', remove);
      try {
        const file = join(directory, `text.${extension}`);
        await writeFile(file, text, { mode: 0o600, flag: 'wx' });
        await terminal.lend(() => run(command, file, { env, signal }));
        return await readBack(file, command);
      } finally {
        process.off('exit', remove);
        remove();
      }
    },
  };
}

async function run(
  command: string,
  file: string,
  { env, signal }: { readonly env: ExternalEditorOptions['env']; readonly signal: AbortSignal },
): Promise<void> {
  // The variable may hold arguments (“code --wait”); git reads it the same way.
  const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env }, signal });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(signal.aborted ? interrupted() : failed(command, error.message)));
    child.once('exit', resolve);
  });
  if (signal.aborted) throw interrupted();
  if (exitCode === 127) throw failed(command, 'the program was not found');
  if (exitCode !== 0) throw failed(command, exitCode === null ? 'it was ended' : `it ended with ${exitCode}`);
}

async function readBack(file: string, command: string): Promise<string> {
  try {
    const bytes = await readFile(file);
    if (bytes.length > MOST_BYTES) throw failed(command, 'the text has become too long');
    return bytes.toString('utf8');
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw failed(command, 'the file is gone');
  }
}

function failed(command: string, why: string): OllmError {
  return new OllmError('EDITOR_FAILED', `The editor ${command} failed: ${why}.`, {
    hint: 'Nothing was sent. VISUAL, else EDITOR, names the editor.',
  });
}

function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'The editor was ended. Nothing was sent.');
}
