// The commands that a user writes as files, `commands/*.md` in the user's directory and in the `.ollm` of the project:
// the text of each becomes a message. Of two with the same name the user's counts: a project cannot change the text of
// the user's own command.
import { join } from 'node:path';
import { isTrustedDirectory } from '../../config/is-trusted.ts';
import { systemErrorCode } from '../../errors/index.ts';
import { realPathOf } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { readFrontMatter } from './front-matter.ts';
import { readMarkdownFile } from './markdown-file.ts';

export interface OwnCommand {
  readonly name: string;
  readonly place: 'user' | 'project';
  readonly path: string;
  /** The description in its front matter, else its first line. As it is in the file. */
  readonly description: string;
  /** Answers instead of the session's, in the turn of the command. */
  readonly model: string | undefined;
  /** All of the file, as it is trusted or not. */
  readonly content: string;
  /** With `$1` … `$9` and `$ARGUMENTS` where arguments come. */
  readonly text: string;
}

interface OwnCommands {
  readonly commands: readonly OwnCommand[];
  /** Faults, each as a sentence. Names of files are as they are on the disk. */
  readonly problems: readonly string[];
}

const MOST_FILES = 200;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const EXTENSION = '.md';

/** All of them, by name. Read again each time. */
export async function ownCommands(app: App): Promise<OwnCommands> {
  const { home, project } = app.paths;
  const folders = [{ place: 'user', folder: join(home, 'commands') } as const];
  const inProject = { place: 'project', folder: join(project, '.ollm', 'commands') } as const;
  // The user's own directory may be that of the project.
  const isSame = realPathOf(app.fileSystem, inProject.folder) === realPathOf(app.fileSystem, folders[0]!.folder);
  const problems: string[] = [];
  const commands = new Map<string, OwnCommand>();
  for (const { place, folder } of isSame ? folders : [...folders, inProject]) {
    for (const name of namesOfFiles(app, folder, problems)) {
      const command = await readCommand(app, { place, name, path: join(folder, `${name}${EXTENSION}`) }, problems);
      const known = commands.get(name);
      if (command === undefined) continue;
      if (known === undefined) commands.set(name, command);
      else problems.push(`${command.path} is not used: ${known.path} has the same name.`);
    }
  }
  return { commands: [...commands.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)), problems };
}

/**
 * The message that a command becomes. Words between quotes are one argument. If the text has no place for them, they
 * come after it.
 *
 * @example
 * expandCommand('Compare $1 with $2.', 'a.ts "b c.ts"'); // 'Compare a.ts with b c.ts.'
 */
export function expandCommand(text: string, argument: string): string {
  const all = argument.trim();
  const words = [...all.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare,
  );
  let hasPlace = false;
  const expanded = text.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_, number?: string) => {
    hasPlace = true;
    return number === undefined ? all : (words[Number(number) - 1] ?? '');
  });
  return hasPlace || all === '' ? expanded : `${expanded}\n\n${all}`;
}

function namesOfFiles({ fileSystem }: App, folder: string, problems: string[]): readonly string[] {
  const names: string[] = [];
  try {
    if (fileSystem.stat(folder) === undefined) return [];
    for (const { name: file } of fileSystem.readDirectory(folder)) {
      if (!file.endsWith(EXTENSION)) continue;
      const name = file.slice(0, -EXTENSION.length);
      if (NAME.test(name)) names.push(name);
      else problems.push(`${join(folder, file)} is not a command: its name must be letters, digits, - and _.`);
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    problems.push(`${folder} cannot be read (${code}).`);
  }
  if (names.length > MOST_FILES)
    problems.push(`${folder} has ${names.length} commands: ${MOST_FILES} of them are used.`);
  return names.toSorted().slice(0, MOST_FILES);
}

async function readCommand(
  app: App,
  { place, name, path }: Pick<OwnCommand, 'place' | 'name' | 'path'>,
  problems: string[],
): Promise<OwnCommand | undefined> {
  const file = readMarkdownFile(app, path, place === 'project' ? app.paths.project : undefined);
  if (file?.text === undefined) {
    if (file !== undefined) problems.push(`${path} ${file.problem}: it is not a command.`);
    return undefined;
  }
  const { texts, body, problems: faults } = await readFrontMatter(file.text, ['description', 'model']);
  problems.push(...faults.map(({ line, words }) => `${path}:${line}: ${words}.`));
  if (body === '') {
    problems.push(`${path} has no text: it is not a command.`);
    return undefined;
  }
  const description = texts.get('description') ?? body.split('\n', 1)[0]!;
  return {
    name,
    place,
    path,
    description,
    model: modelOf(app, { place, path, model: texts.get('model') }, problems),
    content: file.text,
    text: body,
  };
}

/** A project says which model answers only where the user trusts it. */
function modelOf(
  app: App,
  { place, path, model }: Pick<OwnCommand, 'place' | 'path' | 'model'>,
  problems: string[],
): string | undefined {
  if (model === undefined || place === 'user') return model;
  if (isTrustedDirectory(app.fileSystem, app.paths.project, app.config.trustedDirectories)) return model;
  problems.push(`${path}: model is not used: the project is not among the trustedDirectories of your configuration.`);
  return undefined;
}
