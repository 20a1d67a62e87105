// The user's own editor, as a program on the terminal of this process: $VISUAL, else $EDITOR, else vi or nano.
import { spawn } from 'node:child_process';
import { OllmError } from '../../errors/index.ts';
import { findProgram } from './find-program.ts';
import { StartFailure } from './start-failure.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface RunEditorOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
}

const USUAL = ['vi', 'nano'] as const;

/** The command, which may hold arguments (“code --wait”). Undefined where none is named or installed. */
export function editorOf(env: Environment): string | undefined {
  const named = env.VISUAL?.trim() || env.EDITOR?.trim();
  return named || USUAL.find((name) => isInstalled(name, env.PATH));
}

/** Resolves once the user has left it. @throws OllmError EDITOR_FAILED, INTERRUPTED */
export async function runEditor(command: string, file: string, { env, signal }: RunEditorOptions): Promise<void> {
  // The variable may hold arguments; git reads it the same way.
  const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env }, signal });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(signal.aborted ? interrupted() : editorFailed(command, error.message)));
    child.once('exit', resolve);
  });
  if (signal.aborted) throw interrupted();
  if (exitCode === 127) throw editorFailed(command, 'the program was not found');
  if (exitCode !== 0) throw editorFailed(command, exitCode === null ? 'it was ended' : `it ended with ${exitCode}`);
}

export function editorFailed(command: string, why: string): OllmError {
  return new OllmError('EDITOR_FAILED', `The editor ${command} failed: ${why}.`, {
    hint: 'Nothing was taken from it. VISUAL, else EDITOR, names the editor.',
  });
}

function interrupted(): OllmError {
  return new OllmError('INTERRUPTED', 'The editor was ended. Nothing was taken from it.');
}

function isInstalled(name: string, path: string | undefined): boolean {
  try {
    return findProgram(name, { path, cwd: '/' }) !== '';
  } catch (error) {
    if (error instanceof StartFailure) return false;
    throw error;
  }
}
