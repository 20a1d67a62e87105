// `ollm mcp list|add|remove|test`: the servers for MCP in the settings of other programs. Without `--agent`, they are
// those of the user's own configuration.
import { type Command, Option } from 'commander';
import type { McpServerEntry } from '../../agent-config/mcp-server-entry.ts';
import { MCP_AGENTS, MCP_SCOPES, type McpAgentName, type McpScope } from '../../agent-config/program-names.ts';
import type { ListedMcpServer } from '../../app/agent-config/mcp-servers.ts';
import type { App } from '../../app/app.ts';
import { printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { variableText } from '../../environment/text-variables.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { parseEach } from '../arguments.ts';
import { action, type Finish, withExamples } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { Shell } from '../shell.ts';

interface PlaceOptions {
  readonly agent: McpAgentName;
  readonly scope: McpScope;
}

/** Without a program: the user's own configuration. */
interface OwnPlaceOptions {
  readonly agent?: McpAgentName;
  readonly scope?: McpScope;
}

interface AddOptions extends OwnPlaceOptions {
  readonly transport?: 'http' | 'sse';
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
  readonly bearerTokenEnvVar?: string;
  readonly replace?: boolean;
}

const IN_SCOPE =
  'user: in every directory; local: here, for you only (Claude Code); project: here, in a file of the project';

function placedOrOwn(command: Command): Command {
  return command
    .addOption(new Option('--agent <agent>', 'another program (default: ollm itself)').choices(MCP_AGENTS))
    .addOption(new Option('--scope <scope>', `${IN_SCOPE} (default: project; ollm: user)`).choices(MCP_SCOPES));
}

/** The place in another program; undefined for the user's own configuration. */
function placeIn({ agent, scope }: OwnPlaceOptions): PlaceOptions | undefined {
  if (agent !== undefined) return { agent, scope: scope ?? 'project' };
  if (scope === undefined || scope === 'user') return undefined;
  throw new OllmError(
    'USAGE',
    `ollm has no servers of the scope “${scope}”: a project cannot have it start programs.`,
    {
      hint: 'Leave --scope out, or name a program with --agent.',
    },
  );
}

/** Lists the servers of one program, or of all four. */
export async function listServersOfAgents({ output, openApp }: Shell, agent: McpAgentName | 'all'): Promise<void> {
  const app = await openApp('mcp');
  const { listMcpServers } = await import('../../app/agent-config/mcp-servers.ts');
  const { servers, problems } = await listMcpServers(app, { agents: agent === 'all' ? undefined : [agent] });
  if (output.json) return output.document({ servers, problems });
  const cells = (server: ListedMcpServer) => [server.provider, server.scope, server.name, wordsOf(server)];
  await output.list(servers, cells, () => [
    { title: 'AGENT', cells: servers.map(({ provider }) => provider), style: 'cyan' },
    { title: 'SCOPE', cells: servers.map(({ scope }) => scope), dropAt: 50 },
    { title: 'SERVER', cells: servers.map(({ name }) => name) },
    { title: 'STARTS OR ASKS', cells: servers.map(wordsOf), style: 'dim', grows: true },
  ]);
  // A file may have the servers of two scopes.
  const lines = problems.map(({ path, reason }) => printableLine(`${path} ${reason}`));
  for (const line of new Set(lines)) output.warn(line);
  if (servers.length === 0) output.note('No server is set there. "ollm mcp add --agent" adds one.');
}

function wordsOf({ command = '', args = [], url }: McpServerEntry): string {
  return url ?? [command, ...args].join(' ');
}

export function defineMcpAdd(parent: Command, finish: Finish): void {
  const command = placedOrOwn(
    parent
      .command('add')
      .description('add a server for MCP to your own settings, or to those of another program')
      .argument('<name>', 'letters, digits, hyphens and underscores')
      .argument('<command-or-url>', 'the program to start, or an address with http')
      .argument('[args...]', 'of the program; begin with -- where one of them begins with a hyphen'),
  )
    .addOption(new Option('--transport <transport>', 'of an address; default: http').choices(['http', 'sse']))
    .option(
      '-e, --env <NAME=value>',
      'a variable of the program, for ollm itself only its name; may be repeated',
      parseEach,
    )
    .option('--header <NAME: value>', 'a header of each request; may be repeated', parseEach)
    .option('--cwd <directory>', 'where the program is started')
    .option('--bearer-token-env-var <name>', 'the variable that has the token (Codex, ollm)')
    .option('--replace', 'change the server that has the name')
    .action(
      action<AddOptions, [string, string, readonly string[]]>(finish, async (shell, options, name, target, args) => {
        const { output, openApp } = shell;
        requireSeparate(options, [name, target]);
        const placed = placeIn(options);
        if (placed === undefined) return addOwn(shell, options, { name, target, args });
        const place = { ...placed, name };
        const wanted = serverOf(options, target, args);
        const app = await openApp('mcp add');
        const { knownMcpServer, setMcpServer } = await import('../../app/agent-config/mcp-servers.ts');
        if (!options.replace && (await isThere(() => knownMcpServer(app, place)))) {
          throw new OllmError('USAGE', `${place.agent} has a server “${name}” there already.`, {
            hint: 'Add --replace to change it.',
          });
        }
        const { server, isNew, path, kept } = await setMcpServer(app, place, wanted);
        await output.done(
          { server, isNew, path, kept },
          told(`${isNew ? 'Added' : 'Changed'} ${name}`, { path, kept }),
        );
        const { mcpAgent } = await import('../../agent-config/mcp-agents.ts');
        const form = mcpAgent(place.agent).variableForm;
        const instead =
          form === undefined ? 'name the variable of a token with --bearer-token-env-var' : `write ${form}`;
        await warnOfKey(output, wanted, { path, instead });
      }),
    );
  withExamples(command, [
    { line: 'ollm mcp add notes --env NOTES_KEY -- notes-server --stdio', does: 'for the models of ollm itself' },
    { line: 'ollm mcp add docs --agent claude --scope user docs-server', does: 'a program, in each project' },
    { line: 'ollm mcp add web --agent codex https://example.org/mcp', does: 'an address, for this project' },
    {
      line: 'ollm mcp add db --agent gemini --env DB=test -- db-server --read-only',
      does: 'with a variable and options',
    },
  ]);
}

export function defineMcpRemove(parent: Command, finish: Finish): void {
  const command = placedOrOwn(
    parent
      .command('remove')
      .description('take a server for MCP out of your own settings, or of those of another program')
      .argument('<name>', 'as "ollm mcp list" names it'),
  ).action(
    action<OwnPlaceOptions, [string]>(finish, async ({ output, openApp }, options, name) => {
      const place = placeIn(options);
      const app = await openApp('mcp remove');
      const { removed, path, kept } = await (place === undefined
        ? removeOwn(app, name)
        : (await import('../../app/agent-config/mcp-servers.ts')).removeMcpServer(app, { ...place, name }));
      if (output.json) await output.document({ removed, path, kept });
      else if (removed) await output.line(told(`Removed ${name}`, { path, kept }));
      else output.note(printableLine(`${path} has no server “${name}”.`));
      return removed ? 0 : 3;
    }),
  );
  withExamples(command, [
    { line: 'ollm mcp remove notes', does: 'the one of your own settings' },
    { line: 'ollm mcp remove docs --agent claude --scope user', does: 'the one of each project' },
  ]);
}

export function defineMcpTest(parent: Command, finish: Finish): void {
  const command = placedOrOwn(
    parent
      .command('test')
      .description('start or ask a server for at most five seconds, and list its tools')
      .argument('<name>', 'as "ollm mcp list" names it'),
  )
    .option('--yes', 'start one of another program without a question')
    .action(
      action<OwnPlaceOptions & { readonly yes?: boolean }, [string]>(finish, async (shell, { yes, ...where }, name) => {
        const { output, openApp, signal } = shell;
        const place = placeIn(where);
        const app = await openApp('mcp test');
        const found = await (place === undefined
          ? (await import('../../app/tools/own-server.ts')).probeOwnServer(app, name, signal)
          : probeOfAgent(shell, app, { ...place, name, yes }));
        if (found === undefined) return 1;
        const { reachable, tools, error } = found;
        if (output.json) await output.document(found);
        else if (reachable) {
          await output.line(`${name} answers: ${countOf(tools.length, 'tool')}.`);
          for (const tool of tools) {
            await output.line(`  ${printableLine(`${tool.name}${tool.description ? `: ${tool.description}` : ''}`)}`);
          }
        } else output.warn(printableLine(`${name} is not reachable. ${error ?? ''}`));
        return reachable ? 0 : 1;
      }),
    );
  withExamples(command, [
    { line: 'ollm mcp test notes', does: 'whether the one of your own settings answers' },
    { line: 'ollm mcp test docs --agent claude --scope user', does: 'whether it answers, after a look at its command' },
  ]);
}

/** Undefined if its user, who sees what would be started, says no. */
async function probeOfAgent(
  shell: Shell,
  app: App,
  { yes, ...place }: PlaceOptions & { readonly name: string; readonly yes?: boolean | undefined },
) {
  const { probeMcpServer } = await import('../../app/agent-config/probe-mcp-server.ts');
  const probe = (trusted?: string) => probeMcpServer(app, place, { trusted, signal: shell.signal });
  return probe().catch(async (error: unknown) => {
    const { trust } = isOllmError(error) && error.code === 'POLICY_DENIED' ? error.data : {};
    if (typeof trust !== 'string') throw error;
    const warning = printableLine((error as Error).message);
    return (await confirm(shell, { warning, reversible: false, yes })) ? probe(trust) : undefined;
  });
}

async function addOwn(
  { output, openApp }: Shell,
  options: AddOptions,
  { name, target, args }: { readonly name: string; readonly target: string; readonly args: readonly string[] },
): Promise<number> {
  const { env = [], replace } = options;
  const app = await openApp('mcp add');
  const { setOwnServer } = await import('../../app/tools/own-server.ts');
  if (!replace && app.config.mcp.servers?.[name] !== undefined) {
    throw new OllmError('USAGE', `Your settings have a server “${name}” already.`, {
      hint: 'Add --replace to change it.',
    });
  }
  requireFitting(options, isAddress(target));
  const wanted = serverOf({ ...options, env: [] }, target, args);
  const { path, server, isNew, refused } = await setOwnServer(app, name, wanted, env);
  const done = told(`${isNew ? 'Added' : 'Changed'} ${name}`, { path, kept: undefined });
  await output.done({ server, isNew, path, ...(refused && { refused }) }, done);
  await warnOfKey(output, wanted, { path, instead: `write ${variableText('NAME')}` });
  if (refused !== undefined) output.warn(printableLine(`It will not be started. ${refused}`));
  else output.note(`"ollm mcp test ${name}" starts it, and shows what it offers.`);
  return 0;
}

/** The file has the address as it was typed, and lists hide the key. */
async function warnOfKey(
  output: Shell['output'],
  { url }: McpServerEntry,
  { path, instead }: { readonly path: string; readonly instead: string },
): Promise<void> {
  const { keyInAddress } = await import('../../environment/shown-words.ts');
  const key = url && keyInAddress(url);
  if (key) output.warn(printableLine(`The address ${key}, which is now in ${path} as text. In its place, ${instead}.`));
}

async function removeOwn(app: App, name: string) {
  const { removeOwnServer } = await import('../../app/tools/own-server.ts');
  return { ...(await removeOwnServer(app, name)), kept: undefined };
}

function told(done: string, { path, kept }: { readonly path: string; readonly kept: string | undefined }): string {
  return printableLine(`${done}: ${path}${kept === undefined ? '' : `; the file as it was: ${kept}`}`);
}

async function isThere(find: () => Promise<unknown>): Promise<boolean> {
  try {
    await find();
    return true;
  } catch (error) {
    if (isOllmError(error) && error.data.code === 'MCP_SERVER_NOT_FOUND') return false;
    throw error;
  }
}

function serverOf(options: AddOptions, target: string, args: readonly string[]): McpServerEntry {
  const { transport = 'http', env = [], header = [], cwd, bearerTokenEnvVar } = options;
  requireFitting(options, isAddress(target));
  if (!isAddress(target)) return { transport: 'stdio', command: target, args, env: pairsIn(env, '='), cwd };
  if (args.length > 0)
    throw new OllmError('USAGE', 'An address has no arguments.', { hint: 'Name them in the address.' });
  return { transport, url: target, headers: pairsIn(header, ':'), bearerTokenEnvVar };
}

function isAddress(target: string): boolean {
  return /^https?:\/\//.test(target);
}

/** Further variables after one `--env`, as users of other programs write them. @throws OllmError USAGE */
function requireSeparate({ env = [] }: AddOptions, words: readonly string[]): void {
  const variable = env.length === 0 ? undefined : words.find((word) => /^\w+=/.test(word));
  if (variable === undefined) return;
  // Values may be secrets.
  const [before, name] = [env.at(-1)!, variable].map((each) => each.replace(/=.*/s, '=…'));
  throw new OllmError('USAGE', `“${name}” is neither the name of a server nor its program.`, {
    hint: `Each variable has its own option: --env ${before} --env ${name}.`,
  });
}

/** An option that the server cannot have would be lost without a word. @throws OllmError USAGE */
function requireFitting(options: AddOptions, isForAddress: boolean): void {
  const { transport, env = [], header = [], cwd, bearerTokenEnvVar } = options;
  const ofProgram = { '--env': env.length > 0, '--cwd': cwd !== undefined };
  const ofAddress = {
    '--transport': transport !== undefined,
    '--header': header.length > 0,
    '--bearer-token-env-var': bearerTokenEnvVar !== undefined,
  };
  const [strange] = Object.entries(isForAddress ? ofProgram : ofAddress).flatMap(([name, isGiven]) =>
    isGiven ? name : [],
  );
  if (strange === undefined) return;
  throw new OllmError('USAGE', `${strange} is not for ${isForAddress ? 'an address' : 'a program'}.`, {
    hint: `Leave ${strange} out.`,
  });
}

/** `NAME=value` or `NAME: value`. */
function pairsIn(texts: readonly string[], sign: '=' | ':'): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign);
      if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      // Such a text may be a secret without its name.
      const [option, form] = sign === '=' ? ['--env', 'NAME=value'] : ['--header', '"NAME: value"'];
      throw new OllmError('USAGE', `A value of ${option} has no name.`, { hint: `Write ${option} ${form}.` });
    }),
  );
}
