// Changes the user's own configuration file: `ollm config set`, `unset` and `edit`, `--default` of /model, and the
// answer to the question of a first start. The file is replaced as a whole, only for the user, and only by a text that
// is free of new problems. A secret never gets in: a setting names the variable or the file that holds it.
import { type ConfigFinding, checkSettings } from '../../config/check.ts';
import { decodedText, parseConfigText } from '../../config/config-file.ts';
import { editedText } from '../../config/edit-text.ts';
import { secretKind, withoutSecret } from '../../config/explain.ts';
import { formerKeysOf } from '../../config/former-keys.ts';
import { valueAt, withValue } from '../../config/keys.ts';
import { problemsIn, settingsIn } from '../../config/layers.ts';
import { userFileOf } from '../../config/load.ts';
import { readingOf } from '../../config/reading.ts';
import { findUserFile } from '../../config/user-file.ts';
import { variableOf } from '../../config/variables.ts';
import { createRedactor } from '../../environment/redact.ts';
import { isKeyLike } from '../../environment/secret-likeness.ts';
import { secretValuesOf } from '../../environment/secret-values.ts';
import { endsHostInUser, shownAddress } from '../../environment/shown-words.ts';
import { variableText } from '../../environment/text-variables.ts';
import { webAddress } from '../../environment/web-address.ts';
import { isSystemError, OllmError } from '../../errors/index.ts';
import { changeContent } from '../../platform/files/file-change.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';
import { nodeFileSystem } from '../../platform/files/node-file-system.ts';
import { systemIds } from '../../platform/ids.ts';
import { thisProcess } from '../../platform/processes/process-info.ts';
import { parseBaseUrl } from '../../providers/http/base-url.ts';
import { parseOllamaHost } from '../../providers/ollama/host.ts';
import type { App, Environment } from '../app.ts';
import { homeDirectoryOf } from './home-directory.ts';
import type { SettingsOptions } from './settings.ts';

/** Where the file is, and what changes it. */
export interface UserFile extends Pick<App, 'fileSystem' | 'process' | 'ids'> {
  readonly path: string;
  readonly env: Environment;
}

/** The file of a run of the program. No configuration is read: the file may need repair. */
export function openUserFile({ env, cwd, flags, command }: SettingsOptions): UserFile {
  const { userFile } = userFileOf({ env, cwd, homeDirectory: homeDirectoryOf({ env }), flags });
  return { path: userFile, env, fileSystem: nodeFileSystem, process: thisProcess(command), ids: systemIds };
}

/** The file of a started program. */
export function userFileOfApp({ configuration, fileSystem, process, ids, env }: App): UserFile {
  return { path: configuration.userFile, fileSystem, process, ids, env };
}

export interface KeptSetting {
  readonly key: string;
  /** As it may be shown; undefined where the file says nothing. */
  readonly before: unknown;
  readonly value: unknown;
}

/**
 * Sets one setting in the file. `text`: as the user typed it.
 *
 * @example
 * await keepSetting(file, 'model', 'llama3.2'); // { key: 'model', before: undefined, value: 'llama3.2' }
 * @throws OllmError CONFIG_INVALID: the setting does not take it, it is a secret, or an address that cannot be called;
 * IO_FAILED
 */
export async function keepSetting(file: UserFile, key: string, text: string): Promise<KeptSetting> {
  let kept: KeptSetting | undefined;
  await changeUserFile(file, async (before) => {
    const { data } = settingsIn((await parseConfigText(file.path, before)).data);
    const newProblem = (value: unknown) => problemOf(data as object, withValue(data as object, key, value));
    const value = readingOf(text, (reading) => newProblem(reading) !== undefined);
    requireNoSecret(file, key, value);
    const problem = newProblem(value);
    if (problem !== undefined) throw refused(file, key, problem.message);
    requireAddresses(file, key, value);
    const shown = (each: unknown) => withoutSecret(key, each, redactorOf(file));
    kept = { key, before: shown(valueAt(data, key)), value: shown(value) };
    return editedText(before, { keys: key.split('.'), value, path: file.path });
  });
  return kept!;
}

/** Takes one setting out of the file. @throws OllmError as `keepSetting` */
export async function dropSetting(file: UserFile, key: string): Promise<KeptSetting> {
  let dropped: KeptSetting | undefined;
  await changeUserFile(file, async (before) => {
    const { data } = await parseConfigText(file.path, before);
    const inFile = [key, ...formerKeysOf(key)].filter((each) => valueAt(data, each) !== undefined);
    const value = withoutSecret(key, valueAt(settingsIn(data).data, key), redactorOf(file));
    dropped = { key, before: value, value: undefined };
    let text = before;
    for (const each of inFile)
      text = await editedText(text, { keys: each.split('.'), value: undefined, path: file.path });
    const { data: after } = settingsIn((await parseConfigText(file.path, text)).data);
    const problem = problemOf(settingsIn(data).data as object, after as object);
    if (problem !== undefined) throw refused(file, key, problem.message);
    return text;
  });
  return dropped!;
}

/** What is wrong with a text for the file, one sentence each with its place. `path`: where the text is. */
export async function problemsOfText(path: string, text: string): Promise<readonly string[]> {
  try {
    return problemsIn(await parseConfigText(path, text));
  } catch (error) {
    if (error instanceof OllmError) return [error.message];
    throw error;
  }
}

/** The text of the file; a change writes it in UTF-8. Empty without one. @throws OllmError CONFIG_INVALID, IO_FAILED */
export function readUserFile({ fileSystem, process, path }: UserFile): string {
  if (findUserFile(fileSystem, path, { isNamed: false, uid: process.uid }) === undefined) return '';
  try {
    return decodedText(readFile(fileSystem, fileSystem.realPath(path)), { fatal: true, ignoreBOM: true });
  } catch (error) {
    throw failed(path, 'cannot be read', error);
  }
}

/**
 * Replaces the file by what `edit` makes of its text, under a lock. A link stays a link: what it leads to is replaced.
 * @throws OllmError CONFIG_INVALID, IO_FAILED, and what `edit` throws: then nothing was changed
 */
export async function changeUserFile(file: UserFile, edit: (text: string) => Promise<string>): Promise<void> {
  const { fileSystem, ids, path } = file;
  const edited = async () => {
    const before = readUserFile(file);
    const text = await edit(before);
    return text === before ? undefined : text;
  };
  try {
    const place = { path: realPathOf(fileSystem, path) ?? path, fileSystem, ids };
    await changeContent(place, edited, { isSynced: true });
  } catch (error) {
    throw isSystemError(error) ? failed(path, 'cannot be written', error) : error;
  }
}

/** What is wrong after a change and was not before. */
function problemOf(before: object, after: object): ConfigFinding | undefined {
  const known = new Set(checkSettings(before).map(({ message }) => message));
  return checkSettings(after).find(({ message }) => !known.has(message));
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function redactorOf({ env }: UserFile): (text: string) => string {
  const { redact } = createRedactor({ secretValues: secretValuesOf(env) });
  return (text) => redact(text).text;
}

function requireNoSecret(file: UserFile, key: string, value: unknown): void {
  const redact = redactorOf(file);
  const found = secretIn(key, value, (text) => redact(text) !== text);
  if (found === undefined) return;
  throw new OllmError(
    'CONFIG_INVALID',
    `The value for ${key} looks like a secret, and no secret is written to a file.`,
    {
      hint: HINTS[found.kind](found.key) + (found.mayBePath ? ' An "@" of a path or a query is written as %40.' : ''),
      data: { key },
    },
  );
}

const HINTS: Readonly<Record<FoundSecret['kind'], (key: string) => string>> = {
  variable: (key) => `Give ${key} the name of the variable that holds it, such as MY_KEY, and set that variable.`,
  value: (key) => {
    if (SERVER_ADDRESS.test(key)) return HINTS.query(key);
    return /^mcp\./.test(key)
      ? 'Put it into a variable, and name that in env (--env NAME).'
      : 'Put it into a variable and name that in apiKeyEnv, or into a file of its own and name that in apiKeyFile.';
  },
  query: (key) => {
    if (SERVER_ADDRESS.test(key))
      return `Write ${variableText('NAME')} in its place, and set that variable; a shell needs single quotes around the address.`;
    return key.endsWith('.baseUrl') || key === 'store'
      ? HINTS.user(key)
      : `Put the whole address into the variable ${variableOf(key)}.`;
  },
  user: (key) => {
    if (key === 'providers.ollama.host') return 'Put the whole address into the variable OLLAMA_HOST.';
    if (key === 'tools.web.search') return `Put the whole address into the variable ${variableOf(key)}.`;
    if (key === 'store') return 'Put name and password into a file, and name that in nats.credentialsFile.';
    if (key === 'otel.endpoint') return 'Put a header for it into the variable OTEL_EXPORTER_OTLP_HEADERS.';
    return `Put it into a variable, and name that in ${key.startsWith('mcp.') ? 'tokenEnv' : 'apiKeyEnv'}.`;
  },
};

interface FoundSecret {
  readonly key: string;
  /** `variable`: it is where the name of one belongs. `user`: before the host of an address. `query`: after it. */
  readonly kind: 'variable' | 'value' | 'user' | 'query';
  /** Whether it could also be a part of the path. */
  readonly mayBePath?: boolean;
}

function secretIn(key: string, value: unknown, isSecret: (text: string) => boolean): FoundSecret | undefined {
  if (typeof value === 'object' && value !== null) {
    // The name of a value may be the word before it.
    if (key.endsWith('.command') && isSecret(Object.values(value).join(' '))) return { key, kind: 'value' };
    const found = Object.entries(value).map(([name, inner]) => secretIn(`${key}.${name}`, inner, isSecret));
    return found.find((each) => each !== undefined);
  }
  if (typeof value !== 'string') return undefined;
  const isDrawn = VARIABLE_NAME.test(value) && value !== value.toUpperCase() && isKeyLike(value);
  if (key.endsWith('Env') && (isDrawn || !VARIABLE_NAME.test(value))) return { key, kind: 'variable' };
  const kind = secretKind(key, value);
  if (kind === 'user') return { key, kind, mayBePath: endsHostInUser(value) };
  if (kind === 'query') return { key, kind };
  return isSecret(value) || kind === 'name' ? { key, kind: 'value' } : undefined;
}

const SERVER_ADDRESS = /^mcp\.servers\.[^.]+\.url$/;
/** Addresses that could never be called. The rest of what a server asks of its address is checked where it is used. */
const WEB_ADDRESSES = /^(?:nats\.monitor|otel\.endpoint|tools\.web\.search|mcp\.servers\.[^.]+\.url)$/;

/** @throws OllmError CONFIG_INVALID */
function requireAddresses(file: UserFile, key: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) requireAddresses(file, `${key}.${name}`, member);
  }
  if (typeof value !== 'string') return;
  if (key === 'providers.ollama.host') parseOllamaHost(value);
  if (key.endsWith('.baseUrl')) parseBaseUrl(value, key);
  if (!WEB_ADDRESSES.test(key)) return;
  for (const each of key === 'nats.monitor' ? value.split(',') : [value]) {
    const address = webAddress(each.trim());
    if (typeof address !== 'string') continue;
    throw refused(
      file,
      key,
      `The address in ${key}, ${JSON.stringify(shownAddress(each))}, cannot be used: ${address}.`,
    );
  }
}

function refused({ path }: UserFile, key: string, message: string): OllmError {
  return new OllmError('CONFIG_INVALID', message, {
    hint: 'docs/configuration.md lists every setting with what it takes. Nothing was changed.',
    data: { key, path },
  });
}

function failed(path: string, what: string, cause: unknown): OllmError {
  return new OllmError('IO_FAILED', `${path} ${what}: ${(cause as Error).message}`, {
    hint: 'Check its permissions, and whether the disk has room.',
    data: { path },
    cause,
  });
}
