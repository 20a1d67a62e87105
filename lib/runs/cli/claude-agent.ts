// Claude Code by the lines of its own command, as the library of its maker speaks to it: prompts and answers to its
// questions go in, messages and requests come out, each as one line of JSON. It needs no adapter.
import { OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';
import type { LastingProcess } from '../../platform/processes/lasting-process.ts';
import { onAbort } from '../../platform/waiting.ts';
import { jsonLines } from '../lines.ts';
import type { AgentCommand } from '../profiles.ts';
import type { AgentChoices, AgentProcess, AgentPrompt, AgentSignal, AgentTurnEnd, RunnerRequest } from '../runner.ts';
import { begun, StartedProgram } from '../started-program.ts';
import {
  begunAnswer,
  type ClaudeModel,
  choicesOfEffort,
  choicesOfModels,
  modelsIn,
  questionOf,
  signalsOf,
  turnEndOf,
} from './claude-messages.ts';

/**
 * Starts the program and opens a session in it.
 * @throws OllmError AGENT_START_FAILED; RUNTIME_PERMISSION_NOT_SUPPORTED: it does not have the mode; the reason of
 * `signal`
 */
export function openClaudeAgent(command: Pick<AgentCommand, 'askMode'>, request: RunnerRequest): Promise<AgentProcess> {
  return begun(new ClaudeAgent(command.askMode ?? 'default', request), request);
}

type Message = Readonly<Record<string, unknown>>;

interface Prompted {
  readonly onSignal: (signal: AgentSignal) => void;
  readonly end: (end: AgentTurnEnd) => void;
  /** Whether the program has taken it up: a result before that is the end of work of its own. */
  isTakenUp: boolean;
}

/** The program refused a request. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}

class ClaudeAgent implements AgentProcess {
  readonly id: string;
  readonly mode: string;
  readonly takesImages = true;
  version: string | undefined;
  readonly #request: RunnerRequest;
  readonly #program: StartedProgram;
  #child: LastingProcess | undefined;
  #models: readonly ClaudeModel[] = [];
  #model: string;
  #effort: string | undefined;
  #sent = 0;
  /** Our requests that it has not answered. */
  readonly #requests = new Map<string, { resolve(answer: unknown): void; reject(error: Error): void }>();
  /** The open questions of the program. */
  readonly #questions = new Map<string, AbortController>();
  #prompted: Prompted | undefined;
  #streamed: string | undefined;

  constructor(mode: string, request: RunnerRequest) {
    const { resume, mark, id = mark, model, thinking } = request;
    this.mode = mode;
    // It takes the id of a new session from us, and the run has an unguessable one.
    this.id = resume ?? id;
    this.#model = model ?? 'default';
    this.#effort = thinking;
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
    const child = await this.#program.start();
    this.#child = child;
    void this.#read(child);
    await this.#program.opened(this.#open());
  }

  async prompt(
    { text, images }: AgentPrompt,
    onSignal: (signal: AgentSignal) => void,
    signal: AbortSignal,
  ): Promise<AgentTurnEnd> {
    const ended = new Promise<AgentTurnEnd>((end) => {
      this.#prompted = { onSignal, end, isTakenUp: false };
    });
    const stop = onAbort(signal, () => {
      this.#endQuestions();
      this.#ask({ subtype: 'interrupt' }).catch(() => undefined);
    });
    const content = [
      ...images.map(({ mimeType: media_type, base64: data }) => {
        return { type: 'image', source: { type: 'base64', media_type, data } };
      }),
      { type: 'text', text },
    ];
    this.#send({ type: 'user', message: { role: 'user', content } });
    try {
      return await this.#program.turnEnd(ended, signal);
    } finally {
      stop();
      this.#endQuestions();
      this.#prompted = undefined;
    }
  }

  get models(): AgentChoices {
    return choicesOfModels(this.#models, this.#model);
  }

  get thinking(): AgentChoices {
    return choicesOfEffort(this.#models, this.#model, this.#effort);
  }

  async setModel(value: string): Promise<void> {
    try {
      await this.#ask({ subtype: 'set_model', model: value });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new OllmError('MODEL_NOT_FOUND', `The agent does not take the model ${value}: ${error.message}`, {
        hint: `It has ${this.#models.map((model) => model.value).join(', ')}.`,
        cause: error,
      });
    }
    this.#model = value;
  }

  async setThinking(value: string): Promise<void> {
    const has = this.thinking.all.map((each) => each.value);
    if (!has.includes(value)) {
      throw new OllmError('THINKING_MODE_NOT_SUPPORTED', `The agent has no mode of thinking “${value}”.`, {
        hint: has.length === 0 ? 'It cannot be set for this model.' : `It has ${has.join(', ')}.`,
      });
    }
    await this.#ask({ subtype: 'apply_flag_settings', settings: { effortLevel: value } });
    this.#effort = value;
  }

  close(): Promise<void> {
    this.#endQuestions();
    return this.#program.end();
  }

  async #open(): Promise<void> {
    this.#models = modelsIn(await this.#ask({ subtype: 'initialize' }));
    await this.#ask({ subtype: 'set_permission_mode', mode: this.mode }).catch((error: unknown) => {
      throw error instanceof Refusal ? this.#program.notInMode(this.mode, error.message) : error;
    });
    const { model, thinking } = this.#request;
    if (model !== undefined) await this.setModel(model);
    if (thinking !== undefined) await this.setThinking(thinking);
  }

  #ask(request: object): Promise<unknown> {
    this.#sent += 1;
    const id = `ollm-${this.#sent}`;
    const answered = new Promise<unknown>((resolve, reject) => this.#requests.set(id, { resolve, reject }));
    this.#send({ type: 'control_request', request_id: id, request });
    return answered;
  }

  #send(message: object): void {
    const { input } = this.#child!;
    if (input.writable) input.write(`${JSON.stringify(message)}\n`);
  }

  async #read(child: LastingProcess): Promise<void> {
    const events = {
      onText: (line: string) => this.#program.takeText('stdout', line),
      onOverflow: () => this.#program.overflow(),
    };
    for await (const value of jsonLines(child.output, events)) if (isObject(value)) this.#take(value);
    for (const { reject } of this.#requests.values()) reject(new Error('The agent has ended.'));
  }

  #take(message: Message): void {
    switch (message.type) {
      case 'control_response':
        this.#takeAnswer(message.response);
        return;
      case 'control_request':
        void this.#answer(String(message.request_id), message.request);
        return;
      case 'control_cancel_request':
        this.#questions.get(String(message.request_id))?.abort();
        return;
      case 'result':
        if (this.#prompted?.isTakenUp) this.#prompted.end(turnEndOf(message));
        return;
      case 'system':
        if (typeof message.claude_code_version === 'string') this.version = message.claude_code_version;
        return;
      case 'user':
        if (message.isReplay === true && this.#prompted !== undefined) this.#prompted.isTakenUp = true;
    }
    this.#streamed = begunAnswer(message) ?? this.#streamed;
    for (const signal of signalsOf(message, this.#streamed)) this.#prompted?.onSignal(signal);
  }

  #takeAnswer(response: unknown): void {
    if (!isObject(response)) return;
    const id = String(response.request_id);
    const asked = this.#requests.get(id);
    this.#requests.delete(id);
    if (response.subtype === 'success') asked?.resolve(response.response);
    else asked?.reject(new Refusal(String(response.error)));
  }

  async #answer(id: string, request: unknown): Promise<void> {
    const respond = (response: object) =>
      this.#send({ type: 'control_response', response: { request_id: id, ...response } });
    const question = questionOf(request);
    if (question === undefined) return respond({ subtype: 'error', error: 'ollm does not know this request.' });
    const asking = new AbortController();
    this.#questions.set(id, asking);
    const answer = await this.#request.ask(question, asking.signal).catch(() => 'deny' as const);
    this.#questions.delete(id);
    const { input } = request as { readonly input?: unknown };
    const response =
      answer === 'allow' && !asking.signal.aborted
        ? { behavior: 'allow', updatedInput: input }
        : { behavior: 'deny', message: 'The user did not allow this.' };
    respond({ subtype: 'success', response });
  }

  #endQuestions(): void {
    for (const asking of this.#questions.values()) asking.abort();
  }
}
