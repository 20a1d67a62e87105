// The commands about the session as a whole: keep it, name it, copy it, write it to a file, go to another one.
import { extname, resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import type { AnsweringAgent, Conversation } from '../../app/conversation.ts';
import { findConversation, foreignAddress, resolveId } from '../../app/find/find-session.ts';
import { forkSession } from '../../app/sessions/change/fork-session.ts';
import { titleSession } from '../../app/sessions/change/title-session.ts';
import { leaveSession } from '../../app/sessions/open/leave-session.ts';
import { openSession } from '../../app/sessions/open/open-session.ts';
import { saveSession } from '../../app/sessions/open/save-session.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { shortId } from '../../display/short-id.ts';
import { OllmError } from '../../errors/index.ts';
import { idOfName } from '../../session/identify.ts';
import { pathCandidates } from '../input/path-candidates.ts';
import { introduce } from '../introduction.ts';
import { appOf, type CommandContext, keepingApp, type ReplCommand, wrongUsage } from './command.ts';

export const saveCommand: ReplCommand = {
  name: 'save',
  group: 'session',
  arguments: '',
  summary: 'refreshes the snapshot; makes an ephemeral session permanent',
  details: 'Nothing is lost without it: each event is in the journal as soon as it happens',
  example: '/save',
  legal: 'writable',
  async run(context) {
    const wasEphemeral = context.conversation.ephemeral;
    const { session, store, encrypted } = await context.leader.change(saveSession);
    const { id } = session;
    if (wasEphemeral) context.front.print(`The session is kept from now on, as ${shortId(id)} in ${store.location}.`);
    else if (encrypted) context.front.print(`All of ${shortId(id)} is stored. An encrypted session has no snapshot.`);
    else context.front.print(`The snapshot of ${shortId(id)} is up to date, in ${store.location}.`);
  },
};

export const newCommand: ReplCommand = {
  name: 'new',
  group: 'session',
  arguments: '[NAME]',
  summary: 'begins another conversation, with the same model and mode; this one is kept',
  details: 'The model sees nothing of this conversation there. /load goes back to it',
  example: '/new release-notes',
  legal: 'always',
  async run(context, argument) {
    const { choice, ephemeral, state, agent } = context.conversation;
    if (agent !== undefined) {
      const name = argument.trim();
      await moveTo(context, await openRun(context, agent), { isNew: true });
      if (name !== '') await titleSession(context.app, context.conversation, name);
      return;
    }
    const request = {
      kind: 'new',
      name: argument.trim() || undefined,
      provider: choice.provider.name,
      model: choice.model,
      toolMode: state.mode,
      ephemeral,
    } as const;
    await moveTo(context, await openSession(context.app, request, { stop: () => context.signal }), { isNew: true });
  },
};

/** Begins or continues a session of the agent that answers now. */
async function openRun(
  { app, signal }: CommandContext,
  { name, permissions, movedTo }: AnsweringAgent,
  resume?: string,
) {
  const { openRunConversation } = await import('../../lead/runs/run-conversation.ts');
  const force = movedTo !== undefined && resume === movedTo;
  return openRunConversation(app, { agent: name, permissions, resume, force, signal });
}

/** Goes on where the agent went on by itself, as after a command that clears its conversation. */
export async function followAgent(context: CommandContext): Promise<void> {
  const { agent } = context.conversation;
  if (agent?.movedTo === undefined) return;
  context.front.notice(`${agent.title} goes on in another session: ${agent.movedTo}`);
  await moveTo(context, await openRun(context, agent, agent.movedTo), { isNew: true });
}

/** Leaves the conversation for the next one, and introduces that. */
async function moveTo(context: CommandContext, next: Conversation, options: { isNew?: boolean } = {}): Promise<void> {
  const { conversation, front } = context;
  const { id } = conversation.session;
  const name = conversation.agent?.address ?? shortId(id);
  let isKept = true;
  await context.leader.change(async () => {
    isKept = await leaveSession(context.app, conversation, { reason: 'exit' });
    return next;
  });
  if (conversation.ephemeral) front.notice('The session before this one was kept in memory only, and is gone.');
  else if (!isKept) front.notice(`Nothing was said: session ${shortId(id)} was not kept.`);
  else if (options.isNew) front.notice(`Session ${name} is kept: /load ${name} goes back to it.`);
  await introduce(front, next, options);
}

export const loadCommand: ReplCommand = {
  name: 'load',
  aliases: ['resume', 'sessions'],
  group: 'session',
  arguments: '[ID]',
  summary: 'continues another session: chosen from a list, or by id, prefix, name or @last',
  details:
    'claude:5f3c continues a session of another program in a copy of your own; claude:5f3c#KEY shows that message and what follows',
  example: '/load @last',
  legal: 'always',
  async complete(context, argument) {
    const { completeReference } = await import('../../app/find/complete-address.ts');
    return ['@last', ...(await completeReference(keepingApp(context), argument.trim()))];
  },
  async run(context, argument) {
    const app = keepingApp(context);
    const { session, ephemeral } = context.conversation;
    const reference = argument.trim() || (await chosen(context, app));
    if (reference === undefined) return;
    const { agent } = context.conversation;
    const address = foreignAddress(reference);
    if (agent !== undefined && address?.agent === agent.name && !reference.includes('#')) {
      return moveTo(context, await openRun(context, agent, reference));
    }
    const id = await idToLoad(context, app, reference);
    if (id === undefined) return;
    if (id === session.id && !ephemeral) {
      context.front.print('That is this session.');
      return;
    }
    const next = await openSession(app, { kind: 'resume', reference: id }, { stop: () => context.signal });
    await moveTo(context, next);
  },
};

/** Undefined: the user chose none. */
async function chosen({ front, conversation }: CommandContext, app: App): Promise<string | undefined> {
  if (front.pick === undefined) throw wrongUsage(loadCommand, 'Which session?');
  const { sessionsToPick } = await import('../pick-session.ts');
  return (await front.pick(await sessionsToPick(app, { current: conversation.session.id })))?.reference;
}

/** Undefined for a message of another program's session: it was shown. */
async function idToLoad(context: CommandContext, app: App, reference: string): Promise<string | undefined> {
  const { session } = context.conversation;
  if (foreignAddress(reference) === undefined) return resolveId(app, reference, { current: session.id });
  const found = await findConversation(app, reference);
  if (found.kind === 'foreign' && found.key !== undefined) {
    const { viewConversation } = await import('./view-conversation.ts');
    await viewConversation(context, found);
    return undefined;
  }
  const { ownSession } = await import('../../app/sessions/open/own-session.ts');
  return (await ownSession(app, found.id)).id;
}

export const forkCommand: ReplCommand = {
  name: 'fork',
  group: 'session',
  arguments: '[NAME]',
  summary: 'continues in a copy of this session; the original stays as it is',
  example: '/fork other-idea',
  legal: 'writable',
  async run(context, argument) {
    const name = argument.trim() || undefined;
    if (name?.startsWith('--')) throw wrongUsage(forkCommand, 'It takes no options; "ollm fork" has them.');
    if (context.conversation.ephemeral) {
      throw new OllmError('USAGE', 'An ephemeral session cannot be forked.', { hint: 'Keep it first, with /save.' });
    }
    const parent = context.conversation.session;
    const { id } = await forkSession(appOf(context), parent.id, { name });
    const next = await openSession(appOf(context), { kind: 'resume', reference: id });
    await context.leader.change(async () => {
      await parent.close('exit');
      return next;
    });
    context.front.print(`Forked from ${shortId(parent.id)}; /load ${shortId(parent.id)} goes back.`);
    await introduce(context.front, next, { isNew: true });
  },
};

export const titleCommand: ReplCommand = {
  name: 'title',
  group: 'session',
  arguments: '[TEXT]',
  summary: 'shows or sets the title of the session',
  example: '/title Plans for the garden',
  legal: 'always',
  async run({ app, front, conversation }, argument) {
    const title = argument.trim();
    if (title !== '') await titleSession(app, conversation, title);
    front.print(sanitizeLine(conversation.session.states.summary.title ?? 'No title yet.'));
  },
};

/** Characters of a title in the name of a file. */
const TITLE_CHARACTERS = 60;

export const exportCommand: ReplCommand = {
  name: 'export',
  group: 'session',
  arguments: '[FILE]',
  summary: 'writes the session to a file: .md, .html, .json, .jsonl, .otel.jsonl, .atif.json or .asf.jsonl',
  details:
    'Without a file it writes Markdown into the current directory, named after the title of the session. Asks before it replaces a file',
  example: '/export talk.html',
  legal: 'always',
  complete: ({ app }, argument) => pathCandidates(app.fileSystem, app.cwd, argument),
  async run(context, argument) {
    const app = appOf(context);
    const { id, states } = context.conversation.session;
    const { title } = states.summary;
    const named = unquoted(argument.trim());
    const file = named || `${fileNameOf(title, id)}.md`;
    // Such a word is meant as an option, not as a file; a file of that name can be written as ./--name.
    if (file.startsWith('--'))
      throw wrongUsage(exportCommand, 'It takes no options; the end of the name says the format.');
    const { formatOfName, exportSession, IN_THE_CLEAR } = await import('../../app/sessions/read/export-session.ts');
    const extension = extname(file);
    const format = extension === '' ? 'md' : formatOfName(file);
    if (format === undefined) throw wrongUsage(exportCommand, `There is no export to ${extension.toLowerCase()}.`);
    await requireLeave(context, resolve(app.cwd, file));
    const result = await exportSession(app, id, { format, transient: true });
    const { writeExportFile } = await import('../../app/sessions/read/export-file.ts');
    const path = await writeExportFile(app, result, file);
    const skipped = result.damaged > 0 ? ` ${result.damaged} damaged places could not be read; each is marked.` : '';
    context.front.print(`Written: ${path}.${skipped}${result.inTheClear ? ` ${IN_THE_CLEAR}` : ''}`);
    const losses = result.losses();
    if (losses.length > 0) context.front.notice(`${format} has no place for ${losses.join(', ')}.`);
    if (named === '') context.front.notice('A search of this project finds it there. /export FILE writes elsewhere.');
  },
};

/** A file name of the title, or else of the id. */
function fileNameOf(title: string | undefined, id: string): string {
  const words = title
    ?.slice(0, TITLE_CHARACTERS)
    .replace(/^[\s@-]+/, '')
    .trim();
  return words ? idOfName(words).id : shortId(id);
}

/** As a shell takes it: quotes around the whole name are not part of it. */
function unquoted(text: string): string {
  const [, , inside = text] = /^(["'])(.+)\1$/.exec(text) ?? [];
  return inside;
}

/** A file that is there is replaced only if the user says so. */
async function requireLeave({ app, front }: CommandContext, path: string): Promise<void> {
  if (app.fileSystem.stat(path)?.kind !== 'file' || (await front.confirm(`${path} is there. Replace it?`))) return;
  throw new OllmError('USAGE', `${path} exists and was not replaced.`, { hint: 'Name another file.' });
}
