// What `--context` and `--task` put before the model from the start: the project's structure, its git state, its
// instruction files, and the text of a task. Nothing here is trusted more than any other file.
import { dirname, join, relative, resolve } from 'node:path';
import { OllmError } from '../errors/index.ts';
import type { App } from './app.ts';
import { discoverySettings } from './discovery-settings.ts';
import { gitState } from './git-state.ts';
import { readTextFile } from './read-text-file.ts';

export interface ContextText {
  readonly key: string;
  readonly content: string;
}

export interface ContextRequest {
  readonly context?: boolean | undefined;
  /** A file, relative to the working directory. */
  readonly task?: string | undefined;
}

const MAX_FILE_BYTES = 256 * 1024;
const MAX_FILES_LISTED = 500;
const INSTRUCTION_FILE = 'AGENTS.md';

/** @throws OllmError IO_FAILED if the task cannot be read */
export async function projectContext(app: App, { context, task }: ContextRequest): Promise<readonly ContextText[]> {
  const entries: ContextText[] = [];
  if (context) entries.push(await structure(app), ...git(app), ...instructions(app));
  if (task !== undefined) entries.push({ key: 'task', content: readTask(app, task) });
  return entries;
}

async function structure(app: App): Promise<ContextText> {
  const { paths } = app;
  const { discover } = await import('../discovery/walk.ts');
  const files: string[] = [];
  let more = 0;
  for await (const { type, relativePath } of discover({ ...(await discoverySettings(app)), root: paths.project })) {
    if (type !== 'file') continue;
    if (files.length < MAX_FILES_LISTED) files.push(relativePath);
    else more += 1;
  }
  files.sort();
  if (more > 0) files.push(`… and ${more} more`);
  return { key: 'project', content: `Files of the project in ${paths.project}:\n${files.join('\n')}` };
}

function git({ fileSystem, cwd }: App): ContextText[] {
  const state = gitState(fileSystem, cwd);
  if (!state) return [];
  const facts = [`Repository: ${state.root}`];
  if (state.branch) facts.push(`Branch: ${state.branch}`);
  if (state.commit) facts.push(`Commit: ${state.commit}`);
  return [{ key: 'git', content: facts.join('\n') }];
}

/** Those from the project's root down to where we stand: the nearest comes last and weighs most. */
function instructions({ fileSystem, paths, cwd }: App): ContextText[] {
  return directoriesBetween(paths.project, cwd).flatMap((directory) => {
    const path = join(directory, INSTRUCTION_FILE);
    const content = readTextFile(fileSystem, path, MAX_FILE_BYTES);
    return content === undefined ? [] : [{ key: relative(paths.project, path), content }];
  });
}

function directoriesBetween(top: string, bottom: string): readonly string[] {
  const directories = [bottom];
  for (let folder = bottom; folder !== top && dirname(folder) !== folder; folder = dirname(folder)) {
    directories.unshift(dirname(folder));
  }
  return directories[0] === top ? directories : [top];
}

function readTask({ fileSystem, cwd }: App, task: string): string {
  const path = resolve(cwd, task);
  const content = readTextFile(fileSystem, path, MAX_FILE_BYTES);
  if (content !== undefined) return content;
  throw new OllmError('IO_FAILED', `Cannot read the task ${path}.`, {
    hint: `It must be a text file of at most ${MAX_FILE_BYTES / 1024} KiB.`,
  });
}
