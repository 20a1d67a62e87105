// Puts the AGENTS.md files of the project before the model, as context entries that instruct: those that the user
// trusts, as they are now. Entries that are not trusted any more are taken out. A search needs none.
import { basename } from 'node:path';
import { isOllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { INSTRUCTIONS_NAME } from '../project/instruction-files.ts';
import { type ProjectText, projectInstructions } from '../project/project-texts.ts';
import { addContext, removeContext } from './add-context.ts';

/** Returns notices for the user. @throws the errors of an append */
export async function updateInstructions(app: App, conversation: Conversation): Promise<readonly string[]> {
  const texts = projectInstructions(app);
  const trusted = texts.filter((text) => text.trusted === true);
  const { entries } = conversation.session.states.context;
  const known = entries.filter(
    (entry) => entry.source === 'system' && entry.trusted && basename(entry.key) === INSTRUCTIONS_NAME,
  );
  for (const { key } of known) {
    if (!trusted.some(({ path }) => path === key)) await removeContext(conversation, key);
  }
  const warnings: string[] = [];
  for (const { path, content } of trusted) {
    try {
      const entry = { key: path, content, source: 'system', trusted: true } as const;
      const { warning } = await addContext(app, conversation, entry);
      if (warning !== undefined) warnings.push(warning);
    } catch (error) {
      // A path that is too long for a key hinders no session.
      if (!isOllmError(error, 'USAGE')) throw error;
      warnings.push(error.message);
    }
  }
  const unasked = texts.filter((text) => text.trusted === undefined);
  return unasked.length === 0 ? warnings : [...warnings, notUsed(unasked)];
}

/** The notice if the user could not be asked, or did not answer. */
export function notUsed(texts: readonly ProjectText[]): string {
  const names = texts.map(({ path }) => path).join(', ');
  const isOne = texts.length === 1;
  return `${names} of this project ${isOne ? 'is not used: it is' : 'are not used: they are'} not trusted yet. "ollm" in a terminal asks.`;
}
