// `ollm reset ID` and `ollm rebuild ID`: the session starts anew under its id; its old journal goes to archive/.
import { OllmError } from '../../errors/index.ts';
import { resetSession as reset } from '../../session/reset.ts';
import { summarize } from '../../session/summarize.ts';
import { VERSION } from '../../version.ts';
import type { App } from '../app.ts';
import { resolveId } from './find-session.ts';
import { recordedPrompt } from './open-session.ts';
import { readPrompt } from './read-prompt.ts';

/** What of a session stays when it is reset. */
export interface ResetRequest {
  /** The conversation comes along; only the prompt changes. */
  readonly keepHistory?: boolean | undefined;
  /** Default: the prompt as it is recorded. */
  readonly promptFile?: string | undefined;
}

/**
 * Starts a session anew under its id. The journal so far goes to archive/ whole; its name there comes back.
 *
 * @example
 * const { archive } = await resetSession(app, 'notes', { keepHistory: true });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_LOCKED
 */
export async function resetSession(
  app: App,
  reference: string,
  { keepHistory, promptFile }: ResetRequest = {},
): Promise<{ id: string; archive: string }> {
  const id = await resolveId(app, reference);
  const prompt = promptFile === undefined ? undefined : await readPrompt(app, promptFile, await answererOf(app, id));
  const request = { reason: 'reset', keepHistory, prompt, created: { ollm: VERSION } } as const;
  return { id, ...(await reset(app.store, id, request)) };
}

/**
 * Starts fresh from the prompt file as it is now.
 *
 * @example
 * const { id } = await rebuildSession(app, '@last');
 * @throws OllmError USAGE if the session has no prompt file; else as `resetSession`
 */
export async function rebuildSession(app: App, reference: string): Promise<{ id: string; archive: string }> {
  const id = await resolveId(app, reference);
  const recorded = await recordedPrompt(app.store, id);
  if (recorded === undefined) {
    throw new OllmError(
      'USAGE',
      `Session ${id} did not begin with a prompt file, so there is nothing to rebuild it from.`,
      {
        hint: `"ollm reset ${id}" starts it anew; add --prompt-file to give it a prompt.`,
        data: { id },
      },
    );
  }
  const prompt = await readPrompt(app, recorded.file, await answererOf(app, id));
  const request = { reason: 'rebuild', prompt, created: { ollm: VERSION } } as const;
  return { id, ...(await reset(app.store, id, request)) };
}

async function answererOf({ store }: App, id: string): Promise<{ provider: string; model: string }> {
  const { provider, model } = (await summarize(store, id)).summary;
  return { provider, model };
}
