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
import { OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import type { LastingProcess } from '../../platform/processes/lasting-process.ts';
import { onAbort } from '../../platform/waiting.ts';
import { VERSION } from '../../version.ts';
import type { AgentCommand } from '../profiles.ts';
import type { AgentChoices, AgentProcess, AgentPrompt, AgentSignal, AgentTurnEnd, RunnerRequest } from '../runner.ts';
import { begun, StartedProgram } from '../started-program.ts';
import { requireTried } from '../tried-version.ts';
import { agentStream } from './agent-stream.ts';
import { callWith, choicesOf, type KnownCall, optionFor, questionOf, signalOf } from './agent-updates.ts';

/** The particulars of one program. */
export type AcpCommand = Pick<AgentCommand, 'askMode' | 'behind' | 'callIdPrefix' | 'mustBe'> &
  Partial<Pick<AgentCommand, 'program' | 'oldest'>>;

/**
 * Starts the program and opens a session in it.
 * @throws OllmError AGENT_START_FAILED; RUNTIME_PERMISSION_NOT_SUPPORTED: it has no mode in which it asks;
 * AGENT_NOT_SIGNED_IN; AGENT_TOO_OLD, by the version that it says itself; the reason of `signal`
 */
export function openAcpAgent(command: AcpCommand, request: RunnerRequest): Promise<AgentProcess> {
  return begun(new AcpAgent(command, request), request);
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
  version: string | undefined;
  mode: string | undefined;
  takesImages = false;
  #options: readonly SessionConfigOption[] = [];
  #models: OpenedModels | undefined;
  readonly #command: AcpCommand;
  readonly #request: RunnerRequest;
  readonly #program: StartedProgram;
  #connection: ClientConnection | undefined;
  /** Told of what goes by; undefined while no prompt is worked on: then nothing is of interest. */
  #onSignal: ((signal: AgentSignal) => void) | undefined;
  /** The calls of the prompt, by their ids. */
  readonly #calls = new Map<string, KnownCall>();
  /** Ends the questions of the prompt. */
  #asking = new AbortController();

  constructor(command: AcpCommand, request: RunnerRequest) {
    this.#command = command;
    this.#request = request;
    this.#program = new StartedProgram(request);
  }

  get pid(): number {
    return this.#program.pid;
  }

  get exited(): AgentProcess['exited'] {
    return this.#program.exited;
  }

  async start(): Promise<void> {
    this.#connection = this.#connect(await this.#program.start());
    await this.#program.opened(this.#open(), saidIn);
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
    const answered = this.#rpc<{ stopReason?: unknown }>(methods.agent.session.prompt, params).then(
      ({ stopReason }) => endOf(stopReason),
      (error: unknown) => this.#failed(error),
    );
    const stop = onAbort(signal, () => {
      this.#asking.abort();
      this.#connection?.agent.notify(methods.agent.session.cancel, { sessionId: this.id }).catch(() => undefined);
    });
    try {
      return await this.#program.turnEnd(answered, signal);
    } finally {
      stop();
      this.#asking.abort();
      this.#onSignal = undefined;
    }
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
    this.#asking.abort();
    this.#connection?.close();
    return this.#program.end();
  }

  #connect(child: LastingProcess): ClientConnection {
    const stream = agentStream(child, {
      onText: (line) => this.#program.takeText('stdout', line),
      onOverflow: () => this.#program.overflow(),
      onNotification: { [methods.client.session.update]: ({ update }) => this.#takeUpdate(update) },
    });
    return client({ name: 'ollm' })
      .onRequest(methods.client.session.requestPermission, ({ params }) =>
        this.#ask({ ...params, toolCall: this.#asInFile(params.toolCall) }),
      )
      .connect(stream);
  }

  /** A call with the id that the agent's own file has for it. */
  #asInFile<Said extends object>(said: Said): Said {
    const { callIdPrefix } = this.#command;
    if (callIdPrefix === undefined || !('toolCallId' in said)) return said;
    return { ...said, toolCallId: String(said.toolCallId).replace(callIdPrefix, '') };
  }

  /** False if the protocol has no such update. */
  #takeUpdate(update: unknown): boolean {
    if (!isObject(update) || typeof update.sessionUpdate !== 'string') return false;
    try {
      this.#take(this.#asInFile(update as unknown as SessionUpdate));
      return true;
    } catch (error) {
      // A member has the wrong type.
      if (error instanceof TypeError) return false;
      throw error;
    }
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

  async #open(): Promise<void> {
    const { argv, workspace: cwd, resume, model, thinking } = this.#request;
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
    const { program = argv[0], oldest } = this.#command;
    requireTried({ program, path: argv[0], version: this.version, oldest, remedy: 'Update it as it was installed.' });
    this.takesImages = agentCapabilities?.promptCapabilities?.image === true;
    const place = { cwd, mcpServers: [] };
    let opened: Opened;
    if (resume === undefined) opened = await this.#rpc<Opened>(methods.agent.session.new, place);
    else {
      const goesOn = agentCapabilities?.sessionCapabilities?.resume ? 'resume' : 'load';
      opened = await this.#rpc<Opened>(methods.agent.session[goesOn], { ...place, sessionId: resume });
    }
    const id = opened.sessionId ?? resume;
    if (id === undefined || id === '') throw this.#program.startFailed('It gave its session no id');
    this.id = id;
    this.#options = opened.configOptions ?? [];
    this.#models = opened.models;
    await this.#setMode(opened);
    if (model !== undefined) await this.setModel(model);
    if (thinking !== undefined) await this.setThinking(thinking);
  }

  /** Checked where the program says which one it has: some go back to another one after each opening. */
  async #setMode({ modes }: Opened): Promise<void> {
    const { askMode, mustBe = {} } = this.#command;
    const set = async (option: SessionConfigOption, value: string | boolean) => {
      const now = await this.#setOption(option, value);
      if (now !== undefined && now !== value) throw this.#program.notInMode(value, `${option.id} stays ${now}`);
    };
    for (const [id, value] of Object.entries(mustBe)) {
      const option = this.#options.find((each) => each.id === id);
      if (option !== undefined) await set(option, value);
    }
    if (askMode === undefined) return;
    const known = modes?.availableModes.map(({ id }) => id);
    if (known !== undefined) {
      if (!known.includes(askMode)) throw this.#program.notInMode(askMode, `it offers ${known.join(', ')}`);
      await this.#rpc(methods.agent.session.setMode, { sessionId: this.id, modeId: askMode });
      this.mode = askMode;
      return;
    }
    const option = optionFor(this.#options, 'mode');
    if (option === undefined) throw this.#program.notInMode(askMode, 'it offers no modes');
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
    if (resume === undefined) return this.#program.startFailed(words, error);
    return this.#program.startFailed(`It does not go on with ${resume}: ${words}`, error);
  }

  async #failed(error: unknown): Promise<AgentTurnEnd> {
    const said = saidIn(error);
    if (said === undefined) return this.#program.broken(await this.#program.whyBroken(error));
    // An adapter may outlive its program, and then answers no more.
    if (this.#command.behind === undefined || !this.#program.hasStartedNothing()) {
      return { status: 'failed', reason: 'error', message: said };
    }
    await this.#program.end();
    return this.#program.broken(said);
  }
}

const AUTHENTICATION_NEEDED = -32_000;

function saidIn(error: unknown): string | undefined {
  return error instanceof RequestError ? wordsOf(error) : undefined;
}

function wordsOf(error: RequestError): string {
  const { data, message } = error;
  const details = typeof data === 'object' && data !== null && 'details' in data ? String(data.details) : undefined;
  return details ?? message;
}

function endOf(reason: unknown): AgentTurnEnd {
  if (typeof reason !== 'string') {
    return { status: 'failed', reason: 'broken', message: 'It did not say how its turn ended' };
  }
  if (reason === 'cancelled') return { status: 'stopped', reason };
  return { status: reason === 'end_turn' || reason === 'max_tokens' ? 'completed' : 'failed', reason };
}

function blocksOf({ text, images }: AgentPrompt): ContentBlock[] {
  return [
    ...images.map(({ mimeType, base64 }) => ({ type: 'image', mimeType, data: base64 }) as const),
    { type: 'text', text },
  ];
}
