// `ollm doctor`: checks installed, reachable and writable parts in order. Changes nothing. Each fault comes with the
// action that mends it.
import { realPathOf } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import { faultOfKeyFile, readKeyFile } from '../../stores/sealing/unlock.ts';
import type { App } from '../app.ts';
import { sandboxFor } from '../policy/tool-sandbox.ts';
import { chooseProvider } from '../providers/choose-provider.ts';
import { type Check, type DoctorFinding, fail, fault, ok, warn } from './check.ts';
import { checkDataDirectory } from './check-data-directory.ts';
import { checkHooks } from './check-hooks.ts';
import { checkProviders } from './check-providers.ts';
import { checkServers } from './check-servers.ts';
import { checkStore } from './check-store.ts';
import { checkVectors } from './check-vectors.ts';

interface DoctorOptions {
  /** `process.versions.node`. */
  readonly nodeVersion: string;
}

const NEEDED_NODE_MAJOR = 24;

export async function* examine(app: App, options: DoctorOptions): AsyncGenerator<Check, void, void> {
  const redact = await app.redactor({ onRequest: true });
  for await (const check of checksOf(app, options)) yield { ...check, text: redact(check.text).text };
}

async function* checksOf(app: App, { nodeVersion }: DoctorOptions): AsyncGenerator<Check, void, void> {
  yield { name: 'Node', ...checkNode(nodeVersion) };
  yield { name: 'configuration', ...checkConfiguration(app) };
  const home = checkHome(app);
  if (home !== undefined) yield { name: 'home', ...home };
  if (app.servers) yield* checkStore(app, app.servers);
  else yield* checkDataDirectory(app);
  const keyFile = checkKeyFile(app);
  if (keyFile !== undefined) yield { name: 'key file', ...keyFile };
  yield { name: 'provider', ...(await checkProvider(app)) };
  yield* checkProviders(app);
  const vectors = await checkVectors(app);
  if (vectors !== undefined) yield { name: 'vectors', ...vectors };
  yield* checkHooks(app);
  yield* checkServers(app);
  yield { name: 'sandbox', ...(await checkSandbox(app)) };
}

function checkNode(version: string): DoctorFinding {
  if (Number(version.split('.')[0]) >= NEEDED_NODE_MAJOR) return ok(version);
  return fail(`${version} is too old`, `Install Node ${NEEDED_NODE_MAJOR} or newer.`);
}

function checkConfiguration({ warnings }: App): DoctorFinding {
  return warnings.length === 0 ? ok('read without objection') : warn(warnings.join(' '), 'See "ollm config explain".');
}

/** Undefined where it is in order: the next line names the directory in it. */
function checkHome({ fileSystem, paths, process }: App): DoctorFinding | undefined {
  const stat = fileSystem.stat(realPathOf(fileSystem, paths.home) ?? paths.home);
  const problem = stat && ownershipProblem(stat, process.uid);
  return problem && fail(`${paths.home} ${problem.words}`, `chmod 700 ${paths.home}`);
}

/** Undefined where no key file is configured: a passphrase is asked for, or nothing is encrypted. */
function checkKeyFile({ config, fileSystem, process }: App): DoctorFinding | undefined {
  const { keyFile } = config.retention;
  if (keyFile === undefined) return undefined;
  try {
    const fault = faultOfKeyFile(keyFile, readKeyFile(fileSystem, keyFile, process.uid));
    return fault ? fail(fault.message, fault.hint) : ok(keyFile);
  } catch (error) {
    return fault(error);
  }
}

async function checkProvider(app: App): Promise<DoctorFinding> {
  try {
    const { provider, model, why, isStandIn } = await chooseProvider(app);
    const text = `${provider.name}, model ${model}`;
    return isStandIn ? warn(text, why) : ok(text);
  } catch (error) {
    return fault(error);
  }
}

async function checkSandbox(app: App): Promise<DoctorFinding> {
  const { kind, words } = await sandboxFor(app);
  switch (kind) {
    case 'confined':
      return ok(words);
    case 'open':
      return warn(words, 'Each program that a tool would start is asked about.');
    case 'refused':
      return fail(words, 'Install what is missing, or set tools.sandbox to preferred.');
  }
}
