// `ollm doctor`: what is installed, reachable and writable, one check after the other. Changes nothing. Each finding
// that is not in order says what to do about it.
import { isOllmError } from '../../errors/index.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import { readKeyFile } from '../../stores/sealing/unlock.ts';
import type { App } from '../app.ts';
import { chooseProvider } from '../providers/choose-provider.ts';
import { sandboxFor } from '../tools/tool-sandbox.ts';
import { type Check, checkDataDirectory } from './check-data-directory.ts';
import { checkHooks } from './check-hooks.ts';
import { checkProviders } from './check-providers.ts';
import { checkServers } from './check-servers.ts';

export type { Check } from './check-data-directory.ts';

export interface DoctorOptions {
  /** `process.versions.node`. */
  readonly nodeVersion: string;
}

const NEEDED_NODE_MAJOR = 24;

export async function* examine(app: App, { nodeVersion }: DoctorOptions): AsyncGenerator<Check, void, void> {
  yield checkNode(nodeVersion);
  yield checkConfiguration(app);
  yield* checkHome(app);
  yield* checkDataDirectory(app);
  yield* checkKeyFile(app);
  yield await checkProvider(app);
  yield* checkProviders(app);
  yield* checkHooks(app);
  yield* checkServers(app);
  yield await checkSandbox(app);
}

function checkNode(version: string): Check {
  const name = 'Node';
  if (Number(version.split('.')[0]) >= NEEDED_NODE_MAJOR) return { name, status: 'ok', text: version };
  return { name, status: 'fail', text: `${version} is too old`, remedy: `Install Node ${NEEDED_NODE_MAJOR} or newer.` };
}

function checkConfiguration({ warnings }: App): Check {
  const name = 'configuration';
  if (warnings.length === 0) return { name, status: 'ok', text: 'read without objection' };
  return { name, status: 'warn', text: warnings.join(' '), remedy: 'See "ollm config explain".' };
}

/** Says nothing of one that is in order: the next line names the directory in it. */
function* checkHome({ fileSystem, paths, process }: App): Generator<Check, void, void> {
  const stat = fileSystem.stat(realPathOf(fileSystem, paths.home) ?? paths.home);
  const problem = stat && ownershipProblem(stat, process.uid);
  if (problem === undefined) return;
  yield { name: 'home', status: 'fail', text: `${paths.home} ${problem.words}`, remedy: `chmod 700 ${paths.home}` };
}

/** Nothing where no key file is configured: a passphrase is asked for, or nothing is encrypted. */
function* checkKeyFile({ config, fileSystem, process }: App): Generator<Check, void, void> {
  const { keyFile } = config.retention;
  if (keyFile === undefined) return;
  const name = 'key file';
  try {
    readKeyFile(fileSystem, keyFile, process.uid);
    yield { name, status: 'ok', text: keyFile };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    yield { name, status: 'fail', text: error.message, remedy: error.hint };
  }
}

async function checkProvider(app: App): Promise<Check> {
  const name = 'provider';
  try {
    const { provider, model, why } = await chooseProvider(app);
    const text = `${provider.name}, model ${model}`;
    const isStandIn = provider.name === 'offline' && app.config.provider !== 'offline';
    return isStandIn ? { name, status: 'warn', text, remedy: why } : { name, status: 'ok', text };
  } catch (error) {
    if (isOllmError(error)) return { name, status: 'fail', text: error.message, remedy: error.hint };
    throw error;
  }
}

async function checkSandbox(app: App): Promise<Check> {
  const name = 'sandbox';
  const { kind, words } = await sandboxFor(app);
  switch (kind) {
    case 'confined':
      return { name, status: 'ok', text: words };
    case 'open':
      return { name, status: 'warn', text: words, remedy: 'Each program that a tool would start is asked about.' };
    case 'refused':
      return {
        name,
        status: 'fail',
        text: words,
        remedy: 'Install what is missing, or set tools.sandbox to preferred.',
      };
  }
}
