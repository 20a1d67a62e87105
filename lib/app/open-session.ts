// Opens the session of a REPL or of `ollm ask`: a new one, one that is there, or the one that a name or prompt file stands for.
import type { App } from './app.ts';
import type { ProviderWish } from './choose-provider.ts';
import type { Conversation } from './conversation.ts';

export type OpenRequest = ProviderWish & {
  /** How the process is called in the journal and to those who meet its lock. Default: that of the app. */
  readonly ephemeral?: boolean | undefined;
} & (
    | { readonly kind: 'new'; readonly name?: string | undefined; readonly promptFile?: string | undefined }
    /** `reference`: an id, a prefix, a title or @last. */
    | { readonly kind: 'resume'; readonly reference: string }
    /** The session of this name; made if there is none. */
    | { readonly kind: 'name'; readonly name: string; readonly promptFile?: string | undefined }
    /** The session that belongs to this prompt file; made if there is none. */
    | { readonly kind: 'prompt-file'; readonly promptFile: string }
  );

/** @throws OllmError JOURNAL_LOCKED (who holds it, how to read it), SESSION_*, PROVIDER_*, JOURNAL_* */
export async function openSession(_app: App, _request: OpenRequest): Promise<Conversation> {
  throw new TypeError('not there yet');
}
