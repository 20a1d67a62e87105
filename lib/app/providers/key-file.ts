// The key of a provider: the variable or the file that the settings name, or the file of that provider in the directory
// of ollm. It is read again for each request, and kept nowhere else. A file that other users can change is refused; one
// that they can read gives a warning.
import { dirname, join, resolve } from 'node:path';
import { OllmError } from '../../errors/index.ts';
import { upwards } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import type { KeyPlaces } from '../../providers/key.ts';
import type { App } from '../app.ts';
import { readTextFile } from '../repository/read-text-file.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';
import type { ProgramProblem } from '../start/program-problem.ts';
import { settingsOfProvider, settingsOfProviders } from './provider-settings.ts';

const MAX_KEY_FILE_BYTES = 64 * 1024;
const READABLE_BY_OTHERS = 0o044;
const ENTERED_BY_OTHERS = 0o011;

/** Where the key of the provider `name` is to be found. */
export function keyPlaces(app: App, name: string): KeyPlaces {
  const { apiKeyEnv } = settingsOfProvider(app.config, name);
  return {
    variable: apiKeyEnv,
    /** A file that the settings do not name is a place only once it is there. */
    get file() {
      return namedFile(app, name) ?? (app.fileSystem.stat(ownKeyFile(app, name)) ? ownKeyFile(app, name) : undefined);
    },
    fromVariable: () => (apiKeyEnv === undefined ? undefined : app.env[apiKeyEnv]),
    fromFile: () => readKeyFile(app, keyFileOf(app, name)),
  };
}

/** The path of the file that holds the key of the provider `name`, or would hold it. */
export function keyFileOf(app: App, name: string): string {
  return namedFile(app, name) ?? ownKeyFile(app, name);
}

function namedFile(app: App, name: string): string | undefined {
  const { apiKeyFile } = settingsOfProvider(app.config, name);
  return apiKeyFile ? pathOf(app, apiKeyFile) : undefined;
}

function ownKeyFile({ paths }: Pick<App, 'paths'>, name: string): string {
  // A server may have any text as its name; as a file it has one in this directory.
  return join(paths.home, 'keys', `${encodeURIComponent(name.toWellFormed())}.key`);
}

/** The names of the providers whose key file is named by the settings, or is there. */
export function providersWithKeyFile(app: App): readonly string[] {
  return Object.keys(settingsOfProviders(app.config)).filter((name) => keyPlaces(app, name).file !== undefined);
}

/** Whether other users can change or read the key file of this provider. One that does not exist has no problem. */
export function keyFileProblem(app: App, provider: string): ProgramProblem | undefined {
  const { file } = keyPlaces(app, provider);
  const path = file ? realPathOf(app.fileSystem, file) : undefined;
  const stat = path === undefined ? undefined : app.fileSystem.stat(path);
  if (!file || path === undefined || stat === undefined) return undefined;
  const problem = ownershipProblem(stat, app.process.uid);
  if (problem !== undefined) return changeable(file, problem.words);
  if (app.process.uid === undefined || (stat.mode & READABLE_BY_OTHERS) === 0) return undefined;
  const isClosed = [...upwards(dirname(path))].some((place) => {
    const above = app.fileSystem.stat(place);
    return above !== undefined && (above.mode & ENTERED_BY_OTHERS) === 0;
  });
  if (isClosed) return undefined;
  return { text: `The key file ${file} can be read by other users.`, remedy: `Run "chmod 600 ${file}".` };
}

function pathOf({ paths, env }: Pick<App, 'paths' | 'env'>, file: string): string {
  return resolve(paths.home, file.replace(/^~(?=\/)/, homeDirectoryOf({ env })));
}

/** @throws OllmError PROVIDER_KEY: other users can change the file */
function readKeyFile({ fileSystem, process }: Pick<App, 'fileSystem' | 'process'>, file: string): string | undefined {
  const path = realPathOf(fileSystem, file);
  const stat = path === undefined ? undefined : fileSystem.stat(path);
  const problem = stat && ownershipProblem(stat, process.uid);
  if (problem === undefined) return readTextFile(fileSystem, file, MAX_KEY_FILE_BYTES);
  const { text, remedy } = changeable(file, problem.words);
  throw new OllmError('PROVIDER_KEY', text, { hint: remedy });
}

function changeable(file: string, words: string): ProgramProblem {
  return {
    text: `The key file ${file} ${words}, and is not used.`,
    remedy: `Check what it holds, and make it yours alone: chmod 600 ${file}`,
  };
}
