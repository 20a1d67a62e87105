// `ollm reset ID` and `ollm rebuild ID`: the session starts over under its id; its old journal goes to archive/.
import { checkArguments } from '../../../errors/arguments.ts';
import { OllmError } from '../../../errors/index.ts';
import { resetSession as reset } from '../../../session/reset.ts';
import { VERSION } from '../../../version.ts';
import type { App } from '../../app.ts';
import { resolveId } from '../../find/find-session.ts';
import { isTrustedPrompt } from '../../project/project-texts.ts';
import { recordedPrompt } from './open-session.ts';
import { readPrompt } from './read-prompt.ts';

/** What of a session stays when it is reset. */
export interface ResetSessionRequest {
  /** The conversation comes along; only the prompt changes. */
  readonly keepHistory?: boolean | undefined;
  /** Default: the prompt as it is recorded. */
  readonly promptFile?: string | undefined;
}

/**
 * Starts a session over under its id. The old journal goes to archive/ whole; returns its name there.
 *
 * @example
 * const { archive } = await resetSession(app, 'notes', { keepHistory: true });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_LOCKED
 */
export async function resetSession(
  app: App,
  reference: string,
  request: ResetSessionRequest = {},
): Promise<{ id: string; archive: string }> {
  const wanted = { 'promptFile?': 'text' } as const;
  checkArguments('resetSession', { app: 'App', reference: 'anything', request: wanted }, [app, reference, request]);
  const { keepHistory, promptFile } = request;
  return startOver(app, await resolveId(app, reference), { reason: 'reset', keepHistory, promptFile });
}

/**
 * Starts fresh from the prompt file as it is now.
 *
 * @example
 * const { id } = await rebuildSession(app, '@last');
 * @throws OllmError USAGE if the session has no prompt file; POLICY_DENIED if it is a text of the project that the user
 * does not trust as it is now; else as `resetSession`
 */
export async function rebuildSession(app: App, reference: string): Promise<{ id: string; archive: string }> {
  checkArguments('rebuildSession', { app: 'App' }, [app]);
  const id = await resolveId(app, reference);
  const recorded = await recordedPrompt(app.store, id);
  if (recorded === undefined) {
    throw new OllmError(
      'USAGE',
      `Session ${id} did not begin with a prompt file, so there is nothing to rebuild it from.`,
      {
        hint: `"ollm reset ${id}" starts it over; add --prompt-file to give it a prompt.`,
        data: { id },
      },
    );
  }
  const { record } = await readPrompt(app, recorded.file);
  if (!isTrustedPrompt(app, record)) {
    throw new OllmError(
      'POLICY_DENIED',
      `${recorded.file} is a text of this project, and you do not trust it as it is now.`,
      {
        hint: `"ollm" in a terminal asks whether to use it; "ollm reset ${id} --prompt-file FILE" uses one that you name.`,
        data: { id },
      },
    );
  }
  return startOver(app, id, { reason: 'rebuild', promptFile: recorded.file });
}

async function startOver(
  app: App,
  id: string,
  { promptFile, ...request }: ResetSessionRequest & { readonly reason: 'reset' | 'rebuild' },
): Promise<{ id: string; archive: string }> {
  const { store } = app;
  const prompt = promptFile === undefined ? undefined : await readPrompt(app, promptFile);
  return { id, ...(await reset(store, id, { ...request, prompt, created: { ollm: VERSION } })) };
}
