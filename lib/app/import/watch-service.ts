// `ollm watch` as a service of the user: the file of the service is made, put in place, started, stopped and removed.
// The service finds the sessions in the same places as this run does.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SettingsFile } from '../../agent-config/settings-file.ts';
import { AGENT_NAMES, loadAgent } from '../../agents/registry.ts';
import { messageOf, OllmError } from '../../errors/index.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { launchAgent, systemdUnit, type UserService } from '../../platform/processes/user-service.ts';
import { xdgDirectory } from '../../platform/xdg.ts';
import { changeSettingsFile } from '../agent-config/change-settings-file.ts';
import { ownVariables } from '../agent-config/this-machine.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';

interface ServiceRequest {
  /** The words that start this program, without the flags of Node that the service has. */
  readonly node: string;
  readonly script: string;
  /** Flags that come with every command, such as `--config PATH`. */
  readonly flags?: readonly string[] | undefined;
}

/** The service as it would be. */
export interface WatchService {
  readonly path: string;
  readonly text: string;
  /** The manager of services: `systemd` or `launchd`. */
  readonly manager: string;
  readonly start: readonly ManagerCall[];
  readonly stop: readonly ManagerCall[];
  /** After the file was removed. */
  readonly forget: readonly ManagerCall[];
  /** Settings of this run that are in variables, which the service does not get: they may be secrets. */
  readonly unset: readonly string[];
}

interface ManagerCall {
  readonly words: readonly [string, ...string[]];
  /** Whether a failure changes nothing. */
  readonly mayFail?: boolean;
}

/**
 * MB of memory for new objects, for each of three parts of it. The default of Node, up to 96 MB, is too much for a
 * program that runs all day.
 */
const YOUNG_MEGABYTES = 4;
const NAME = 'ollm-watch';
const CALL_MS = 30_000;

/** @throws OllmError USAGE: the system has neither systemd nor launchd, or a path has no form in its file */
export async function watchService(app: App, { node, script, flags = [] }: ServiceRequest): Promise<WatchService> {
  const { env, home, platform } = foreignPorts(app).surroundings;
  const service: UserService = {
    name: NAME,
    description: 'Keeps the sessions of coding agents',
    words: [node, `--max-semi-space-size=${YOUNG_MEGABYTES}`, script, ...flags, 'watch'],
    env: { ...(await variablesOfPlaces(app)), ...ownVariables(app) },
  };
  const unset = Object.keys(env).filter((name) => name.startsWith('OLLM_') && name !== 'OLLM_HOME');
  if (platform === 'linux') {
    const unit = `${NAME}.service`;
    const systemctl = (...words: readonly string[]): ManagerCall => ({ words: ['systemctl', '--user', ...words] });
    return {
      path: join(xdgDirectory('config', { env, home }), 'systemd', 'user', unit),
      text: systemdUnit(service),
      manager: 'systemd',
      start: [systemctl('daemon-reload'), systemctl('enable', unit), systemctl('restart', unit)],
      stop: [{ ...systemctl('disable', '--now', unit), mayFail: true }],
      forget: [{ ...systemctl('daemon-reload'), mayFail: true }],
      unset,
    };
  }
  if (platform === 'darwin') {
    const domain = `gui/${app.process.uid}`;
    const path = join(home, 'Library', 'LaunchAgents', `${NAME}.plist`);
    const bootout: ManagerCall = { words: ['launchctl', 'bootout', `${domain}/${NAME}`], mayFail: true };
    const bootstrap: ManagerCall = { words: ['launchctl', 'bootstrap', domain, path] };
    const text = textForLaunchd(service);
    return { path, text, manager: 'launchd', start: [bootout, bootstrap], stop: [bootout], forget: [], unset };
  }
  throw new OllmError('USAGE', `On ${platform}, ollm does not know how a service is made.`, {
    hint: 'Have your system start "ollm watch" when you log in.',
  });
}

function textForLaunchd(service: UserService): string {
  try {
    return launchAgent(service);
  } catch (error) {
    throw new OllmError('USAGE', `A property list cannot be made: ${messageOf(error)}`, { cause: error });
  }
}

/** The variables that decide where other programs keep sessions, as far as they are set here. */
async function variablesOfPlaces(app: App): Promise<Readonly<Record<string, string>>> {
  const { surroundings } = foreignPorts(app);
  const asked = new Set<string>();
  const env = new Proxy(surroundings.env, {
    get(target, name) {
      asked.add(String(name));
      return target[String(name)];
    },
  });
  for (const name of AGENT_NAMES) (await loadAgent(name)).places({ ...surroundings, env });
  const known = [...asked].toSorted().map((name) => [name, surroundings.env[name] ?? ''] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== ''));
}

/**
 * Puts the file in place and starts the service, again where it runs.
 * @throws OllmError CONFIG_INVALID, IO_FAILED: nothing was changed, or the file is in place and was not started
 */
export async function installService(app: App, service: WatchService, file: SettingsFile): Promise<void> {
  const { path, text, manager, start } = service;
  if (file.text !== text) await changeSettingsFile(app, { name: NAME, file, text });
  await call(app, start, (reason) => `${path} is in place, but ${manager} did not start it: ${reason}`);
}

/** Stops the service and removes its file. @throws OllmError IO_FAILED */
export async function removeService(app: App, service: WatchService): Promise<void> {
  const { path, stop, forget } = service;
  await call(app, stop);
  try {
    app.fileSystem.unlink(path);
  } catch (error) {
    throw new OllmError('IO_FAILED', `${path} cannot be removed: ${messageOf(error)}`, {
      data: { path },
      cause: error,
    });
  }
  await call(app, forget);
}

async function call(
  { env, cwd, paths }: App,
  calls: readonly ManagerCall[],
  sentenceOf = (reason: string) => reason,
): Promise<void> {
  for (const { words, mayFail } of calls) {
    const [name, ...args] = words;
    try {
      const program = findProgram(name, { path: env.PATH, cwd, untrusted: [paths.project] });
      await promisify(execFile)(program, args, { cwd: '/', env: { ...env }, timeout: CALL_MS });
    } catch (error) {
      if (mayFail) continue;
      const { stderr } = error as { readonly stderr?: string };
      const reason = stderr?.trim().split('\n')[0] || messageOf(error);
      throw new OllmError('IO_FAILED', sentenceOf(reason.replace(/[^.]$/, '$&.')), {
        hint: `In a session of your own on this machine, run "${words.join(' ')}".`,
        cause: error,
      });
    }
  }
}
