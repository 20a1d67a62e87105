// Turns of ollm's own sessions: begin, queue, stop, take back, make room, fork, name.
import { isAbsolute, join, resolve } from 'node:path';
import type { FromSchema } from '../api/from-schema.ts';
import type { prompt as PROMPT, TURN_ROUTES } from '../api/turns.ts';
import { exactSession } from '../app/find/exact-session.ts';
import type { FoundConversation } from '../app/find/found.ts';
import { titleForeign } from '../app/list/foreign-notes.ts';
import { titleStored } from '../app/sessions/change/title-session.ts';
import { OllmError } from '../errors/index.ts';
import { countGuestTurn, type GuestLink } from '../host/guest-links.ts';
import type { Accepted, Actor, PromptRequest, QueuedPrompt } from '../host/port/prompts.ts';
import { relativeInside } from '../platform/files/inside.ts';
import { namesIn, realPathOf } from '../platform/files/io.ts';
import type { ThinkingMode } from '../providers/thinking.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { ApiFailure } from './failure.ts';

/** `titleSession` takes no more. */
const TITLE_CHARACTERS = 200;
const GUEST_CHARACTERS = 32_000;

export const turnHandlers: Handlers<NamesOf<typeof TURN_ROUTES>> = {
  async startSession({ body, context, by }) {
    const { workspacePath: workspace, name } = body;
    const prompt = await promptOf(context, body, by, async () => workspace ?? context.app.cwd);
    return context.host.sessions.start({ ...prompt, workspace, name });
  },

  async takeTurn({ parameters, body, context, by, guest }) {
    if (guest !== undefined) return takeGuestTurn(context, { id: parameters.id, link: guest.link, body, by });
    const found = await exactSession(context.app, parameters.id);
    const { insteadOf } = body;
    const said = insteadOf === undefined ? body : await saidInstead(found, { ...body, insteadOf });
    const prompt = await promptOf(context, said, by, () => directoryOf(found));
    return context.host.sessions.prompt(found.id, prompt, { insteadOf });
  },

  async stopTurn({ parameters, context }) {
    const { host } = context;
    if (host.runs.journalOf(parameters.id) !== undefined) {
      return { sessionId: parameters.id, ...(await host.runs.stop(parameters.id)) };
    }
    const sessionId = await ownId(context, parameters.id);
    return { sessionId, ...(await host.sessions.stop(sessionId)) };
  },

  async undoTurn({ parameters, context }) {
    const taken = await context.host.sessions.undo(await ownId(context, parameters.id));
    return taken === undefined ? { undone: false } : { undone: true, text: taken.text };
  },

  async revertFiles({ parameters, body, context }) {
    return { files: await context.host.sessions.revert(await ownId(context, parameters.id), body.files) };
  },

  async returnToBranch({ parameters, body, context }) {
    return { head: await context.host.sessions.returnToBranch(await ownId(context, parameters.id), body.seq) };
  },

  async importSession({ parameters, context: { app } }) {
    const { importFirst } = await import('../app/import/import-first.ts');
    const { id } = await exactSession(app, parameters.id);
    // The import of the session, if it exists already.
    return { sessionId: (await importFirst(app, id)) ?? id };
  },

  async continueIn({ parameters, body, context, signal }) {
    const { id } = await exactSession(context.app, parameters.id);
    return context.work.run('continueIn', { reference: id, ...body }, { signal });
  },

  async compactSession({ parameters, context, signal }) {
    return context.host.sessions.compact(await ownId(context, parameters.id), { signal });
  },

  async forkSession({ parameters, body, context }) {
    const { id } = await exactSession(context.app, parameters.id);
    return context.host.sessions.fork(id, body);
  },

  async renameSession({ parameters, body, context }) {
    const summary = body.summary?.replace(/[\s\p{Cc}]+/gu, ' ').trim() ?? '';
    if (summary === '') throw new ApiFailure('SUMMARY_REQUIRED', 'A session needs a name.');
    if (summary.length > TITLE_CHARACTERS) {
      throw new ApiFailure('SUMMARY_TOO_LONG', `A name has at most ${TITLE_CHARACTERS} characters.`);
    }
    const found = await exactSession(context.app, parameters.id);
    const { runs } = context.host;
    // The journal of a run is held by the run.
    const journal = runs.journalOf(parameters.id) ?? found.id;
    if (await runs.rename(journal, summary)) {
      if (found.kind === 'foreign') await titleForeign(context.app, found.id, summary);
      return { sessionId: found.id, summary };
    }
    if (found.kind === 'foreign') {
      const { id, title } = await titleStored(context.app, found.id, summary);
      return { sessionId: id, summary: title };
    }
    await context.host.sessions.rename(found.id, summary);
    return { sessionId: found.id, summary };
  },

  async getActivity({ parameters, context: { app, host } }) {
    const id = host.runs.journalOf(parameters.id) ?? (await exactSession(app, parameters.id)).id;
    const { pid, command, since } = (await host.sessions.holder(id)) ?? {};
    const isHeld = pid !== undefined || command !== undefined;
    // Both at one moment: a prompt leaves the queue when its turn is the next thing that happens.
    const queued = host.sessions.queue(id);
    const activity = host.runs.activity(id) ?? host.sessions.activity(id);
    return {
      activity,
      queue: (await queued).map(queuedOf),
      ...(isHeld && { holder: { pid, command, since } }),
    };
  },

  async editPrompt({ parameters, body, context }) {
    const id = await ownId(context, parameters.id);
    return queuedOf(await context.host.sessions.editQueued(id, parameters.promptId, { text: body.text }));
  },

  async removePrompt({ parameters, context }) {
    const { runs } = context.host;
    if (runs.journalOf(parameters.id) !== undefined)
      return queuedOf(await runs.removeQueued(parameters.id, parameters.promptId));
    const id = await ownId(context, parameters.id);
    return queuedOf(await context.host.sessions.removeQueued(id, parameters.promptId));
  },

  async handOver({ parameters, body, context, signal, hasToken }) {
    if (!hasToken) throw new ApiFailure('TOKEN_REQUIRED', 'Only a program of the same user may take a session over.');
    return context.host.sessions.handOver(await ownId(context, parameters.id), { wait: body.wait, signal });
  },
};

interface GuestTurn {
  readonly id: string;
  readonly link: GuestLink;
  readonly body: Prompted;
  readonly by: Actor;
}

/** A guest says a text, and no more: no file, no model, no permission. Every call that follows is asked about. */
async function takeGuestTurn(context: ServerContext, { id, link, body, by }: GuestTurn): Promise<Accepted> {
  const { prompt = '', ...more } = body;
  if (prompt.trim() === '') throw new ApiFailure('PROMPT_REQUIRED', 'A turn needs a prompt.');
  if (Object.values(more).some((value) => value !== undefined) || prompt.length > GUEST_CHARACTERS) {
    throw new ApiFailure('GUEST_NOT_ALLOWED', `A guest sends a text of at most ${GUEST_CHARACTERS} characters.`);
  }
  const sessionId = await ownId(context, id);
  await requireUnderCost(context, sessionId, link);
  await countGuestTurn(context.app, link);
  const author = `guest ${link.name}`;
  return context.host.sessions.prompt(sessionId, { text: prompt, permissions: 'guest', by: { ...by, author } });
}

/** Asked before each turn: the cost of one is known when it has ended. Requests without a known price count nothing. */
async function requireUnderCost({ work, app }: ServerContext, reference: string, link: GuestLink): Promise<void> {
  const { mostCost, createdAt } = link;
  if (mostCost === undefined) return;
  const { requests } = await work.run('requests', { reference, prices: app.config.prices });
  const since = requests.filter(({ at = '' }) => Date.parse(at) >= Date.parse(createdAt));
  if (since.reduce((sum, { cost = 0 }) => sum + cost, 0) < mostCost) return;
  throw new OllmError('QUEUE_FULL', `The session has cost the $${mostCost} of this link.`, {
    hint: 'The owner makes another one with "ollm share ID --take-part".',
  });
}

/** A replacement without a text repeats the prompt of the replaced turn, with its images and files. */
async function saidInstead(
  found: FoundConversation,
  { insteadOf, ...body }: Prompted & { readonly insteadOf: number },
): Promise<Prompted> {
  if (found.kind === 'foreign') throw notOurs(found.id, found.agentTitle);
  const { prompt = '', assets, imagePaths } = body;
  if (prompt.trim() !== '') return body;
  const { requireTurn } = await import('../app/sessions/change/continue-before.ts');
  const { input, parts = [], isTyped } = await found.read((reader) => requireTurn(reader, insteadOf));
  if (isTyped) throw new ApiFailure('PROMPT_REQUIRED', `That turn asked no model: it ran ${input}`);
  const images = parts.flatMap((part) => (part.type === 'image' ? [part.blob] : []));
  const files = parts.flatMap((part) => (part.type === 'file' ? [part.name] : []));
  return { ...body, prompt: input, assets: assets ?? images, imagePaths: imagePaths ?? files };
}

/** The id of a session of ollm. @throws ApiFailure NOT_OURS; OllmError SESSION_NOT_FOUND */
export async function ownId({ app, host }: ServerContext, id: string): Promise<string> {
  const led = host.runs.journalOf(id);
  if (led !== undefined) return led;
  const found = await exactSession(app, id);
  if (found.kind === 'own') return found.id;
  throw notOurs(found.id, found.agentTitle);
}

function notOurs(id: string, agentTitle: string): ApiFailure {
  return new ApiFailure('NOT_OURS', `${id} belongs to ${agentTitle}: fork it, or take a turn, to go on here.`);
}

type Prompted = { readonly [Name in keyof typeof PROMPT]?: FromSchema<(typeof PROMPT)[Name]> | undefined };

const PERMISSIONS: readonly NonNullable<PromptRequest['permissions']>[] = ['ask', 'deny', 'allow'];

/**
 * `workspace`: from which the paths of files count; without one each must be absolute.
 * @throws ApiFailure PROMPT_REQUIRED, INVALID_RUNTIME_PERMISSION_MODE, ASSET_NOT_FOUND, INVALID_IMAGE_PATHS
 */
export async function promptOf(
  context: ServerContext,
  body: Prompted,
  by: Actor,
  workspace: () => Promise<string | undefined>,
): Promise<PromptRequest> {
  const { prompt = '', model, answerer, thinkingMode, toolMode, assets = [], imagePaths = [] } = body;
  const directory = imagePaths.length === 0 ? undefined : await workspace();
  const images = imagePaths.map((path) => imagePath(context, path, directory));
  if (prompt.trim() === '') throw new ApiFailure('PROMPT_REQUIRED', 'A turn needs a prompt.');
  const mode = body.allowYolo === true ? 'allow' : body.runtimePermissionMode;
  const permissions = PERMISSIONS.find((each) => each === mode);
  if (mode !== undefined && permissions === undefined) {
    throw new ApiFailure('INVALID_RUNTIME_PERMISSION_MODE', `The mode is one of ${PERMISSIONS.join(', ')}.`);
  }
  return {
    text: prompt,
    provider: answerer,
    model,
    // The host says which of them the model knows.
    thinking: thinkingMode as ThinkingMode | undefined,
    toolMode,
    attachments: [...assets.map((hash) => assetPath(context, hash)), ...images],
    permissions,
    by,
  };
}

/** The directory in which a session was begun, as its first event says. */
export function directoryOf({ read }: FoundConversation): Promise<string | undefined> {
  return read(async (reader) => {
    const { cwd } = (await reader.first())?.data ?? {};
    return typeof cwd === 'string' ? cwd : undefined;
  });
}

/** The same answer for a missing path, a directory, or a path elsewhere: it reveals nothing about the disk. */
function imagePath(
  { app: { fileSystem, paths } }: ServerContext,
  given: string,
  workspace: string | undefined,
): string {
  const path = workspace === undefined ? given : resolve(workspace, given);
  const real = isAbsolute(path) ? realPathOf(fileSystem, path) : undefined;
  const roots = [workspace, join(paths.home, 'assets')].flatMap((root) => {
    const found = root === undefined ? undefined : realPathOf(fileSystem, root);
    return found === undefined ? [] : [found];
  });
  const isOne = real !== undefined && fileSystem.stat(real)?.kind === 'file';
  if (isOne && roots.some((root) => relativeInside(root, real) !== undefined)) return path;
  throw new ApiFailure(
    'INVALID_IMAGE_PATHS',
    'An attachment is neither in the workspace nor among the uploaded assets.',
    {
      path: given,
    },
  );
}

function assetPath({ app }: ServerContext, hash: string): string {
  const directory = join(app.paths.home, 'assets');
  const name = namesIn(app.fileSystem, directory).find((each) => each.split('.')[0] === hash);
  if (name !== undefined) return join(directory, name);
  throw new ApiFailure('ASSET_NOT_FOUND', 'A file that is to go along was not sent before.', { hash });
}

function queuedOf({
  promptId,
  text,
  queuedAt,
  attachments,
  provider,
  model,
  thinking,
  permissions,
  awaits,
}: QueuedPrompt) {
  return { promptId, text, queuedAt, attachments, provider, model, thinking, permissions, awaits };
}
