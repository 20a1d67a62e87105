// The servers of the configuration with everything looked up: the program by its absolute path, the variables it may
// see, its token. What cannot be started says why; it takes nothing from the others.
import { basename, isAbsolute, join } from 'node:path';
import { isTrustedDirectory } from '../../config/is-trusted.ts';
import type { ResolvedConfig } from '../../config/types.ts';
import { shownText } from '../../environment/shown-words.ts';
import { filledText, unsetVariable } from '../../environment/text-variables.ts';
import { addressProblem, type Launch, launchIdentity, type ServerSettings } from '../../mcp/server-settings.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';
import type { App } from '../app.ts';
import { toolEnvironment } from '../policy/tool-environment.ts';
import { homeDirectoryOf } from '../start/home-directory.ts';

type ConfiguredServer = NonNullable<ResolvedConfig['mcp']['servers']>[string];

/** In the order of the configuration, without those that are disabled. */
export function mcpSettings(app: App): ServerSettings[] {
  return Object.entries(app.config.mcp.servers ?? {}).flatMap(([name, server]): ServerSettings[] =>
    server.disabled
      ? []
      : [{ name, launch: launchOf(app, server), identity: launchIdentity(server), only: server.tools }],
  );
}

/** Names of variables that a server is to get and that are not set. */
export function missingVariables({ env }: App, { env: names = [] }: ConfiguredServer): readonly string[] {
  return names.filter((name) => env[name] === undefined);
}

/** How it is started or asked, or why it is not. */
export function launchOf(app: App, server: ConfiguredServer): ServerSettings['launch'] {
  const refused = (reason: string) => ({ kind: 'refused', reason }) as const;
  const { command, url } = server;
  if ((command === undefined) === (url === undefined)) return refused('It needs either a command or a url.');
  if (url !== undefined) return addressOf(app, server, url);
  return command === undefined ? refused('It needs a command.') : programOf(app, server, command);
}

function addressOf({ env }: App, { tokenEnv }: ConfiguredServer, url: string): ServerSettings['launch'] {
  const problem = addressProblem(url);
  const refused = (reason: string) => ({ kind: 'refused', reason }) as const;
  if (problem !== undefined) return refused(problem);
  const unset = unsetVariable(url, env);
  if (unset !== undefined) return refused(`The variable ${unset}, which its address names, is not set.`);
  // No variable may lead an approved server to another host.
  const filled = URL.parse(filledText(url, env));
  if (filled === null || filled.origin !== new URL(url).origin)
    return refused('A variable may be in the path and the query of its address, and not before them.');
  if (tokenEnv === undefined) return { kind: 'address', url: filled };
  const token = env[tokenEnv];
  if (!token) return refused(`The variable ${tokenEnv}, which should hold its token, is not set.`);
  if (!/^[\x21-\x7e]+$/.test(token)) return refused(`The variable ${tokenEnv} holds no token.`);
  return { kind: 'address', url: filled, token };
}

/** A path that depends on the current directory would let a project replace the user's program by its own. */
function programOf(
  app: App,
  { env: names = [], cwd: configured }: ConfiguredServer,
  [name = '', ...args]: readonly string[],
): ServerSettings['launch'] {
  const { env, paths } = app;
  const homeDirectory = homeDirectoryOf(app);
  const expand = (path: string) => (path.startsWith('~/') ? join(homeDirectory, path.slice(2)) : path);
  const program = expand(name);
  if (program.includes('/') && !isAbsolute(program)) {
    return {
      kind: 'refused',
      reason: `The path of its program must be absolute, or begin with ~/: ${shownText(name)}`,
    };
  }
  if (
    configured === undefined &&
    looksAround(name, args) &&
    !isTrustedDirectory(app.fileSystem, paths.project, app.config.trustedDirectories)
  ) {
    const reason = `${basename(name)} takes programs from the directory that it runs in, and a project could bring its own.`;
    return {
      kind: 'refused',
      reason: `${reason} Give it a cwd, such as ~/, or name the project in trustedDirectories.`,
    };
  }
  const cwd = configured === undefined ? paths.project : expand(configured);
  if (!isAbsolute(cwd)) return { kind: 'refused', reason: `Its cwd must be absolute, or begin with ~/: ${cwd}` };
  const { variables } = toolEnvironment(app);
  const named = names.flatMap((each): [string, string][] => {
    const value = env[each];
    return value === undefined ? [] : [[each, value]];
  });
  try {
    const path = findProgram(program, { path: variables.PATH, cwd, untrusted: [paths.project] });
    const command: Extract<Launch, { kind: 'program' }>['command'] = [path, ...args.map(expand)];
    return { kind: 'program', command, cwd, env: { ...variables, ...Object.fromEntries(named) } };
  } catch (error) {
    if (error instanceof StartFailure) return { kind: 'refused', reason: shownText(error.message) };
    throw error;
  }
}

/** These look for a name in the current directory first, or a file there says where it is fetched from. */
const LAUNCHERS = /^(?:npx|npm|pnpx|pnpm|yarn|bunx|bun|uv)$/;

function looksAround(program: string, args: readonly string[]): boolean {
  const name = basename(program);
  if (!/^python[\d.]*$/.test(name)) return LAUNCHERS.test(name);
  const end = args.findIndex((each) => !each.startsWith('-'));
  const options = end === -1 ? args : args.slice(0, end);
  // `-m name` takes name.py from there, unless -I or -P keep it away.
  return options.some((each) => /^-[a-zA-Z]*m/.test(each)) && !options.some((each) => /^-[a-zA-Z]*[IP]/.test(each));
}
