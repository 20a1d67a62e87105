// An agent that a call of a conversation begins: a turn in a session of its own, with the provider, the model, the
// policy and the user of that conversation, and never with more than its tools. It begins no agent itself.
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { gitState } from '../app/repository/git-state.ts';
import { conversationIn, sessionOptions } from '../app/sessions/open/conversation-in.ts';
import { turnBasis } from '../app/turn/turn-basis.ts';
import { SKILLS_KEY } from '../context/entries.ts';
import { excerpt } from '../display/excerpt.ts';
import { countOf, formatCount } from '../display/quantities.ts';
import { sanitizeLine } from '../display/sanitize.ts';
import type { NewOllmEvent } from '../events/index.ts';
import { defined } from '../platform/json.ts';
import { countedEntries } from '../projections/timeline.ts';
import { createSession, type SystemPrompt } from '../session/create.ts';
import type { Session } from '../session/session.ts';
import { counterFor } from '../tokens/counter-for.ts';
import { AGENT, type AgentTask, agentDisplay } from '../tools/builtin/agent.ts';
import type { Approver, Policy } from '../tools/decision.ts';
import { planOnly } from '../tools/modes.ts';
import { type Tool, ToolFailure, type ToolOutput } from '../tools/tool.ts';
import { createToolbox } from '../tools/toolbox.ts';
import { isOffered } from '../turn/request/offered-tools.ts';
import { runTurn, type TurnDependencies } from '../turn/run-turn.ts';
import type { TurnTools } from '../turn/turn-tools.ts';
import { VERSION } from '../version.ts';
import { Leader } from './leader.ts';
import { withSpans } from './with-spans.ts';

/** Model requests that it may take. */
const MOST_REQUESTS = 40;
/** They work on the session of the conversation, or begin agents. */
const OF_THE_SESSION: ReadonlySet<string> = new Set([AGENT, 'history_read', 'recall', 'skill_read', 'todo_write']);
const READING: ReadonlySet<string> = new Set([
  ...['file_read', 'list_files', 'search_files', 'bash', 'git'],
  ...['web_fetch', 'web_search'],
]);
const INSTRUCTIONS =
  'You do one task for another model, which reads your answer; you cannot ask it anything. Look before you say something, by the tools that you have. A call may be asked about or denied: a denial is an answer. End with what was asked for and nothing else: findings first, places as path:line, and what you could not find out.';

/** Does the task, in the surroundings of a turn of the conversation. */
export async function runSubagent(
  app: App,
  conversation: Conversation,
  dependencies: TurnDependencies & { readonly tools: TurnTools },
  task: AgentTask,
): Promise<ToolOutput> {
  const { signal } = task;
  const tools = toolsFor(dependencies.tools, conversation.session, task);
  const child = await begin(app, conversation, task.sessionId);
  const { session } = child;
  const surroundings: TurnDependencies = {
    ...dependencies,
    ...(await turnBasis(app, child)),
    ...{ tools, retrieval: undefined, steer: undefined, askToGoOn: undefined, maxSteps: MOST_REQUESTS },
  };
  let failure: string | undefined;
  const leader = await Leader.of(app, child, {
    perform: async (_, led, input, { signal: stopped }) =>
      withSpans(app, led, runTurn(led.session, input, surroundings, { signal: stopped })),
    onSignal(passing) {
      if (passing.type !== 'turn') return;
      const { signal: turn } = passing;
      if (turn.type === 'error') failure = turn.error.message;
      if (turn.type === 'tool_started') task.onProgress(`${turn.summary} · ${requestsOf(session)}\n`);
    },
  });
  try {
    await session.append(contextOf(conversation));
    await leader.ask(task.sessionId, async () => ({ input: { text: task.task } }), {
      signal,
    });
    return outcomeOf(session, failure);
  } finally {
    await leader.close({ reason: 'exit' });
  }
}

function toolsFor(tools: TurnTools, { states }: Session, { task, tools: wanted }: AgentTask): TurnTools {
  const all = tools.toolbox.tools.filter(({ name }) => !OF_THE_SESSION.has(name) && isOffered(tools, states, name));
  const missing = (wanted ?? []).filter((name) => !all.some((tool) => tool.name === name));
  if (missing.length > 0) {
    const names = all.map(({ name }) => name).join(', ');
    throw new ToolFailure(`An agent cannot be offered ${missing.join(', ')}. It can be offered: ${names}.`);
  }
  const isChosen = ({ name }: Tool) => (wanted === undefined ? READING.has(name) : wanted.includes(name));
  return {
    ...tools,
    // The user's switches are not in its session.
    disabled: [],
    toolbox: createToolbox(all.filter(isChosen)),
    policy: wanted === undefined ? readingPolicy(tools.policy) : tools.policy,
    approver: tools.approver && named(tools.approver, task),
  };
}

function readingPolicy(policy: Policy): Policy {
  const reading = planOnly(policy);
  return {
    ...reading,
    decide(action) {
      const decision = reading.decide(action);
      if (decision.kind !== 'deny' || policy.decide(action).kind === 'deny') return decision;
      return {
        kind: 'deny',
        rule: 'agent:reads',
        reason: 'This agent only reads. Say in your answer what would have to be done.',
      };
    },
  };
}

/** The user is told which agent asks. */
function named(approver: Approver, task: string): Approver {
  const asker = `agent “${excerpt(sanitizeLine(task), 60)}”`;
  return { ask: (request, signal) => approver.ask({ ...request, asker }, signal) };
}

async function begin(app: App, parent: Conversation, id: string): Promise<Conversation> {
  const { choice, ephemeral, encrypted } = parent;
  const target = { provider: choice.provider.name, model: choice.model };
  const git = gitState(app.fileSystem, app.cwd);
  const created = {
    ...target,
    ollm: VERSION,
    ...defined({ contextWindow: choice.contextWindow }),
    cwd: app.cwd,
    ...defined({ git }),
    subagentOf: { sessionId: parent.session.id },
  };
  // What an encrypted session says is stored nowhere in clear.
  const isClear = encrypted === true && !app.config.retention.encryptAtRest;
  const place = ephemeral ? parent.store : isClear ? await app.openMemoryStore() : app.store;
  const system = await promptFor(app, target);
  const session = await createSession(place, { id, created, system }, sessionOptions(app));
  const notices: readonly string[] = [];
  return conversationIn(place, session, { choice, ephemeral: ephemeral || isClear, encrypted, notices });
}

async function promptFor(
  app: App,
  target: { readonly provider: string; readonly model: string },
): Promise<SystemPrompt> {
  const day = new Date(app.clock.now()).toISOString().slice(0, 10);
  const written = `${INSTRUCTIONS}\n\nWorking directory: ${app.cwd}\nPlatform: ${process.platform}\nDate: ${day}`;
  const { text } = (await app.redactor())(written);
  return { text, tokens: (await counterFor(target)).count(text) };
}

/** Texts that the user trusts to instruct, such as the AGENTS.md of the project. */
function contextOf({ session }: Conversation): NewOllmEvent[] {
  return session.states.context.entries
    .filter(({ trusted, key, expiresAt }) => trusted && key !== SKILLS_KEY && expiresAt === undefined)
    .map(({ key, content, priority, source, tokens, trusted }) => ({
      type: 'context.added',
      data: { key, content, priority, source, tokens, trusted },
    }));
}

function requestsOf({ states }: Session): string {
  return countOf(states.budget.spent.calls, 'request');
}

function outcomeOf(session: Session, failure: string | undefined): ToolOutput {
  const { spent } = session.states.budget;
  const last = countedEntries(session.states.view.timeline).at(-1);
  const said =
    last?.kind === 'message' && last.role === 'assistant'
      ? last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      : '';
  const cost = spent.totalCost === undefined ? '' : ` · $${spent.totalCost.toFixed(4)}`;
  const used = `${requestsOf(session)} · ${formatCount(spent.inputTokens + spent.outputTokens)} tokens${cost}`;
  const display = (text: string) => agentDisplay(text, { used, sessionId: session.id });
  if (failure === undefined && said.trim() !== '') return { content: said, display: display(said) };
  const why = failure === undefined ? 'The agent ended without an answer.' : `The agent did not finish: ${failure}`;
  const content = said.trim() === '' ? why : `${why}\nIts last words were:\n${said}`;
  return { status: 'error', content, display: display(content) };
}
