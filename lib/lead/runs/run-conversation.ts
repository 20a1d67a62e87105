// A run of another agent as a conversation: its session is read, titled, exported and left like one of ollm's own, and
// the agent answers in it. Its journal is still led by the run.
import { from, type Observable, switchMap } from 'rxjs';
import type { App } from '../../app/app.ts';
import type { AnsweringAgent, Conversation } from '../../app/conversation.ts';
import { conversationIn, sessionOptions } from '../../app/sessions/open/conversation-in.ts';
import { OllmError } from '../../errors/index.ts';
import type { Provider } from '../../providers/provider.ts';
import { describeOpening } from '../../session/describe-opening.ts';
import { liveSession } from '../../session/live-session.ts';
import { createKeeper, followJournal } from '../../session/states.ts';
import type { TurnSignal } from '../../turn/signals.ts';
import type { AgentRun, RunWish } from './agent-run.ts';
import { openRun } from './open-run.ts';
import { imagesNamedIn } from './prompt-images.ts';
import type { RunPermissions } from './run-questions.ts';

/** The run that a user at a terminal wants. */
export interface TerminalRun {
  /** Default: that of the session that goes on. */
  readonly agent?: string | undefined;
  /** Address of the session that goes on; true: one that the user chooses. Default: a new one. */
  readonly resume?: string | true | undefined;
  readonly model?: string | undefined;
  readonly permissions: RunPermissions;
  /** Goes on with a session that another process may work with. */
  readonly force?: boolean | undefined;
}

/**
 * Starts the agent, as `openRun` does. Closing the session ends the run.
 *
 * @example
 * const conversation = await openRunConversation(app, { agent: 'qwen', permissions: 'ask', signal });
 * conversation.agent.ask({ text: 'Describe this project' }, { signal }).subscribe(show);
 * await conversation.session.close('exit');
 * @throws OllmError as `openRun` does
 */
export async function openRunConversation(app: App, wish: RunWish): Promise<Conversation> {
  const run = await openRun(app, wish);
  try {
    const { store } = app;
    const { loop } = sessionOptions(app);
    const { writer } = run;
    const keeper = createKeeper({ loop });
    await followJournal(keeper, store, run.id);
    const { damage } = writer.report;
    const notices = [
      ...run.notices,
      ...(run.wasInterrupted ? [INTERRUPTED] : []),
      ...describeOpening(run.id, writer.report),
    ];
    const report = { created: wish.resume === undefined, damage, notices };
    const end = () => run.close();
    const session = liveSession({ store, writer, keeper, report, log: app.log, end });
    const agent = answeringAgent(app, run, wish.permissions);
    const { version = '' } = run.program;
    const why = `${run.title}${version && ` ${version}`} answers, as ${run.address}.`;
    const model = run.models.current ?? 'its own';
    const choice = { provider: standIn(run.agent), model, why };
    return { ...conversationIn(store, session, { choice, ephemeral: false, notices }), agent };
  } catch (error) {
    await run.close();
    throw error;
  }
}

const INTERRUPTED = 'The last turn ended with the ollm that led it: its message has no answer, or a part of one.';

function answeringAgent(app: App, run: AgentRun, permissions: RunWish['permissions']): AnsweringAgent {
  return {
    name: run.agent,
    title: run.title,
    address: run.address,
    get movedTo() {
      return run.movedTo;
    },
    permissions,
    get models() {
      return run.models;
    },
    get thinking() {
      return run.thinking;
    },
    change: (choice) => run.change(choice),
    describe() {
      const { path, version, pid, mode, adapter } = run.program;
      return [
        ['agent', `${run.title}${version === undefined ? '' : ` ${version}`}`],
        ['session', run.address],
        ['program', adapter === undefined ? `${path}, process ${pid}` : path],
        ...(adapter === undefined
          ? []
          : ([['adapter', `${adapter.path} ${adapter.version ?? ''}, process ${pid}`]] as const)),
        ['directory', run.workspace],
        ['sandbox', run.sandbox],
        ...(mode === undefined ? [] : ([['mode', mode]] as const)),
        ...(run.models.current === undefined ? [] : ([['model', run.models.current]] as const)),
        ...(run.thinking.current === undefined ? [] : ([['thinking', run.thinking.current]] as const)),
      ];
    },
    ask({ text, typed = text, promptId }, { signal, approver, allowOutside }): Observable<TurnSignal> {
      const isStored = promptId !== undefined;
      const id = promptId ?? app.ids.uuid();
      const images = async () => imagesNamedIn(app, typed, { workspace: run.workspace, allowOutside });
      return from(images()).pipe(
        switchMap((each) => run.ask(text, { promptId: id, isStored, signal, approver, images: each })),
      );
    },
  };
}

/** Says who answers. No request is ever made of it. */
function standIn(name: string): Provider {
  const capabilities = {
    ...{ streaming: true, toolCalling: true, tokenCounting: false, compaction: false },
    maxContextWindow: undefined,
  };
  return {
    name,
    capabilities,
    models: async () => [],
    // biome-ignore lint/correctness/useYield: it has nothing to give
    async *stream() {
      throw new OllmError('INTERNAL', `${name} answers by itself, and not as a provider.`);
    },
  };
}
