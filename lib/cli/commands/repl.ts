// `ollm repl`, and `ollm` without a command: opens a session and passes it to the REPL, which takes over from there.
// `ollm resume` does the same with an existing session; a session of another program becomes one of the user's own.
import { type Command, Option } from 'commander';
import type { App } from '../../app/app.ts';
import type { SessionWish } from '../../app/sessions/open/open-session.ts';
import type { TerminalRun } from '../../lead/runs/run-conversation.ts';
import type { RunPermissions } from '../../lead/runs/run-questions.ts';
import { RUN_AGENTS } from '../../runs/profiles.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import {
  addSessionOptions,
  forceOption,
  modeOption,
  NOT_OF_AGENTS,
  OTHER_SESSIONS,
  openRequestOf,
  permissionsOption,
  RAG_HELP,
  type SessionFlags,
  thinkingOption,
} from '../session-options.ts';
import type { Shell } from '../shell.ts';

interface Options extends SessionFlags {
  readonly context?: boolean;
  readonly task?: string;
  readonly question?: string | undefined;
  readonly permissions?: RunPermissions;
  readonly force?: boolean;
}

/** The flags of `ollm repl`: a --resume without an id is true. */
type ReplCommandOptions = Omit<Options, 'resume' | 'question'> & {
  readonly resume?: string | true;
  readonly continue?: boolean;
  readonly agent?: string;
};

type ResumeOptions = Pick<Options, 'model' | 'provider' | 'mode' | 'thinking' | 'rag' | 'permissions' | 'force'> & {
  /** True: the one that the session is of. */
  readonly agent?: string | true;
};

export function defineRepl(program: Command, finish: Finish): void {
  const command = program.command('repl').description('hold a conversation (the default without a command)');
  const resume = new Option(
    '-r, --resume [id]',
    `continue a session: ${SESSION_ARGUMENT}; without one, choose it from a list`,
  );
  addSessionOptions(command, resume)
    .argument('[question]', 'what to say first')
    .addOption(
      new Option('-c, --continue', 'continue the last session of this project').conflicts([
        'resume',
        ...OTHER_SESSIONS,
      ]),
    )
    .option('--context', 'tell the model about this project: its structure, git state and instruction files')
    .option('--task <file>', 'give the model the task in this file')
    .addOption(
      new Option(
        '--agent <name>',
        `talk with this agent, which ollm runs, in place of a model: ${RUN_AGENTS.join(', ')}`,
      ).conflicts([...NOT_OF_AGENTS, 'continue', 'context', 'task']),
    )
    .addOption(permissionsOption())
    .addOption(forceOption())
    .action(
      action<ReplCommandOptions, [string | undefined]>(finish, (shell, options, question) => {
        const { agent, resume: resumed, model, permissions = 'ask', force } = options;
        const run = agent === undefined ? undefined : { agent, resume: resumed, model, permissions, force };
        return converse(shell, { ...options, question, run }, (app) => requestOf(app, options));
      }),
    );
  withExamples(command, [
    { line: 'ollm', does: 'start a conversation in a new session' },
    { line: 'ollm "What is in this project?"', does: 'start one with a question' },
    { line: 'ollm -c', does: 'continue the last session of this project' },
    { line: 'ollm --resume', does: 'choose the session to continue from a list' },
    { line: 'ollm repl --resume @last', does: 'continue where you left off' },
    { line: 'ollm repl --name notes --prompt-file prompts/editor.md', does: 'one lasting session with its own prompt' },
    { line: 'ollm repl --agent claude', does: 'talk with Claude Code, and keep its work in its session' },
    { line: 'echo "What is in this project?" | ollm repl', does: 'without a terminal: each line is a turn' },
  ]);
}

export function defineResume(program: Command, finish: Finish): void {
  const command = program
    .command('resume')
    .description('continue a session; one of another program continues in a session of your own, or with --agent there')
    .argument('[id]', `${SESSION_ARGUMENT}, or agent:id; without one, choose it from a list`)
    .option('-m, --model <model>', 'model that answers')
    .option('--provider <provider>', 'provider that answers')
    .addOption(modeOption())
    .addOption(thinkingOption())
    .option('--rag', RAG_HELP)
    .addOption(
      new Option('--agent [name]', 'with agent:id: have that agent itself go on with it').conflicts(NOT_OF_AGENTS),
    )
    .addOption(permissionsOption())
    .addOption(forceOption())
    .action(
      action<ResumeOptions, [string | undefined]>(finish, (shell, options, id) => {
        const { agent, model: wanted, permissions = 'ask', force } = options;
        const word = agent === true ? undefined : agent;
        // In `resume --agent claude:5f3c` the word after the option is the session.
        const [reference, named] = id === undefined && word?.includes(':') ? [word, undefined] : [id, word];
        const run =
          agent === undefined
            ? undefined
            : { agent: named, resume: reference ?? (true as const), model: wanted, permissions, force };
        return converse(shell, { ...options, run }, async (app) => {
          const { model, provider, thinking, mode: toolMode } = options;
          if (reference === undefined) return { kind: 'pick', model, provider, thinking, toolMode };
          const { ownSession } = await import('../../app/sessions/open/own-session.ts');
          const { id, parent } = await ownSession(app, reference);
          if (parent !== undefined) shell.output.note(`${parent} continues in a session of your own: ${id}`);
          return { kind: 'resume', reference: id, model, provider, thinking, toolMode };
        });
      }),
    );
  withExamples(command, [
    { line: 'ollm resume', does: 'choose the session from a list' },
    { line: 'ollm resume @last', does: 'continue where you left off' },
    { line: 'ollm resume claude:5f3c', does: 'import a session of Claude Code and go on from its end' },
    { line: 'ollm resume claude:5f3c --agent', does: 'have Claude Code itself go on with it, led by ollm' },
  ]);
}

async function requestOf(
  app: App,
  { resume, continue: continues, ...options }: ReplCommandOptions,
): Promise<SessionWish> {
  const { provider, model, thinking, mode: toolMode } = options;
  if (resume === true) return { kind: 'pick', provider, model, thinking, toolMode };
  if (!continues) return openRequestOf(resume === undefined ? options : { ...options, resume });
  const { lastOfProject } = await import('../../app/find/last-of-project.ts');
  return { kind: 'resume', reference: await lastOfProject(app), provider, model, thinking, toolMode };
}

async function converse(
  shell: Shell,
  options: Omit<Options, 'resume' | 'permissions'> & { readonly run?: TerminalRun | undefined },
  requestFor: (app: App) => Promise<SessionWish>,
): Promise<number | undefined> {
  const { run } = options;
  const openApp = () =>
    shell.openApp('repl', {
      provider: options.provider,
      // An agent names its models in its own words.
      model: run === undefined ? options.model : undefined,
      mode: options.ephemeral ? 'ephemeral' : undefined,
      retrieval: options.rag,
      silent: true,
    });
  const app = await openApp();
  const open = run === undefined ? await requestFor(app) : ({ kind: 'new' } as const);
  const { startRepl } = await import('../../repl/repl.ts');
  const { projectContext } = await import('../../app/context/project-context.ts');
  return startRepl(app, {
    open,
    run,
    question: options.question,
    color: shell.flags.color ? undefined : false,
    quiet: shell.flags.quiet,
    async reopen() {
      await app.close();
      return openApp();
    },
    context: await projectContext(app, options),
  });
}
