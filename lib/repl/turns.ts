// Turns for the user's input: a message with its files, a question that is asked again, a command for the shell. Each
// is shown while it runs, until it ends, the user cancels it, or the REPL has to stop.
import { isDeepStrictEqual } from 'node:util';
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { countOf } from '../display/quantities.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import { OllmError } from '../errors/index.ts';
import type { Leader } from '../lead/leader.ts';
import type { LeadSignal, Perform } from '../lead/types.ts';
import type { Todo } from '../messages/todos.ts';
import { todosNow } from '../projections/view.ts';
import type { Approver } from '../tools/decision.ts';
import type { TurnInput } from '../turn/run-turn.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { CommandContext } from './commands/command.ts';
import { requireWritable } from './commands/run.ts';
import type { DepartureWatch } from './departure.ts';
import type { Front } from './front.ts';
import type { Problems } from './problems.ts';
import type { RunningWork } from './running-work.ts';
import type { TurnView } from './turn-view.ts';
import { loadAsk } from './warm-up.ts';

interface TurnsOptions {
  readonly context: CommandContext;
  readonly leader: Leader;
  readonly work: RunningWork;
  readonly watch: Pick<DepartureWatch, 'current'>;
  readonly problems: Pick<Problems, 'note' | 'guarded'>;
}

/** `typed`: the text without long pastes. Default: all of it. `model`: answers in this turn only. */
interface SaidPrompt {
  readonly text: string;
  readonly typed?: string | undefined;
  readonly model?: string | undefined;
  readonly promptId?: string | undefined;
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #app: App;
  readonly #front: Front;
  /** The typed part of the message to an agent, without long pastes. */
  #typed: string | undefined;
  /** Shows the turn that runs. */
  #shown: ((signal: TurnSignal) => void) | undefined;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#app = options.context.app;
    this.#front = options.context.front;
  }

  /** Runs a turn for the leader: of a model, or of the agent that answers in its place. */
  perform: Perform = async (app, conversation, input, options) => {
    const { agent } = conversation;
    if (agent === undefined) return (await loadAsk())(app, conversation, input, options);
    const { signal, approver } = options;
    const asked = { text: input.text, typed: this.#typed, promptId: input.promptId };
    return agent.ask(asked, { signal, approver, allowOutside: this.#front.kind === 'terminal' });
  };

  hear(signal: LeadSignal): void {
    if (signal.type === 'turn') this.#shown?.(signal.signal);
    if (signal.type === 'notice') this.#front.notice(signal.text);
  }

  /** @throws OllmError as `ask` does, MODEL_NOT_FOUND, and JOURNAL_POISONED and the like once nothing can be stored */
  async ask(input: TurnInput, model?: string): Promise<void> {
    const { context, leader } = this.#options;
    requireWritable(context.conversation);
    await this.#show(async (signal, open) => {
      const { approver, askToGoOn } = this.#front;
      const begin = async (conversation: Conversation) => {
        this.#shown = await open();
        return { input, conversation: await this.#answeredBy(conversation, model, signal) };
      };
      const options = { signal, approver, askToGoOn, steer: () => this.#steering() };
      await leader.ask(input.promptId ?? this.#app.ids.uuid(), begin, options);
    });
  }

  /** Only in typed text a name after an @ is a file. */
  async send({ text, typed = text, promptId, model }: SaidPrompt): Promise<void> {
    const { conversation } = this.#options.context;
    requireWritable(conversation);
    if (conversation.agent !== undefined) return this.#askAgent({ text, typed, promptId });
    return this.ask({ ...(await this.#withFiles(text, typed)), promptId }, model);
  }

  /** A message that is typed meanwhile comes after the turn. */
  async #askAgent({ text, typed, promptId }: Omit<SaidPrompt, 'model'>): Promise<void> {
    const { leader } = this.#options;
    await this.#show(async (signal, open) => {
      const { approver } = this.#front;
      const begin = async () => {
        this.#shown = await open();
        this.#typed = typed;
        return { input: { text, promptId } };
      };
      const options = { signal, approver: approver && this.#forAgents(approver) };
      await leader.ask(promptId ?? this.#app.ids.uuid(), begin, options);
    });
  }

  /** An agent is told no, and nothing else: the words of the user are its next prompt. */
  #forAgents(approver: Approver): Approver {
    const ask: Approver['ask'] = async (request, signal) => {
      const answer = await approver.ask(request, signal);
      // An agent has no part in the modes of ollm's tools.
      if (answer.kind === 'again') return ask(request, signal);
      if (answer.kind === 'no' && answer.words !== undefined) {
        this.#front.queue.add({ type: 'message', text: answer.words, typed: '' });
      }
      return answer;
    };
    return { ask };
  }

  /** The model of the session stays the same. */
  async #answeredBy(conversation: Conversation, model: string | undefined, signal: AbortSignal): Promise<Conversation> {
    if (model === undefined || model === conversation.choice.model) return conversation;
    const { choiceOf } = await import('../app/sessions/open/switch-model.ts');
    return { ...conversation, choice: await choiceOf(this.#app, conversation, { model }, { signal }) };
  }

  /** The message with the files that it names. */
  async #withFiles(text: string, typed: string): Promise<TurnInput> {
    if (!typed.includes('@')) return { text };
    const { attachFiles } = await import('../app/context/attach-files.ts');
    const allowOutside = this.#front.kind === 'terminal';
    const { conversation } = this.#options.context;
    const { input, notices } = await attachFiles(this.#app, conversation, { text, typed, allowOutside });
    for (const notice of notices) this.#front.notice(notice);
    return input;
  }

  /** If a file cannot be attached, the message is reported and not sent, as at the prompt. */
  async #steering(): Promise<readonly TurnInput[]> {
    const { problems } = this.#options;
    const inputs: TurnInput[] = [];
    for (const { text, typed, promptId } of this.#front.queue.takeSteering()) {
      const input = await problems.guarded(() => this.#withFiles(text, typed));
      if (input !== undefined) inputs.push({ ...input, promptId });
    }
    return inputs;
  }

  /** A command that the user types runs because he did; text from a pipe may come from anywhere. */
  async runShell(line: string): Promise<void> {
    const { leader, context } = this.#options;
    const { agent } = context.conversation;
    if (this.#front.kind === 'pipe') {
      throw new OllmError(
        'POLICY_DENIED',
        'A command from a pipe does not run: only a user at a terminal may start one.',
        { hint: 'Write !! for a message that begins with an exclamation mark.' },
      );
    }
    requireWritable(context.conversation);
    if (agent !== undefined) {
      throw new OllmError('USAGE', `${agent.title} would not see what a command prints.`, {
        hint: 'Ask it to run the command. Write !! for a message that begins with an exclamation mark.',
      });
    }
    await this.#show(async (signal, open) => {
      const show = await open();
      const { runCommand } = await import('../app/turn/run-command.ts');
      await leader.run(this.#app.ids.uuid(), (app, conversation, stopped) =>
        runCommand(app, conversation, line, { signal: AbortSignal.any([stopped, signal]), show }),
      );
    });
  }

  /** `open`: begins to show it, and answers with what shows its signals. */
  async #show(
    run: (signal: AbortSignal, open: () => Promise<(signal: TurnSignal) => void>) => Promise<void>,
  ): Promise<void> {
    const { work, watch, problems } = this.#options;
    let view: TurnView | undefined;
    let isCompleted = false;
    try {
      await work.run((signal) =>
        run(signal, async () => {
          const before = this.#todos();
          const opened = await this.#front.openTurn({ task: () => taskOf(this.#todos(), before) });
          view = opened;
          isCompleted = true;
          return (passing) => {
            if (passing.type === 'error' || passing.type === 'cancelled') isCompleted = false;
            problems.note(passing);
            if (!watch.current) opened.show(passing);
          };
        }),
      );
    } catch (error) {
      isCompleted = false;
      throw error;
    } finally {
      this.#shown = undefined;
      this.#front.queue.endTurn({ isCompleted });
      if (!watch.current) {
        view?.end();
        if (work.isLong) this.#front.notify(isCompleted ? 'The answer is complete.' : 'The turn has ended.');
        this.#reportQueue();
      }
    }
  }

  #todos(): readonly Todo[] {
    return todosNow(this.#options.context.conversation.session.states.view);
  }

  #reportQueue(): void {
    const { queue } = this.#front;
    if (!queue.isResting) return;
    const waiting = countOf(queue.entries.length, 'message');
    this.#front.notice(`${waiting} not sent yet: Enter at the empty line sends the next, /queue shows them.`);
  }
}

/** The model's current task, by a list that it wrote in this turn: a list of an earlier turn may be left open. */
function taskOf(todos: readonly Todo[], before: readonly Todo[]): string | undefined {
  const now = todos.find(({ status }) => status === 'in_progress');
  return now && !isDeepStrictEqual(todos, before) ? sanitizeLine(now.content) : undefined;
}
