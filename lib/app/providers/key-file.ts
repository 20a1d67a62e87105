// The key of a provider: the variable or the file that the settings name. It is read again for each request, and kept
// nowhere. A file that other users can change is not used; one that they can read is warned of.
import { dirname, resolve } from 'node:path';
import { OllmError } from '../../errors/index.ts';
import { upwards } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import type { KeyPlaces } from '../../providers/key.ts';
import type { App } from '../app.ts';
import { homeDirectoryOf } from '../home-directory.ts';
import type { ProgramProblem } from '../program-problem.ts';
import { readTextFile } from '../read-text-file.ts';

export interface KeySettings {
  readonly apiKeyEnv?: string | undefined;
  readonly apiKeyFile?: string | undefined;
}

const MAX_KEY_FILE_BYTES = 64 * 1024;
const READABLE_BY_OTHERS = 0o044;
const ENTERED_BY_OTHERS = 0o011;

export function keyPlaces(app: App, { apiKeyEnv, apiKeyFile }: KeySettings): KeyPlaces {
  const file = apiKeyFile && pathOf(app, apiKeyFile);
  return {
    variable: apiKeyEnv,
    file,
    fromVariable: () => (apiKeyEnv === undefined ? undefined : app.env[apiKeyEnv]),
    fromFile: () => (file ? readKeyFile(app, file) : undefined),
  };
}

/** The names of the providers for which the settings name a key file. */
export function providersWithKeyFile({ config }: Pick<App, 'config'>): readonly string[] {
  return Object.entries(allSettings(config)).flatMap(([name, { apiKeyFile }]) => (apiKeyFile ? [name] : []));
}

/** Whether other users can change or read the key file of this provider. One that does not exist has no problem. */
export function keyFileProblem(app: App, provider: string): ProgramProblem | undefined {
  const settings = allSettings(app.config);
  const configured = Object.hasOwn(settings, provider) ? settings[provider]?.apiKeyFile : undefined;
  const file = configured && pathOf(app, configured);
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

type Settings = Readonly<Record<string, KeySettings>>;

/** What comes with ollm keeps its name, whatever a server of the user's is called. */
function allSettings({ providers }: App['config']): Settings {
  const { compatible = {}, offline: _, ollama: __, ...cloud } = providers;
  return { ...compatible, ...cloud };
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
