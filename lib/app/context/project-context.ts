// What `--context` and `--task` put before the model from the start: the files of the project, the state of its
// repository, its instruction files, what went wrong lately, and the text of a task. All of it informs. Only two may
// instruct: the task, which counts as the user's own words, and the instruction files of a trusted directory.
import { resolve } from 'node:path';
import { GIT_KEY, PROJECT_KEY, RECENT_ERRORS_KEY } from '../../context/entries.ts';
import { OllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { discoverySettings } from '../repository/discovery-settings.ts';
import { readTextFile } from '../repository/read-text-file.ts';

export interface ContextText {
  readonly key: string;
  readonly content: string;
  /** Whether it may instruct. Default: no. */
  readonly trusted?: boolean | undefined;
}

interface ContextRequest {
  readonly context?: boolean | undefined;
  /** A file, relative to the working directory. */
  readonly task?: string | undefined;
}

const MAX_TASK_BYTES = 256 * 1024;
const MAX_FILES_LISTED = 500;
const MAX_LIST_CHARACTERS = 32 * 1024;
/** In a larger project the rest is not counted. */
const MAX_FILES_COUNTED = 50_000;

/** @throws OllmError IO_FAILED if the task cannot be read */
export async function projectContext(app: App, { context, task }: ContextRequest): Promise<readonly ContextText[]> {
  const entries = context ? await projectEntries(app) : [];
  if (task !== undefined) entries.push({ key: 'task', content: readTask(app, task), trusted: true });
  return entries;
}

async function projectEntries(app: App): Promise<ContextText[]> {
  const [{ gitContext }, { instructionFiles }, { instructionsRoot, projectInstructions }, { recentErrors }] =
    await Promise.all([
      import('./git-context.ts'),
      import('../project/instruction-files.ts'),
      import('../project/project-texts.ts'),
      import('./recent-errors.ts'),
    ]);
  const trusted = new Set(projectInstructions(app).flatMap(({ path, trusted: is }) => (is === true ? [path] : [])));
  return [
    { key: PROJECT_KEY, content: await structure(app) },
    ...entryOf(GIT_KEY, await gitContext(app)),
    ...instructionFiles(app.fileSystem, instructionsRoot(app), app.cwd).map(({ path, text }) => ({
      key: path,
      content: text,
      trusted: trusted.has(path),
    })),
    ...entryOf(RECENT_ERRORS_KEY, await recentErrors(app)),
  ];
}

function entryOf(key: string, content: string | undefined): ContextText[] {
  return content === undefined ? [] : [{ key, content }];
}

/** Files nearest to the top first, since a list that is cut should keep what says most. */
async function structure(app: App): Promise<string> {
  const { paths } = app;
  const [{ discover }, settings] = await Promise.all([import('../../discovery/walk.ts'), discoverySettings(app)]);
  const files: string[] = [];
  for await (const names of discover({ ...settings, root: paths.project }).names()) {
    for (const { type, relativePath } of names) if (type === 'file') files.push(relativePath);
    if (files.length >= MAX_FILES_COUNTED) break;
  }
  const isCut = files.length >= MAX_FILES_COUNTED;
  files.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const listed: string[] = [];
  let characters = 0;
  for (const file of files.slice(0, MAX_FILES_LISTED)) {
    characters += file.length + 1;
    if (characters > MAX_LIST_CHARACTERS) break;
    listed.push(file);
  }
  const more = files.length - listed.length;
  const orMore = isCut ? ' or more' : '';
  return [
    `Files of the project in ${paths.project}:`,
    ...listed.sort(),
    ...(more > 0 ? [`… and ${more}${orMore} more`] : []),
  ].join('\n');
}

function depthOf(path: string): number {
  return path.split('/').length;
}

function readTask({ fileSystem, cwd }: App, task: string): string {
  const path = resolve(cwd, task);
  const content = readTextFile(fileSystem, path, MAX_TASK_BYTES);
  if (content !== undefined) return content;
  throw new OllmError('IO_FAILED', `Cannot read the task ${path}.`, {
    hint: `It must be a text file of at most ${MAX_TASK_BYTES / 1024} KiB.`,
  });
}
