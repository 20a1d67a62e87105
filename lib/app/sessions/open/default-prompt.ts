// The system prompt of a session for which the user named none: the model's role, its place of work, and how to answer.
// Stored with the session like any other, so that a replay shows the sent text. It names the day and not the time: the
// beginning of requests stays the same, and is read from the provider's cache. A search needs none.
import type { SystemPrompt } from '../../../session/create.ts';
import { firstEvent } from '../../../session/fork.ts';
import type { Session } from '../../../session/session.ts';
import { estimatingCounter } from '../../../tokens/estimate.ts';
import type { App } from '../../app.ts';
import { addContext } from '../../context/add-context.ts';
import type { Conversation } from '../../conversation.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { OFFLINE } from '../../providers/choose-provider.ts';

const BEGINNING =
  'You are an assistant in a terminal, in the program ollm. You help its user with the project in the working directory.';

const INSTRUCTIONS = `${BEGINNING}

- Look before you say or change something: read the files, search the project, run what shows it. Do not guess what can be looked up.
- Change what was asked for and nothing else, in the style that is there. Prefer the tools for files to programs of a shell.
- A call may be asked about, denied, or run without network. A denial is an answer: do not try the same in another way; say what you would need.
- After a change, check it by what the project has for that, and say what you ran and what came out. Do not claim what you did not do.
- Answer in the language of the user, briefly, in Markdown. Name a place in a file as path:line.`;

/** Named by a context entry where a session continues elsewhere, or on another day. */
const ENVIRONMENT_KEY = 'environment';
/** The priority of a prompt that is an entry: above all others. */
const FIRST = 100;

export async function defaultPrompt(app: App): Promise<SystemPrompt> {
  const { text } = (await app.redactor())(`${INSTRUCTIONS}\n\n${environment(app)}`);
  // The tokenizer would take longer to load than everything else before the first prompt.
  return { text, tokens: estimatingCounter.count(text) };
}

/**
 * Says where a session continues, if that is not what its prompt says. One that began with the search has no prompt:
 * the whole of it is the entry.
 */
export async function updateEnvironment(app: App, conversation: Conversation): Promise<void> {
  const prompt = promptOf(conversation.session);
  const content = environment(app);
  const known = conversation.session.states.context.entries.find(({ key }) => key === ENVIRONMENT_KEY);
  // An entry of the user's own has this name.
  if (known !== undefined && known.source !== 'system') return;
  const entry = { key: ENVIRONMENT_KEY, source: 'system', trusted: true } as const;
  if (prompt === '' && app.config.defaultPrompt && (known !== undefined || (await beganOffline(conversation)))) {
    await addContext(app, conversation, { ...entry, content: `${INSTRUCTIONS}\n\n${content}`, priority: FIRST });
  } else if (prompt.startsWith(BEGINNING) && !(known?.content ?? prompt).endsWith(content)) {
    await addContext(app, conversation, { ...entry, content });
  }
}

async function beganOffline({ store, session }: Conversation): Promise<boolean> {
  const { data } = await readJournal(store, session.id, firstEvent);
  return data.provider === OFFLINE;
}

function promptOf({ states }: Session): string {
  const [first] = states.view.timeline.entries;
  if (first?.kind !== 'message' || first.pinned === undefined) return '';
  return first.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function environment({ cwd, clock }: Pick<App, 'cwd' | 'clock'>): string {
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  return `Working directory: ${cwd}\nPlatform: ${process.platform}\nDate: ${day}`;
}
