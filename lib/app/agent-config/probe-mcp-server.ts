// Whether a server of another program's settings answers, and which tools it lists. A program that a file names, and an
// address in a file of a project, which may come from anywhere, wait for a yes to exactly this server.
import { isAbsolute } from 'node:path';
import { shownServer } from '../../agent-config/changed-entry.ts';
import type { McpServerEntry, McpTransport } from '../../agent-config/mcp-server-entry.ts';
import { shownText } from '../../environment/shown-words.ts';
import { filledText } from '../../environment/text-variables.ts';
import { OllmError } from '../../errors/index.ts';
import { connect, ServerFailure } from '../../mcp/connection.ts';
import { addressProblem, type Launch } from '../../mcp/server-settings.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';
import { sha256Of } from '../../session/identify.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';
import { toolEnvironment } from '../policy/tool-environment.ts';
import { knownMcpServer, type McpServerPlace } from './mcp-servers.ts';

interface ProbeOptions {
  /** The `trust` of the server, once the user has seen what would be started or asked. */
  readonly trusted?: string | undefined;
  readonly signal: AbortSignal;
}

export interface ProbedServer {
  readonly reachable: boolean;
  readonly transport: McpTransport;
  readonly tools: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** Why it is not reachable, as a sentence. */
  readonly error?: string | undefined;
}

const LIMIT_MS = 5_000;
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
const MAX_TOOLS = 200;
const MAX_DESCRIPTION = 300;

/**
 * Starts or asks a server for at most five seconds.
 *
 * @example
 * await probeMcpServer(app, { agent: 'claude', scope: 'user', name: 'docs' }, { signal });
 * @throws OllmError USAGE (no such server), POLICY_DENIED (it waits for a yes: `data` has `trust` and `starts`)
 */
export async function probeMcpServer(
  app: App,
  place: McpServerPlace,
  { trusted, signal }: ProbeOptions,
): Promise<ProbedServer> {
  const server = await knownMcpServer(app, place);
  const { transport } = server;
  if (transport === 'stdio' || place.scope === 'project') await requireTrust(app, server, trusted);
  return probeLaunch(app, launchOf(app, server, place.workspace ?? app.cwd), { transport, signal });
}

/** `launch`: or why it cannot be started, as a sentence. */
export async function probeLaunch(
  app: App,
  launch: Launch | string,
  { transport, signal }: { readonly transport: McpTransport; readonly signal: AbortSignal },
): Promise<ProbedServer> {
  const failed = (error: string): ProbedServer => ({ reachable: false, transport, tools: [], error });
  if (typeof launch === 'string') return failed(launch);
  try {
    const connection = await connect(launch, {
      ...{ timeoutMs: LIMIT_MS, signal, version: VERSION, maxMessageBytes: MAX_MESSAGE_BYTES, mark: app.ids.token() },
      ...{ onText: () => undefined, onToolsChanged: () => undefined, onEnd: () => undefined },
    });
    try {
      const { tools } = await connection.listTools();
      const listed = tools.slice(0, MAX_TOOLS).map(({ name, description }) => ({
        name: String(name),
        ...(typeof description === 'string' && { description: description.slice(0, MAX_DESCRIPTION).toWellFormed() }),
      }));
      return { reachable: true, transport, tools: listed };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    return failed(`The server ${error.message}.`);
  }
}

async function requireTrust(app: App, server: McpServerEntry, trusted: string | undefined): Promise<void> {
  const { transport, cwd } = server;
  const wordsOf = ({ command = '', args = [], url = '' }: McpServerEntry) =>
    transport === 'stdio' ? [command, ...args] : [url];
  const words = wordsOf(server);
  const trust = sha256Of(JSON.stringify([words, cwd]));
  if (trusted === trust) return;
  const redact = await app.redactor({ onRequest: true });
  const starts = wordsOf(shownServer(server, (text) => redact(text).text));
  throw new OllmError(
    'POLICY_DENIED',
    `Testing it ${transport === 'stdio' ? 'starts' : 'asks'} this: ${starts.join(' ')}.`,
    {
      hint: 'Look at it first: a file of a project can name any program.',
      data: { trust, starts },
    },
  );
}

/** A reason, as a sentence, in place of a launch that is not possible. */
function launchOf(app: App, server: McpServerEntry, workspace: string): Launch | string {
  const { transport, command = '', args = [], cwd, url = '' } = server;
  const fill = (text: string) => filledText(text, app.env);
  if (transport !== 'stdio') return addressOf(app, server, fill(url));
  const { variables } = toolEnvironment(app);
  const directory = cwd === undefined ? workspace : fill(cwd);
  const program = fill(command);
  if (program.includes('/') && !isAbsolute(program))
    return `The path of its program is not absolute: ${shownText(program)}`;
  const named = (server.envVars ?? []).flatMap((name) => (app.env[name] === undefined ? [] : [[name, app.env[name]!]]));
  const own = Object.entries(server.env ?? {}).map(([name, value]) => [name, fill(value)]);
  try {
    const path = findProgram(program, { path: variables.PATH, cwd: directory, untrusted: [] });
    const env = { ...variables, ...Object.fromEntries([...named, ...own]) };
    return { kind: 'program', command: [path, ...args.map(fill)], cwd: directory, env };
  } catch (error) {
    if (error instanceof StartFailure) return shownText(error.message);
    throw error;
  }
}

function addressOf({ env }: App, server: McpServerEntry, url: string): Launch | string {
  const problem = addressProblem(url);
  if (problem !== undefined) return problem;
  const fromVariables = Object.entries(server.envHttpHeaders ?? {}).flatMap(([name, variable]) =>
    env[variable] === undefined ? [] : [[name, env[variable]!]],
  );
  const own = Object.entries(server.headers ?? {}).map(([name, value]) => [name, filledText(value, env)]);
  return {
    kind: 'address',
    url: new URL(url),
    token: server.bearerTokenEnvVar && env[server.bearerTokenEnvVar],
    headers: Object.fromEntries([...own, ...fromVariables]),
    isStreamOnly: server.transport === 'sse',
  };
}
