// Opens the session of a REPL or of `ollm ask`: a new one, one that is there, or the one of a name or prompt file.
import { checkArguments } from '../../../errors/arguments.ts';
import { isOllmError, OllmError } from '../../../errors/index.ts';
import type { EventData } from '../../../events/index.ts';
import { isSessionId } from '../../../journal/format.ts';
import type { JournalStore } from '../../../journal/types.ts';
import { defined } from '../../../platform/json.ts';
import { WHAT_OFFLINE_IS } from '../../../providers/choose.ts';
import { createSession } from '../../../session/create.ts';
import { firstEvent } from '../../../session/fork.ts';
import { idOfPromptFile } from '../../../session/identify.ts';
import { isImport, refuseTurnsIn } from '../../../session/is-import.ts';
import { openSession as openStored } from '../../../session/open.ts';
import type { Session } from '../../../session/session.ts';
import { isEncrypted } from '../../../stores/sealing/session-keys.ts';
import type { ToolMode } from '../../../tools/modes.ts';
import { VERSION } from '../../../version.ts';
import type { App } from '../../app.ts';
import type { Conversation, ProviderChoice } from '../../conversation.ts';
import { resolveId } from '../../find/find-session.ts';
import { isBareSession, upgradeBareSession } from '../../find/upgrade-session.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { promptPath } from '../../project/prompt-file.ts';
import { type AnswererWish, chooseProvider, OFFLINE, type ProviderWish } from '../../providers/choose-provider.ts';
import { keyFileProblem } from '../../providers/key-file.ts';
import { keptThinking, requireThinking } from '../../providers/thinking.ts';
import { gitState } from '../../repository/git-state.ts';
import { begunHere } from '../../repository/project-identity.ts';
import { startHooks } from '../../tools/hooks.ts';
import { problemsOfServers, warmUpServers } from '../../tools/mcp.ts';
import { applyRetention } from '../change/apply-retention.ts';
import { nameSession } from '../change/name-session.ts';
import { conversationIn, recordChoice, sessionOptions } from './conversation-in.ts';
import { leaveSession } from './leave-session.ts';
import { type Prompt, readPrompt } from './read-prompt.ts';
import { placeNotices } from './session-place.ts';

/** Which session is opened or made, and which model answers in it. */
export type OpenRequest = AnswererWish & {
  /** Keeps the session only in memory, regardless of the settings. */
  readonly ephemeral?: boolean | undefined;
  /**
   * What tools do without a question. Default: `tools.mode` of the settings; a session left in plan mode continues so.
   */
  readonly toolMode?: ToolMode | undefined;
} & (
    | {
        readonly kind: 'new';
        readonly name?: string | undefined;
        /** Default: what follows from the name; else a random one. */
        readonly id?: string | undefined;
        readonly promptFile?: string | undefined;
      }
    /** `reference`: an id, a prefix, a title or @last. */
    | { readonly kind: 'resume'; readonly reference: string }
    /** The session of this name; made if there is none. */
    | { readonly kind: 'name'; readonly name: string; readonly promptFile?: string | undefined }
    /** The session that belongs to this prompt file; made if there is none. */
    | { readonly kind: 'prompt-file'; readonly promptFile: string }
  );

/** As a user says it: a session that is named, or one to be chosen from a list. */
export type SessionWish =
  | OpenRequest
  | (Omit<Extract<OpenRequest, { readonly kind: 'resume' }>, 'kind' | 'reference'> & { readonly kind: 'pick' });

export interface OpenOptions {
  /** What ends hooks that hang, and the opening with them; asked for when there are some. */
  readonly stop?: (() => AbortSignal) | undefined;
  /**
   * Takes what may wait until the user can type: moving old sessions to the trash. Without it, that is done before the
   * session is handed back.
   */
  readonly later?: ((work: Later) => void) | undefined;
  /** Called with the cause of a wait, if the opening takes more than a second. */
  readonly onWait?: ((notice: string) => void) | undefined;
}

/** Ends soon after `stop` is aborted. Resolves with notices for the user; never rejects. */
export type Later = (stop: AbortSignal) => Promise<readonly string[]>;

/**
 * Opens it, runs the user's hooks, which can veto, and begins to start the MCP servers.
 *
 * @throws OllmError INTERRUPTED: while hooks ran; POLICY_DENIED: mode auto without a sandbox; JOURNAL_LOCKED (which
 * process holds it, how to read it), SESSION_*, PROVIDER_*, JOURNAL_*
 */
export async function openSession(app: App, request: OpenRequest, options: OpenOptions = {}): Promise<Conversation> {
  const wanted = { kind: 'text', 'name?': 'text', 'reference?': 'text', 'promptFile?': 'text' } as const;
  checkArguments('openConversation', { app: 'App', request: wanted, options: 'object' }, [app, request, options]);
  const { stop, later, onWait } = options;
  const conversation = await open(app, request, { later, onWait });
  const { session, notices } = conversation;
  warmUpServers(app);
  try {
    const mode = await begun(app, conversation, request.toolMode);
    const start = session.report.created ? 'new' : 'resumed';
    const open = await openToOthers(app, conversation);
    const hooks = await startHooks(app, conversation, start, stop);
    return { ...conversation, notices: [...notices, ...mode, ...open, ...hooks] };
  } catch (error) {
    await closed(app, session, leaveSession(app, conversation, { reason: 'exit' }));
    throw error;
  }
}

/** What other users can change or read: programs of servers, and the key. Programs of hooks come with the hooks. */
async function openToOthers(app: App, { choice }: Conversation): Promise<readonly string[]> {
  const servers = [...(await problemsOfServers(app))].map(([name, problem]) => ({
    text: `mcp.servers.${name}: ${problem.text}`,
    remedy: problem.remedy,
  }));
  const key = keyFileProblem(app, choice.provider.name);
  return [...servers, ...(key === undefined ? [] : [key])].map(({ text, remedy }) => `${text} ${remedy}`);
}

/** Most sessions begin without loading anything here. Returns notices for the user. */
async function begun(app: App, conversation: Conversation, wish: ToolMode | undefined): Promise<readonly string[]> {
  const { choice, session } = conversation;
  const instructions = choice.provider.name === OFFLINE ? [] : await instructed(app, conversation);
  const modes = [wish, app.config.tools.mode, session.states.tools.mode];
  if (modes.every((mode = 'ask') => mode === 'ask')) return instructions;
  return [...instructions, ...(await (await import('../../policy/tool-mode.ts')).beginMode(app, conversation, wish))];
}

/**
 * Adds the texts that instruct a model in addition to the question, as they are trusted now: for a session that is
 * opened with a model, and for one that goes from the search to a model. Returns notices for the user. @throws the
 * errors of an append
 */
export async function instructed(app: App, conversation: Conversation): Promise<readonly string[]> {
  const [{ updateEnvironment }, { updateInstructions }, { updateSkills }] = await Promise.all([
    import('./default-prompt.ts'),
    import('../../context/project-instructions.ts'),
    import('../../context/offered-skills.ts'),
  ]);
  await updateEnvironment(app, conversation);
  return [...(await updateInstructions(app, conversation)), ...(await updateSkills(app, conversation))];
}

/** A search needs none. */
async function builtinPrompt(app: App, target: { readonly provider: string; readonly model: string }) {
  if (!app.config.defaultPrompt || target.provider === OFFLINE) return undefined;
  return (await import('./default-prompt.ts')).defaultPrompt(app);
}

async function open(app: App, request: OpenRequest, options: OpenOptions): Promise<Conversation> {
  if (request.kind === 'resume') return resume(app, await resolveId(app, request.reference), request, options);
  const target = await targetOf(app, request);
  const ephemeral = request.ephemeral === true || app.mode === 'ephemeral';
  const isThere = !ephemeral && ((await app.store.has(target.id)) || (await isBareSession(app, target.id)));
  if (isThere && request.kind === 'new' && request.id !== undefined) throw alreadyThere(request.id);
  if (isThere && request.kind !== 'new')
    return resume(app, target.id, { ...request, promptFile: target.promptFile }, options);
  return create(app, target, { ...request, ephemeral }, options);
}

interface Target {
  readonly id: string;
  readonly title: string | undefined;
  readonly promptFile: string | undefined;
  /** The user named the prompt file for this session; otherwise the settings do. */
  readonly isNamed: boolean;
}

async function targetOf(app: App, request: Exclude<OpenRequest, { kind: 'resume' }>): Promise<Target> {
  const isNamed = request.promptFile !== undefined;
  const promptFile = request.promptFile ?? app.config.promptFile;
  switch (request.kind) {
    case 'new': {
      const { name, id } = request;
      if (id !== undefined) requireNewId(id);
      const named = name === undefined ? { id: app.ids.uuid(), title: undefined } : await nameSession(app, name);
      return { ...named, ...defined({ id }), promptFile, isNamed };
    }
    case 'name':
      return { ...(await nameSession(app, request.name)), promptFile, isNamed };
    case 'prompt-file':
      return { id: idOfPromptFile(promptPath(app, request.promptFile)), title: undefined, promptFile, isNamed };
  }
}

/** @throws OllmError SESSION_ID_INVALID */
function requireNewId(id: string): void {
  if (isSessionId(id)) return;
  throw new OllmError('SESSION_ID_INVALID', `${JSON.stringify(id.slice(0, 130))} cannot be the id of a session.`, {
    hint: 'An id has 1 to 64 of a-z, 0-9 and "-", and begins with a letter or a digit. Or leave it out.',
  });
}

function alreadyThere(id: string): OllmError {
  return new OllmError('SESSION_EXISTS', `There is a session ${id} already.`, {
    hint: 'Continue it, or choose another id.',
    data: { id },
  });
}

async function create(
  app: App,
  { id, title, promptFile, isNamed }: Target,
  request: AnswererWish & { readonly ephemeral: boolean },
  { later, onWait }: OpenOptions,
): Promise<Conversation> {
  const { ephemeral } = request;
  const place = ephemeral && app.mode !== 'ephemeral' ? await app.openMemoryStore() : app.store;
  const chosen = await chooseProvider(app, request, { onWait });
  const choice = { ...chosen, thinking: await thinkingAsWished(chosen, request) };
  const answerer = { provider: choice.provider.name, model: choice.model };
  const prompt = promptFile === undefined ? undefined : await trustedPrompt(app, { promptFile, isNamed });
  const system = prompt?.system ?? (await builtinPrompt(app, answerer));
  const git = gitState(app.fileSystem, app.cwd);
  const created = {
    ...answerer,
    ollm: VERSION,
    ...defined({ title, contextWindow: choice.contextWindow }),
    ...begunHere(app),
    ...defined({ git }),
    ...(prompt === undefined ? {} : { prompt: prompt.record }),
  };
  const session = await createSession(place, { id, created, system }, sessionOptions(app));
  if (choice.thinking !== undefined) await recordChoice(session, choice);
  // A session in memory may be stored later.
  const encrypted = app.config.retention.encryptAtRest;
  const notices = [
    ...(prompt === undefined && promptFile !== undefined ? [promptNotUsed(promptFile)] : []),
    ...(encrypted && !ephemeral ? [ENCRYPTED_NOTICE] : []),
    ...(ephemeral ? [] : placeNotices(app)),
    ...(ephemeral || later !== undefined ? [] : (await applyRetention(app, id, { most: MOST_AT_START })).notices),
  ];
  if (!ephemeral) later?.((stop) => retainStepwise(app, id, { stop, later }));
  return conversationIn(place, session, { choice, ephemeral, encrypted, notices });
}

/** Sessions that a start moves to the trash before it continues: an old home may have thousands too many. */
const MOST_AT_START = 20;

/** The rest of the work follows as work of its own, so that a caller who waits for this one waits for a few. */
async function retainStepwise(
  app: App,
  id: string,
  { stop, later }: { readonly stop: AbortSignal; readonly later: NonNullable<OpenOptions['later']> },
): Promise<readonly string[]> {
  const { notices, isMore } = await applyRetention(app, id, { most: MOST_AT_START, stop });
  if (isMore) later(async (stopRest) => (await applyRetention(app, id, { stop: stopRest })).notices);
  return notices;
}

/** Undefined: the project names it, and the user does not trust its content. */
async function trustedPrompt(
  app: App,
  { promptFile, isNamed }: { readonly promptFile: string; readonly isNamed: boolean },
): Promise<Prompt | undefined> {
  const prompt = await readPrompt(app, promptFile);
  if (isNamed) return prompt;
  const { isTrustedPrompt } = await import('../../project/project-texts.ts');
  return isTrustedPrompt(app, prompt.record) ? prompt : undefined;
}

function promptNotUsed(file: string): string {
  return `${file}, which this project names as the system prompt, is not used: it is not trusted. "ollm" in a terminal asks whether to use it; --prompt-file uses it once.`;
}

async function resume(
  app: App,
  id: string,
  request: AnswererWish & { readonly promptFile?: string | undefined },
  { onWait }: OpenOptions,
): Promise<Conversation> {
  if (await isImport(app.store, id)) throw refuseTurnsIn(id);
  const upgraded = (await isBareSession(app, id)) ? [await upgradeBareSession(app, id)] : [];
  const session = await openStored(app.store, id, sessionOptions(app));
  try {
    const place = app.mode === 'ephemeral' ? [] : placeNotices(app);
    const { choice: chosen, notices } = await chooseAgain(app, session, request, { onWait });
    const thinking = (await thinkingAsWished(chosen, request)) ?? (await thinkingAgain(session, chosen));
    const choice = { ...chosen, thinking };
    await recordChoice(session, choice);
    const changed = request.promptFile === undefined ? [] : await promptNotices(app, app.store, id, request.promptFile);
    const encrypted = await isEncrypted(app.store, id);
    const inTheOpen = app.config.retention.encryptAtRest && !encrypted ? [IN_THE_OPEN_NOTICE] : [];
    return conversationIn(app.store, session, {
      choice,
      ephemeral: app.mode === 'ephemeral',
      encrypted,
      notices: [...upgraded, ...place, ...inTheOpen, ...session.report.notices, ...changed, ...notices],
    });
  } catch (error) {
    await closed(app, session, session.close('exit'));
    throw error;
  }
}

/** The first failure is the one that is reported. */
async function closed({ log }: App, session: Session, closing: Promise<unknown>): Promise<void> {
  await closing.catch((error: unknown) => {
    log.error({ service: 'session', operation: 'close', sessionId: session.id, error }, 'Closing failed as well');
  });
}

const ENCRYPTED_NOTICE =
  'This session is encrypted. Without its passphrase or key file no one, including you, can read it again; what is typed is not saved to the history.';

const IN_THE_OPEN_NOTICE =
  'This session is not encrypted: retention.encryptAtRest counts for new ones. docs/encryption.md says how to encrypt it.';

/** How the reason for a provider ends, where nothing was chosen again. */
export const AS_LEFT = 'as this session was left.';

/** The provider that answered last continues, unless another one is named or that one is not known here. */
async function chooseAgain(
  app: App,
  session: Session,
  wish: ProviderWish,
  { onWait }: OpenOptions,
): Promise<{ readonly choice: ProviderChoice; readonly notices: readonly string[] }> {
  const { provider, model, contextWindow } = session.states.view;
  if (wish.provider !== undefined && wish.provider !== provider) {
    return { choice: await chooseProvider(app, wish, { onWait }), notices: [] };
  }
  try {
    // The model that a search was recorded as is not one that the user asked for.
    const isSearch = provider === OFFLINE;
    const lastModel = isSearch ? undefined : model;
    const choice = await chooseProvider(app, { provider, model: wish.model ?? lastModel });
    if (wish.provider !== undefined || wish.model !== undefined) return { choice, notices: [] };
    const why = `Provider: ${isSearch ? WHAT_OFFLINE_IS : provider}, ${AS_LEFT}`;
    const isStandIn = isSearch && app.config.provider === undefined;
    // A server that cannot be asked just now has not changed its window.
    return { choice: { ...choice, why, isStandIn, contextWindow: choice.contextWindow ?? contextWindow }, notices: [] };
  } catch (error) {
    if (!isOllmError(error, 'PROVIDER_UNKNOWN')) throw error;
    const choice = await chooseProvider(app, { model: wish.model }, { onWait });
    const why =
      provider === ''
        ? 'The provider of this session cannot be read any more'
        : `This session was led with the provider ${provider}, which is not known here`;
    const notice = `${why}; ${choice.provider.name} answers now.`;
    return { choice, notices: [notice] };
  }
}

/** As the session was left, if the model that answers now can be set so. */
/** @throws OllmError THINKING_MODE_NOT_SUPPORTED, with the modes that the model has */
async function thinkingAsWished(
  choice: ProviderChoice,
  { thinking }: AnswererWish,
): Promise<ProviderChoice['thinking']> {
  if (thinking !== undefined) await requireThinking(choice, thinking);
  return thinking;
}

async function thinkingAgain(session: Session, choice: ProviderChoice): Promise<ProviderChoice['thinking']> {
  const { provider, model, thinking } = session.states.view;
  const isSame = provider === choice.provider.name && model === choice.model;
  return isSame || thinking === undefined ? thinking : keptThinking(choice, thinking);
}

/** The conversation belongs to the file's place, so an edited prompt still has the old one in it. */
async function promptNotices(app: App, store: JournalStore, id: string, file: string): Promise<string[]> {
  const recorded = await recordedPrompt(store, id);
  if (recorded === undefined) return [];
  const { record } = await readPrompt(app, file);
  if (record.sha256 === recorded.sha256 || record.file !== recorded.file) return [];
  return [
    `${file} has changed since this session began. "ollm rebuild ${id}" starts it again with the prompt as it is now.`,
  ];
}

type RecordedPrompt = EventData<'session.created'>['prompt'];

export async function recordedPrompt(store: JournalStore, id: string): Promise<RecordedPrompt> {
  const { data } = await readJournal(store, id, firstEvent);
  return data.prompt as RecordedPrompt;
}
