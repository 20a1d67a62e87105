// A connection to a server, from its start to its end: lists its tools, and calls them. The SDK of the protocol is
// loaded with the first connection. ollm uses only the tools of a server, and refuses its requests (samples, answers of
// the user, directories).
import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client';
import { sanitizeLine } from '../display/sanitize.ts';
import { isValidatorText } from '../errors/validator-text.ts';
import { StartFailure } from '../platform/processes/start-failure.ts';
import { unlessAborted } from '../platform/waiting.ts';
import type { ListedTool } from './definition.ts';
import { mendMessages } from './mended-messages.ts';
import type { Launch } from './server-settings.ts';
import type { StdioTransport } from './stdio-transport.ts';

interface McpConnectOptions {
  /** For the whole of starting and shaking hands, and for each question after it. */
  readonly timeoutMs: number;
  /** Gives up starting. */
  readonly signal: AbortSignal;
  readonly version: string;
  readonly maxMessageBytes: number;
  /** See StdioOptions. */
  readonly mark: string;
  /** Called with lines that the server writes for its operator. */
  readonly onText: (line: string) => void;
  /** It has other tools now; `undefined` if they cannot be read. */
  readonly onToolsChanged: (tools: ListedTools | undefined) => void;
  /** It ended by itself. `reason`: as the end of a sentence. */
  readonly onEnd: (reason: string) => void;
}

export interface ToolCallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress: (text: string) => void;
}

export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** Omitted tools with the reason, each as a sentence. */
  readonly problems: readonly string[];
}

export interface McpConnection {
  listTools(): Promise<ListedTools>;
  /** @throws ServerFailure */
  callTool(name: string, args: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<CallToolResult>;
  /** Ends it, and a program with all that it started. */
  close(): Promise<void>;
}

/** A server that does not do its part. `message`: as the end of a sentence that begins with its name. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
}

/** An old server that answers nothing to a question it does not know is asked in its own words after this. */
const PROBE_MS = 5_000;
const MAX_PAGES = 32;
const MAX_REASON_CHARACTERS = 500;
const MAX_CAUSES = 4;

/** @throws ServerFailure */
export async function connect(launch: Launch, options: McpConnectOptions): Promise<McpConnection> {
  const limit = AbortSignal.any([AbortSignal.timeout(options.timeoutMs), options.signal]);
  try {
    return await tryConnect(launch, options, limit, 'either');
  } catch (error) {
    // Some programs of before 2026 end at a question that they do not know. They are started again and not asked it.
    const endedAtProbe = error instanceof EndedEarly && launch.kind === 'program';
    if (!endedAtProbe || limit.aborted) throw error;
    return tryConnect(launch, options, limit, 'older');
  }
}

/** It ended before it had answered anything. */
class EndedEarly extends ServerFailure {}

async function tryConnect(
  launch: Launch,
  options: McpConnectOptions,
  limit: AbortSignal,
  era: 'either' | 'older',
): Promise<McpConnection> {
  const { Client } = await import('@modelcontextprotocol/client');
  let problems: string[] = [];
  const transport = mendMessages(await transportFor(launch, options), (problem) => problems.push(problem));
  const listed = (tools: readonly ListedTool[]): ListedTools => {
    const found = problems;
    problems = [];
    return { tools, problems: found };
  };
  let isConnected = false;
  let isClosing = false;
  const client = new Client(
    { name: 'ollm', version: options.version },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(PROBE_MS, options.timeoutMs) } },
      inputRequired: { autoFulfill: false },
      listMaxPages: MAX_PAGES,
      // What a server promises of its results is its own affair; its patterns are not run here.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      listChanged: {
        tools: { onChanged: (error, tools) => options.onToolsChanged(error || !tools ? undefined : listed(tools)) },
      },
    },
  );
  client.onerror = (error) => options.onText(`(protocol) ${reasonOf(error)}`);
  client.onclose = () => {
    if (isConnected && !isClosing) options.onEnd(failureOf(transport) ?? 'closed the connection');
  };
  const close = async () => {
    isClosing = true;
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  try {
    const prior = era === 'older' ? ({ prior: { kind: 'legacy' } } as const) : {};
    // The SDK does not heed a signal in all of its steps.
    await unlessAborted(client.connect(transport, { timeout: options.timeoutMs, signal: limit, ...prior }), limit);
    isConnected = true;
  } catch (error) {
    const ended = failureOf(transport);
    await close();
    if (options.signal.aborted) throw new ServerFailure('is not needed any more');
    if (limit.aborted) throw new ServerFailure(`did not answer within ${options.timeoutMs / 1000} s`);
    if (ended !== undefined) throw new EndedEarly(`${ended} before it was ready`);
    throw new ServerFailure(reasonOf(error));
  }
  return {
    async listTools() {
      problems = [];
      const asked = client.listTools(undefined, { timeout: options.timeoutMs, cacheMode: 'refresh' });
      return listed((await asFailure(unlessAborted(asked, AbortSignal.timeout(options.timeoutMs)), transport)).tools);
    },
    callTool: (name, args, call) => asFailure(callTool(client, name, args, call), transport),
    close,
  };
}

async function transportFor(launch: Launch, options: McpConnectOptions): Promise<Transport> {
  const { maxMessageBytes, mark, onText } = options;
  if (launch.kind === 'address') {
    const { createHttpTransport } = await import('./http-transport.ts');
    return createHttpTransport({ ...launch, maxMessageBytes });
  }
  const { StdioTransport } = await import('./stdio-transport.ts');
  const { command, cwd, env } = launch;
  return new StdioTransport({ argv: command, cwd, env, mark, maxMessageBytes, onText });
}

async function callTool(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { signal, timeoutMs, onProgress }: ToolCallOptions,
): Promise<CallToolResult> {
  const asked = client.callTool(
    { name, arguments: args },
    {
      signal,
      timeout: timeoutMs,
      onprogress: ({ progress, total, message }) =>
        onProgress(sanitizeLine(message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`))),
    },
  );
  try {
    return await asked;
  } catch (error) {
    throw signal.aborted ? new ServerFailure('was not waited for any longer') : error;
  }
}

async function asFailure<Result>(work: Promise<Result>, transport: Transport): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServerFailure) throw error;
    throw new ServerFailure(failureOf(transport) ?? reasonOf(error), { cause: error });
  }
}

function failureOf(transport: Transport): string | undefined {
  return (transport as Partial<StdioTransport>).failure;
}

/** What went wrong, as the end of a sentence. The words may be the server's: they are cleaned and cut. */
function reasonOf(error: unknown): string {
  if (error instanceof StartFailure) return `could not be started: ${withoutStop(error.message)}`;
  const { code, name } = error as { code?: unknown; name?: string };
  if (code === 'REQUEST_TIMEOUT' || name === 'TimeoutError') return 'did not answer in time';
  if (code === 'CONNECTION_CLOSED') return 'closed the connection';
  if (name === 'UnauthorizedError') return 'wants another token (401); see tokenEnv in docs/mcp.md';
  const words = [...new Set(messagesOf(error))].filter((each) => !isValidatorText(each)).join(': ');
  if (words === '') return 'failed: its answer has an unknown form';
  return `failed: ${withoutStop(sanitizeLine(words.slice(0, MAX_REASON_CHARACTERS)))}`;
}

/** A wrapping error often says less than its cause. */
function messagesOf(error: unknown, depth = 0): string[] {
  const { message, code, cause, data } = (error ?? {}) as Record<string, unknown>;
  const own = typeof message === 'string' && message !== '' ? message : code;
  const inner = cause ?? (data as { cause?: unknown } | undefined)?.cause;
  const deeper = inner === undefined || depth === MAX_CAUSES ? [] : messagesOf(inner, depth + 1);
  return typeof own === 'string' ? [own, ...deeper] : deeper;
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
