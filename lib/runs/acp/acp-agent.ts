// A program that speaks the Agent Client Protocol, version 1, as the agent. It gets no files and no terminal from us
// and one prompt at a time, and is never told “always”, which it may write into its settings. After each opening its
// mode is the one in which it asks.
import {
  type ClientConnection,
  type ContentBlock,
  client,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionConfigOption,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { messageOf, OllmError } from '../../errors/index.ts';
import { guardGroup } from '../../platform/processes/death-guard.ts';
import { type LastingProcess, startLasting } from '../../platform/processes/lasting-process.ts';
import { untilClosed } from '../../platform/processes/pipes.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';
import { onAbort, waitFor } from '../../platform/waiting.ts';
import { VERSION } from '../../version.ts';
import { endTree, MARK_VARIABLE } from '../end-tree.ts';
import type { AgentCommand } from '../profiles.ts';
import type { AgentChoices, AgentProcess, AgentPrompt, AgentSignal, AgentTurnEnd, RunnerRequest } from '../runner.ts';
import { agentStream } from './agent-stream.ts';
import { callWith, choicesOf, type KnownCall, optionFor, questionOf, signalOf } from './agent-updates.ts';

/** The particulars of one program. */
export type AcpCommand = Pick<AgentCommand, 'askMode' | 'mustBe'>;

/** How long it may take until it has a session. */
const START_MS = 60_000;
/** How long it may take to end its turn after it was told to. */
const CANCEL_MS = 5_000;
/** How long its end, and its last lines, are waited for. */
const LAST_WORDS_MS = 1_000;
/** Lines of its own that an error shows. */
const LAST_LINES = 5;

/**
 * Starts the program and opens a session in it.
 * @throws OllmError AGENT_START_FAILED; RUNTIME_PERMISSION_NOT_SUPPORTED: it has no mode in which it asks;
 * AGENT_NOT_SIGNED_IN; the reason of `signal`
 */
export async function openAcpAgent(command: AcpCommand, request: RunnerRequest): Promise<AgentProcess> {
  request.signal.throwIfAborted();
  const agent = new AcpAgent(command, request);
  try {
    await agent.start();
    return agent;
  } catch (error) {
    await agent.close();
    request.signal.throwIfAborted();
    throw error;
  }
}

/** Members of an opened session, of a new one and of one that goes on. */
type Opened = Partial<Pick<NewSessionResponse, 'sessionId' | 'modes' | 'configOptions'>> & {
  readonly models?: OpenedModels | undefined;
};

/** The models of a program that has no option for them. */
interface OpenedModels {
  readonly currentModelId?: string;
  readonly availableModels?: readonly {
    readonly modelId: string;
    readonly name?: string;
    readonly description?: string | null;
  }[];
}

class AcpAgent implements AgentProcess {
  id = '';
  pid = 0;
  version: string | undefined;
  mode: string | undefined;
  takesImages = false;
  #options: readonly SessionConfigOption[] = [];
  #models: OpenedModels | undefined;
  exited: AgentProcess['exited'] = Promise.resolve({ exitCode: undefined, killedBy: undefined });
  readonly #command: AcpCommand;
  readonly #request: RunnerRequest;
  #child: LastingProcess | undefined;
  #connection: ClientConnection | undefined;
  #ending: Promise<void> | undefined;
  /** Told of what goes by; undefined while no prompt is worked on: then nothing is of interest. */
  #onSignal: ((signal: AgentSignal) => void) | undefined;
  /** The calls of the prompt, by their ids. */
  readonly #calls = new Map<string, KnownCall>();
  /** Ends the questions of the prompt. */
  #asking = new AbortController();
  #problem: string | undefined;
  readonly #lastLines: string[] = [];

  constructor(command: AcpCommand, request: RunnerRequest) {
    this.#command = command;
    this.#request = request;
  }

  async start(): Promise<void> {
    const { argv, confined, workspace, env, mark, signal } = this.#request;
    try {
      const start = confined ?? { argv };
      const own = { cwd: workspace, env: { ...env, [MARK_VARIABLE]: mark }, name: argv[0] };
      this.#child = await startLasting({ argv: start.argv, inherited: confined?.inherited, ...own });
    } catch (error) {
      confined?.end?.();
      if (error instanceof StartFailure) throw this.#startFailed(error.message, error);
      throw error;
    }
    const child = this.#child;
    this.pid = child.pid;
    const guard = await guardGroup(child.pid);
    this.exited = child.exited.then(async (exit) => {
      await endTree(mark, child);
      guard.release();
      confined?.end?.();
      return exit;
    });
    this.#connection = this.#connect(child);
    const gone = this.#gone();
    const opening = this.#open().catch(async (error: unknown) => {
      throw error instanceof OllmError ? error : this.#startFailed(await this.#whyBroken(error), error);
    });
    const opened = await waitFor(Promise.race([opening, gone]), { signal, timeoutMs: START_MS });
    if (opened.kind === 'timeout') throw this.#startFailed(`It had no session after ${START_MS / 1000} s`);
    signal.throwIfAborted();
    if (opened.kind === 'done' && typeof opened.value === 'string') throw this.#startFailed(opened.value);
  }

  async prompt(
    prompt: AgentPrompt,
    onSignal: (signal: AgentSignal) => void,
    signal: AbortSignal,
  ): Promise<AgentTurnEnd> {
    this.#asking = new AbortController();
    this.#calls.clear();
    this.#onSignal = onSignal;
    const params = { sessionId: this.id, prompt: blocksOf(prompt) };
    const answered = this.#rpc<{ stopReason?: string }>(methods.agent.session.prompt, params).then(
      ({ stopReason = 'unknown' }) => endOf(stopReason),
      (error: unknown) => this.#failed(error),
    );
    const gone = this.#gone().then((message): AgentTurnEnd => ({ status: 'failed', reason: 'ended', message }));
    const stop = onAbort(signal, () => {
      this.#asking.abort();
      this.#connection?.agent.notify(methods.agent.session.cancel, { sessionId: this.id }).catch(() => undefined);
    });
    try {
      const waited = await waitFor(Promise.race([answered, gone]), { signal, graceMs: CANCEL_MS });
      if (waited.kind === 'done') {
        if (signal.aborted) return { ...waited.value, status: 'stopped' };
        return waited.value.status === 'stopped' ? this.#endedOrStopped(waited.value) : waited.value;
      }
      await this.close();
      return { status: 'stopped', reason: 'killed' };
    } finally {
      stop();
      this.#asking.abort();
      this.#onSignal = undefined;
    }
  }

  /** A program that is being killed may still report its turn as cancelled. */
  async #endedOrStopped(stopped: AgentTurnEnd): Promise<AgentTurnEnd> {
    const waited = await waitFor(this.#gone(), { timeoutMs: LAST_WORDS_MS });
    return waited.kind === 'done' ? { status: 'failed', reason: 'ended', message: waited.value } : stopped;
  }

  get models(): AgentChoices {
    const option = optionFor(this.#options, 'model');
    if (option !== undefined) return choicesOf(option);
    const { currentModelId: current, availableModels = [] } = this.#models ?? {};
    const all = availableModels.map(({ modelId: value, name = value, description }) => ({
      ...{ value, name },
      ...(description && { description }),
    }));
    return { current, all };
  }

  get thinking(): AgentChoices {
    const option = optionFor(this.#options, 'thought_level');
    return option === undefined ? { all: [] } : choicesOf(option);
  }

  async setModel(value: string): Promise<void> {
    const option = optionFor(this.#options, 'model');
    if (option === undefined && this.#models === undefined) {
      throw new OllmError('MODEL_SWITCH_NOT_SUPPORTED', 'The agent lets no model be chosen.', {
        hint: 'Choose it in the settings of the agent.',
      });
    }
    try {
      if (option === undefined) {
        await this.#rpc('session/set_model', { sessionId: this.id, modelId: value });
        this.#models = { ...this.#models, currentModelId: value };
      } else await this.#setOption(option, value);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const named = this.models.all.map((model) => model.value);
      throw new OllmError('MODEL_NOT_FOUND', `The agent does not take the model ${value}: ${wordsOf(error)}`, {
        ...(named.length > 0 && { hint: `It has ${named.join(', ')}.` }),
        cause: error,
      });
    }
  }

  async setThinking(value: string): Promise<void> {
    const option = optionFor(this.#options, 'thought_level');
    const has = this.thinking.all.map((each) => each.value);
    if (option === undefined || !has.includes(value)) {
      const words = has.length === 0 ? 'It cannot be set for this agent and model.' : `It has ${has.join(', ')}.`;
      throw new OllmError('THINKING_MODE_NOT_SUPPORTED', `The agent has no mode of thinking “${value}”.`, {
        hint: words,
      });
    }
    await this.#setOption(option, value);
  }

  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#asking.abort();
    this.#connection?.close();
    const child = this.#child;
    if (child === undefined) return;
    child.input.end();
    const { mark, confined } = this.#request;
    await endTree(mark, { ...child, isGuarded: confined?.guardsTree });
    await this.exited;
    child.output.destroy();
    child.errors.destroy();
  }

  #connect(child: LastingProcess): ClientConnection {
    const stream = agentStream(child, {
      onText: (kind, line) => {
        this.#lastLines.push(line.slice(0, 500));
        if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
        this.#request.onText(kind, line);
      },
      onOverflow: () => {
        this.#problem = 'It sent a line of more than 32 MiB';
        void this.close();
      },
    });
    return client({ name: 'ollm' })
      .onNotification(methods.client.session.update, ({ params }) => this.#take(params.update))
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#ask(params))
      .connect(stream);
  }

  #take(update: SessionUpdate): void {
    if (update.sessionUpdate === 'current_mode_update') this.mode = update.currentModeId;
    if (update.sessionUpdate === 'config_option_update') this.#options = update.configOptions;
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
      this.#calls.set(update.toolCallId, callWith(this.#calls.get(update.toolCallId) ?? {}, update));
    }
    const signal = this.#onSignal && signalOf(update);
    if (signal !== undefined) this.#onSignal?.(signal);
  }

  async #ask(params: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { options } = params;
    const { signal } = this.#asking;
    const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };
    if (signal.aborted) return cancelled;
    const question = questionOf(params, this.#calls.get(params.toolCall.toolCallId));
    const answer = await this.#request.ask(question, signal).catch(() => 'deny' as const);
    if (signal.aborted) return cancelled;
    // A program may offer several of a kind, of which the first is the plain one.
    const wanted = options.find(({ kind }) => kind === (answer === 'allow' ? 'allow_once' : 'reject_once'));
    return wanted === undefined ? cancelled : { outcome: { outcome: 'selected', optionId: wanted.optionId } };
  }

  async #open(): Promise<undefined> {
    const { workspace: cwd, resume, model, thinking } = this.#request;
    const { agentInfo, agentCapabilities } = await this.#rpc<{
      agentInfo?: { version?: string };
      agentCapabilities?: {
        loadSession?: boolean;
        promptCapabilities?: { image?: boolean };
        sessionCapabilities?: { resume?: object | null };
      };
    }>(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'ollm', version: VERSION },
    });
    this.version = agentInfo?.version;
    this.takesImages = agentCapabilities?.promptCapabilities?.image === true;
    const place = { cwd, mcpServers: [] };
    let opened: Opened;
    if (resume === undefined) opened = await this.#rpc<Opened>(methods.agent.session.new, place);
    else {
      const goesOn = agentCapabilities?.sessionCapabilities?.resume ? 'resume' : 'load';
      opened = await this.#rpc<Opened>(methods.agent.session[goesOn], { ...place, sessionId: resume });
    }
    const id = opened.sessionId ?? resume;
    if (id === undefined || id === '') throw this.#startFailed('It gave its session no id');
    this.id = id;
    this.#options = opened.configOptions ?? [];
    this.#models = opened.models;
    await this.#setMode(opened);
    if (model !== undefined) await this.setModel(model);
    if (thinking !== undefined) await this.setThinking(thinking);
    return undefined;
  }

  /** Checked where the program says which one it has: some go back to another one after each opening. */
  async #setMode({ modes }: Opened): Promise<void> {
    const { askMode, mustBe = {} } = this.#command;
    const set = async (option: SessionConfigOption, value: string | boolean) => {
      const now = await this.#setOption(option, value);
      if (now !== undefined && now !== value) throw this.#notAsking(value, `${option.id} stays ${now}`);
    };
    for (const [id, value] of Object.entries(mustBe)) {
      const option = this.#options.find((each) => each.id === id);
      if (option !== undefined) await set(option, value);
    }
    if (askMode === undefined) return;
    const known = modes?.availableModes.map(({ id }) => id);
    if (known !== undefined) {
      if (!known.includes(askMode)) throw this.#notAsking(askMode, `it offers ${known.join(', ')}`);
      await this.#rpc(methods.agent.session.setMode, { sessionId: this.id, modeId: askMode });
      this.mode = askMode;
      return;
    }
    const option = optionFor(this.#options, 'mode');
    if (option === undefined) throw this.#notAsking(askMode, 'it offers no modes');
    await set(option, askMode);
    this.mode = askMode;
  }

  /** Resolves with the value that it has then, where the program says it. */
  async #setOption(option: SessionConfigOption, value: string | boolean): Promise<unknown> {
    if (option.currentValue === value) return value;
    const typed = typeof value === 'boolean' ? { type: 'boolean', value } : { value };
    const answer = await this.#rpc<{ configOptions?: readonly SessionConfigOption[] }>(
      methods.agent.session.setConfigOption,
      { sessionId: this.id, configId: option.id, ...typed },
    );
    this.#options =
      answer.configOptions ??
      this.#options.map((each) => (each.id === option.id ? ({ ...each, currentValue: value } as typeof each) : each));
    return answer.configOptions?.find(({ id }) => id === option.id)?.currentValue;
  }

  async #rpc<Answer>(method: string, params: object): Promise<Answer> {
    try {
      return (await this.#connection!.agent.request<Answer>(method, params)) ?? ({} as Answer);
    } catch (error) {
      if (this.id !== '' || !(error instanceof RequestError)) throw error;
      throw this.#refused(error);
    }
  }

  #refused(error: RequestError): OllmError {
    const words = wordsOf(error);
    if (error.code === AUTHENTICATION_NEEDED) {
      return new OllmError('AGENT_NOT_SIGNED_IN', `The agent wants a sign-in: ${words}`, {
        hint: 'Start the program itself once, and sign in there.',
        cause: error,
      });
    }
    const { resume } = this.#request;
    if (resume === undefined) return this.#startFailed(words, error);
    return this.#startFailed(`It does not go on with ${resume}: ${words}`, error);
  }

  #startFailed(why: string, cause?: unknown): OllmError {
    const said = this.#lastLines.length === 0 ? '' : ` It printed: ${this.#lastLines.join('\n')}`;
    return new OllmError('AGENT_START_FAILED', `The agent could not be started. ${this.#problem ?? why}.${said}`, {
      hint: `Try it by itself: ${this.#request.argv.join(' ')}`,
      cause,
    });
  }

  #notAsking(mode: string | boolean, why: string): OllmError {
    return new OllmError('RUNTIME_PERMISSION_NOT_SUPPORTED', `The agent does not take the mode “${mode}”: ${why}.`, {
      hint: 'This version of it is not known here, or runs.<agent>.mode is misspelt. Nothing was run.',
    });
  }

  async #failed(error: unknown): Promise<AgentTurnEnd> {
    return { status: 'failed', reason: 'error', message: await this.#whyBroken(error) };
  }

  /** A connection breaks before its program has ended, which says more. */
  async #whyBroken(error: unknown): Promise<string> {
    if (error instanceof RequestError) return this.#problem ?? wordsOf(error);
    const waited = await waitFor(this.#gone(), { timeoutMs: LAST_WORDS_MS });
    return waited.kind === 'done' ? waited.value : (this.#problem ?? messageOf(error));
  }

  /** Settles with a sentence when the program has ended. */
  async #gone(): Promise<string> {
    const { exited, errors } = this.#child!;
    const { exitCode, killedBy } = await exited;
    await waitFor(untilClosed([errors]), { timeoutMs: LAST_WORDS_MS });
    return this.#problem ?? (killedBy ? `It was ended by ${killedBy}` : `It ended with exit code ${exitCode}`);
  }
}

const AUTHENTICATION_NEEDED = -32_000;

function wordsOf(error: RequestError): string {
  const { data, message } = error;
  const details = typeof data === 'object' && data !== null && 'details' in data ? String(data.details) : undefined;
  return details ?? message;
}

function endOf(reason: string): AgentTurnEnd {
  if (reason === 'cancelled') return { status: 'stopped', reason };
  return { status: reason === 'end_turn' || reason === 'max_tokens' ? 'completed' : 'failed', reason };
}

function blocksOf({ text, images }: AgentPrompt): ContentBlock[] {
  return [
    ...images.map(({ mimeType, base64 }) => ({ type: 'image', mimeType, data: base64 }) as const),
    { type: 'text', text },
  ];
}
