// The sessions of a program that asks models itself, in a directory or in any store: one is found or made by its name,
// its id or its prompt file, so that the same command comes back to the same conversation.
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { redactValue } from '../environment/redact-value.ts';
import { type ArgumentTable, checkArguments } from '../errors/arguments.ts';
import { isOllmError, messageOf, OllmError, unless } from '../errors/index.ts';
import { isSessionId } from '../journal/format.ts';
import type { DurabilityPolicy, JournalStore } from '../journal/types.ts';
import { nodeFileSystem } from '../platform/files/node-file-system.ts';
import { systemIds } from '../platform/ids.ts';
import { defined } from '../platform/json.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { Spent } from '../projections/spending.ts';
import { nameOf } from '../projections/summary.ts';
import type { UserPrices } from '../providers/prices.ts';
import { type CreatedData, createSession, type SystemPrompt } from '../session/create.ts';
import { idOfName, idOfPromptFile, sha256Of } from '../session/identify.ts';
import { isImport, refuseTurnsIn } from '../session/is-import.ts';
import { openSession } from '../session/open.ts';
import { promptFileBytes, promptFilePath } from '../session/prompt-file.ts';
import type { Session } from '../session/session.ts';
import { spentIn } from '../session/spent.ts';
import { summarize } from '../session/summarize.ts';
import { redactingStore } from '../stores/redacting-store.ts';
import { estimatingCounter } from '../tokens/estimate.ts';
import { VERSION } from '../version.ts';
import { type AgentSession, agentSession } from './agent-session.ts';
import { openFileStore } from './open-stores.ts';
import { redactedLog } from './redacted-log.ts';

/** What holds for all sessions of a store. */
export interface SessionStoreOptions {
  /** Default: `barrier`, which is in the file at each append, and on the device where that is asked for. */
  readonly durability?: DurabilityPolicy | undefined;
  /** Default: known shapes of secrets are taken out before anything is stored. `false`: nothing is taken out. */
  readonly redactor?: Redactor | false | undefined;
  /** Prices of models, by patterns of their names, in addition to the known ones. */
  readonly prices?: UserPrices | undefined;
  readonly log?: Log | undefined;
}

/** Which session, and its beginning where it is made. */
export interface SessionChoice {
  /** The id follows from the name, which is the title: the same name is the same session. */
  readonly name?: string | undefined;
  /** [a-z0-9][a-z0-9-]{0,63} */
  readonly id?: string | undefined;
  /** Without name and id, the session belongs to this file. Its text is the system prompt. */
  readonly promptFile?: string | undefined;
  /** Makes another one: with a random id, or with the one that is given, which must be free. Default: no. */
  readonly new?: boolean | undefined;
  /** The system prompt. Default: the text of the prompt file. */
  readonly system?: string | undefined;
  /** Who answers from now on. Default: unknown in a new session, and as it was in another. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Tokens that the model takes in. Default: unknown, and everything is sent. */
  readonly contextWindow?: number | undefined;
}

/** A session, as a list shows it. */
export interface ListedSession {
  readonly id: string;
  /** As it was named, else how it began; undefined where nothing was said. */
  readonly title: string | undefined;
  /** RFC 3339, as is `lastActivity`. */
  readonly startTime: string;
  readonly lastActivity: string;
  /** Empty where it is not known, as is `model`. */
  readonly provider: string;
  readonly model: string;
  /** Messages of all roles, and those of the user. */
  readonly messageCount: number;
  readonly turnCount: number;
  /** Tokens of the messages and of the results of tools. */
  readonly tokenCount: number;
  /** Tokens and cost of the requests, as far as they were reported. */
  readonly spent: Readonly<Spent>;
  /** Places of the journal that could not be read. */
  readonly damaged: number;
}

/** The sessions of one place. */
export interface SessionStore {
  /** The store below, for readers, copies and deletions. */
  readonly store: JournalStore;
  /**
   * Continues the session of this name, id or prompt file; makes it if there is none.
   *
   * @throws OllmError JOURNAL_LOCKED (another process has it open), SESSION_EXISTS (`new`), SESSION_ID_INVALID,
   *   IO_FAILED (the prompt file), JOURNAL_EDITED and others: see docs/errors.md
   */
  openOrCreate(choice: SessionChoice): Promise<AgentSession>;
  /** Newest activity first. One that cannot be read is left out, with a warning in the log. */
  list(): Promise<ListedSession[]>;
}

/**
 * The sessions of a directory, which is made at the first write, or of any store.
 *
 * @example
 * const sessions = openSessionStore('./sessions');
 * await using session = await sessions.openOrCreate({ name: 'Garden' });
 * @throws OllmError STORE_REFUSED: the path is empty, a link, not a directory, or not ours
 */
export function openSessionStore(place: string | JournalStore, options: SessionStoreOptions = {}): SessionStore {
  checkArguments('openSessionStore', { place: 'text | JournalStore', options: 'object' }, [place, options]);
  const { redactor = createRedactor(), prices = {}, durability } = options;
  const log = redactedLog(options.log ?? silentLog, redactor === false ? undefined : redactor);
  const below = typeof place === 'string' ? openFileStore(place, { log }) : place;
  const redact = (text: string) => (redactor === false ? text : redactor.redact(text).text);
  const store = redactor === false ? below : redactingStore(below, redact);
  const settings = { log, policy: durability };

  return {
    store,
    async openOrCreate(choice) {
      checkArguments('openOrCreate', { choice: CHOICE }, [choice]);
      const target = targetOf(choice);
      const { session, notices } = await (choice.new === true ? make(target) : openOrMake(target));
      const report = { ...session.report, notices: [...session.report.notices, ...notices] };
      return { ...agentSession(session, { store, prices, redact }), report };
    },
    async list() {
      const rows: ListedSession[] = [];
      for (const id of await store.ids()) rows.push(...(await rowOf(id)));
      return rows.sort((a, b) => (a.lastActivity < b.lastActivity ? 1 : a.lastActivity > b.lastActivity ? -1 : 0));
    },
  };

  /** Two processes may come at once: the later one opens the session of the earlier one. */
  async function openOrMake(target: Target): Promise<Opened> {
    const isMissing = (error: unknown) => isOllmError(error, 'SESSION_NOT_FOUND');
    const isThere = (error: unknown) => isOllmError(error, 'SESSION_EXISTS');
    const opened = (await unless(isMissing, () => open(target))) ?? (await unless(isThere, () => make(target)));
    return opened ?? open(target);
  }

  async function make({ id, title, choice, prompt }: Target): Promise<Opened> {
    const { provider = '', model = '', contextWindow } = choice;
    const created: CreatedData = {
      provider,
      model,
      ollm: VERSION,
      ...defined({ title, contextWindow }),
      ...(prompt === undefined ? {} : { prompt: prompt.record }),
    };
    const system = systemPrompt(choice.system ?? prompt?.text, redact);
    return { session: await createSession(store, { id, created, system }, settings), notices: [] };
  }

  async function open({ id, choice, prompt }: Target): Promise<Opened> {
    if (await isImport(store, id)) throw refuseTurnsIn(id);
    const session = await openSession(store, id, settings);
    try {
      await changeModel(session, choice);
      return { session, notices: await promptNotices(store, id, prompt) };
    } catch (error) {
      await session.close('exit').catch(() => {});
      throw error;
    }
  }

  /** Empty for a session that cannot be read. */
  async function rowOf(id: string): Promise<ListedSession[]> {
    try {
      const { events, damaged, summary } = await summarize(store, id, { renews: true });
      if (events === 0) throw new OllmError('JOURNAL_EMPTY', 'Nothing in its journal can be read.');
      const { startTime, lastActivity, provider, model, messageCount, turnCount, tokenCount } = summary;
      const counts = { messageCount, turnCount, tokenCount, spent: await spentIn(store, id), damaged };
      return [{ id, title: nameOf(summary), startTime, lastActivity, provider, model, ...counts }];
    } catch (error) {
      const fields = { service: 'session-store', operation: 'list', sessionId: id, action: '"ollm verify" says more.' };
      log.warn(fields, messageOf(error));
      return [];
    }
  }
}

const CHOICE: ArgumentTable = {
  ...{ 'name?': 'text', 'id?': 'text', 'promptFile?': 'text', 'system?': 'text' },
  ...{ 'provider?': 'text', 'model?': 'text', 'contextWindow?': 'number' },
};

interface Opened {
  readonly session: Session;
  readonly notices: readonly string[];
}

interface Target {
  readonly id: string;
  readonly title: string | undefined;
  readonly choice: SessionChoice;
  readonly prompt: ReadPrompt | undefined;
}

interface ReadPrompt {
  readonly text: string;
  readonly record: NonNullable<CreatedData['prompt']>;
}

function targetOf(choice: SessionChoice): Target {
  const { name, id, promptFile } = choice;
  const prompt = promptFile === undefined ? undefined : readPrompt(promptFile);
  if (id !== undefined && !isSessionId(id))
    throw new OllmError('SESSION_ID_INVALID', `${JSON.stringify(id).slice(0, 80)} cannot be the id of a session.`, {
      hint: 'An id has 1 to 64 of a-z, 0-9 and "-", and begins with a letter or a digit. A name may have any.',
    });
  const named = name === undefined ? undefined : idOfName(name);
  const chosen = id ?? named?.id;
  if (chosen !== undefined) return { id: chosen, title: named?.title, choice, prompt };
  if (choice.new === true) return { id: systemIds.uuid(), title: undefined, choice, prompt };
  if (prompt !== undefined) return { id: idOfPromptFile(prompt.record.file), title: undefined, choice, prompt };
  throw new OllmError('USAGE', 'Which session is meant is not said.', {
    hint: 'Give a name, an id or a promptFile, or new: true for another one.',
  });
}

function readPrompt(file: string): ReadPrompt {
  const path = promptFilePath(nodeFileSystem, '.', file);
  const bytes = promptFileBytes(nodeFileSystem, path, file);
  return { text: new TextDecoder().decode(bytes), record: { file: path, sha256: sha256Of(bytes) } };
}

function systemPrompt(given: string | undefined, redact: (text: string) => string): SystemPrompt | undefined {
  if (given === undefined || given === '') return undefined;
  const text = String(redactValue(given, redact));
  return { text, tokens: estimatingCounter.count(text) };
}

/** A model that is named continues from here on. */
async function changeModel(session: Session, choice: SessionChoice): Promise<void> {
  const { view } = session.states;
  const { provider = view.provider, model = view.model } = choice;
  const isSame = provider === view.provider && model === view.model;
  const contextWindow = choice.contextWindow ?? (isSame ? view.contextWindow : undefined);
  if (isSame && contextWindow === view.contextWindow) return;
  const window = contextWindow === undefined ? {} : { contextWindow };
  await session.append({ type: 'model.changed', data: { provider, model, ...window } });
}

/** The session belongs to the place of the file: one that was edited continues with the prompt as it was. */
async function promptNotices(store: JournalStore, id: string, prompt: ReadPrompt | undefined): Promise<string[]> {
  if (prompt === undefined) return [];
  using reader = store.openReader(id);
  const recorded = (await reader.first())?.data.prompt as CreatedData['prompt'];
  const { file, sha256 } = prompt.record;
  if (recorded === undefined || recorded.file !== file || recorded.sha256 === sha256) return [];
  return [`${file} has changed since this session began, and it continues with the prompt as it was.`];
}
