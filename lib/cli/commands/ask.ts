// `ollm ask`: one turn without a terminal. The answer goes to standard output; what else happens, to standard error.
import { type Command, Option } from 'commander';
import type { Observable } from 'rxjs';
import type { Conversation } from '../../app/conversation.ts';
import { printable } from '../../display/printable.ts';
import { formatDuration } from '../../display/quantities.ts';
import { ERROR_CODES, OllmError } from '../../errors/index.ts';
import type { RunPermissions } from '../../lead/runs/run-questions.ts';
import { RUN_AGENTS } from '../../runs/profiles.ts';
import { damagedPlaces } from '../../session/describe-opening.ts';
import type { Session } from '../../session/session.ts';
import type { TurnSignal } from '../../turn/signals.ts';
import { action, type ExitCode, type Finish, withExamples } from '../command.ts';
import { type EventPrinter, printEvents } from '../print-events.ts';
import { readInput } from '../read-input.ts';
import { reportError } from '../report.ts';
import {
  addSessionOptions,
  forceOption,
  NOT_OF_AGENTS,
  openRequestOf,
  permissionsOption,
  type SessionFlags,
} from '../session-options.ts';
import type { Shell } from '../shell.ts';
import { createToolTeller } from '../tool-teller.ts';

interface AskFlags extends SessionFlags {
  readonly tool?: readonly string[];
  /** False with --no-tools. */
  readonly tools: boolean;
  /** The agent of another maker that answers in place of a model. */
  readonly agent?: string;
  readonly permissions?: RunPermissions;
  readonly force?: boolean;
}

/** What lets calls of another agent run. */
const OF_AGENT = 'Ask at a terminal, or with --permissions allow.';
/** The answer is cut off, filtered or empty. */
const INCOMPLETE_EXIT = 10;

export function defineAsk(program: Command, finish: Finish): void {
  const command = program
    .command('ask')
    .description('ask one question; with --json, print each event as it is stored')
    .argument('[prompt]', 'the question; standard input is added at its end');
  addSessionOptions(command)
    .addOption(
      new Option('--tool <name>', 'offer the model only this tool; may be repeated')
        .argParser(collectNames)
        .conflicts('tools'),
    )
    .option('--no-tools', 'offer the model no tools')
    .addOption(
      new Option('--agent <name>', `run this agent, and ask it: ${RUN_AGENTS.join(', ')}`).conflicts([
        'tool',
        ...NOT_OF_AGENTS,
      ]),
    )
    .addOption(permissionsOption())
    .addOption(forceOption())
    // As programs have it that are a REPL otherwise: this command prints in any case.
    .addOption(new Option('-p, --print').hideHelp())
    .action(
      action<AskFlags, [string | undefined]>(finish, async (shell, options, prompt) => {
        const text = [prompt, await readInput(shell.input)].filter(Boolean).join('\n\n').trim();
        if (text === '')
          throw new OllmError('USAGE', 'There is nothing to ask.', {
            hint: 'Try: ollm ask "What is in this project?"',
          });
        if (options.agent !== undefined) {
          const { askAgent } = await import('../ask-agent.ts');
          const { agent, resume, model, permissions, force } = options;
          const print = (signals: Signals, printed?: () => Promise<unknown>) =>
            answer(shell, signals, printed, OF_AGENT);
          return askAgent(shell, { agent, text, resume, model, permissions, force, answer: print });
        }
        const app = await shell.openApp('ask', {
          provider: options.provider,
          model: options.model,
          mode: options.ephemeral ? 'ephemeral' : undefined,
          retrieval: options.rag,
        });
        const { signal } = shell;
        const { ask } = await import('../../lead/ask.ts');
        const { Leader } = await import('../../lead/leader.ts');
        const { Observable, Subject } = await import('rxjs');
        if (options.tools && options.tool !== undefined) {
          const { requireTools } = await import('../../app/tools/toolbox.ts');
          const { untilAborted } = await import('../../platform/waiting.ts');
          await untilAborted(requireTools(app, options.tool), signal);
        }
        if (signal.aborted) return ERROR_CODES.INTERRUPTED.exit;
        const turn = new Subject<TurnSignal>();
        const leader = await Leader.open(app, openRequestOf(options), {
          stop: () => signal,
          onWait: (notice) => shell.output.note(notice),
          perform: async (...asked) => ask(...asked),
          onSignal(passing) {
            if (passing.type === 'notice') shell.output.note(passing.text);
            if (passing.type === 'turn') turn.next(passing.signal);
          },
        });
        const opened = leader.conversation!;
        if (opened.choice.isStandIn) shell.output.note(opened.choice.why);
        for (const notice of opened.notices) shell.output.note(notice);
        try {
          let { session } = opened;
          let events: EventPrinter | undefined;
          const begin = async (conversation: Conversation) => {
            session = conversation.session;
            if (shell.output.json) events = printEvents(shell, session.writer);
            return { input: { text } };
          };
          const tools = options.tools ? options.tool : [];
          // The turn begins when its signals have a listener: one that a full disk refuses fails at once.
          const signals = new Observable<TurnSignal>((listener) => {
            const passing = turn.subscribe(listener);
            leader.ask(app.ids.uuid(), begin, { signal, tools }).then(
              () => listener.complete(),
              (error: unknown) => listener.error(error),
            );
            return passing;
          });
          const exitCode = await answer(shell, signals, async () => events?.printed());
          await events?.stop();
          return exitCode || damageExit(session);
        } finally {
          await leader.close({ reason: signal.aborted ? 'signal' : 'exit' });
        }
      }),
    );
  withExamples(command, [
    { line: 'ollm ask "What does this project do?"', does: 'one answer, in a session of its own' },
    { line: 'git diff | ollm ask "Review this" --resume @last', does: 'add standard input, in the last session' },
    {
      line: 'ollm ask "Where is the port set?" --tool search_files --tool file_read',
      does: 'let the model search and read, and do nothing else',
    },
    { line: 'ollm ask "Fix the test" --agent qwen', does: 'run another agent, and keep its work in its session' },
    { line: 'ollm ask "Sum it up" --json | jq .type', does: 'see each event as it is stored' },
  ]);
}

/** The answer is based on the readable part of the session: notices have said so, and the exit code does too. */
function damageExit({ report }: Session): number {
  return damagedPlaces(report.damage) === 0 ? 0 : ERROR_CODES.JOURNAL_DAMAGED.exit;
}

/** `--tool a,b --tool c` */
function collectNames(value: string, names: readonly string[] = []): readonly string[] {
  return [...names, ...value.split(',').map((name) => name.trim())];
}

type Signals = Observable<TurnSignal>;

/** Prints the answer as it comes, or waits for its events to be; the exit code tells how the turn ended. */
async function answer(
  shell: Shell,
  signals: Signals,
  eventsPrinted?: () => Promise<unknown>,
  remedy?: string,
): Promise<ExitCode> {
  const { concatMap, lastValueFrom } = await import('rxjs');
  const { output } = shell;
  const tools = createToolTeller(output, remedy);
  let endsWithLineFeed = true;
  const endLine = async () => {
    if (!endsWithLineFeed) await output.line();
    endsWithLineFeed = true;
  };
  /** A notice begins a line, where a person sees both. */
  const aside = async (text: string | undefined) => {
    if (text === undefined) return;
    if (output.isTerminal) await endLine();
    output.note(text);
  };
  const handle = async (signal: TurnSignal): Promise<ExitCode> => {
    await eventsPrinted?.();
    switch (signal.type) {
      case 'delta':
        if (output.json) return 0;
        await output.write(output.isTerminal ? printable(signal.content) : signal.content);
        endsWithLineFeed = signal.content.endsWith('\n');
        return 0;
      case 'notice':
        await aside(signal.text);
        return 0;
      case 'retry':
        await aside(
          `${signal.reason} Attempt ${signal.attempt} of ${signal.attempts} in ${formatDuration(signal.delayMs)}.`,
        );
        return 0;
      case 'tool_call':
        // The text after it is a new sentence.
        await endLine();
        await aside(tools.lineFor(signal));
        return 0;
      case 'tool_started':
      case 'tool_result':
        await aside(tools.lineFor(signal));
        return 0;
      case 'error':
        await endLine();
        return reportError(signal.error, shell);
      case 'cancelled':
        return ERROR_CODES.INTERRUPTED.exit;
      case 'done':
        return signal.incomplete === undefined ? 0 : INCOMPLETE_EXIT;
      case 'start':
      case 'reasoning':
      case 'steered':
      case 'tool_input':
      case 'tool_output':
        return 0;
    }
  };
  const exitCode = await lastValueFrom(signals.pipe(concatMap(handle)), { defaultValue: 0 });
  await endLine();
  // An agent may end its turn at a call that was denied.
  const hasEnded = exitCode === 0 || (exitCode === ERROR_CODES.INTERRUPTED.exit && !shell.signal.aborted);
  if (!hasEnded || tools.unasked === 0) return exitCode;
  output.warn(tools.unaskedWords());
  return ERROR_CODES.POLICY_DENIED.exit;
}
