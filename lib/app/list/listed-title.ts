// The title of a session in a list. The name that the user gave a session is seen in its id already, so that the first
// prompt says more there. Lookups by a name, and programs, keep the name.
import { nameOf, type SummaryRow } from '../../projections/summary.ts';
import { idOfName } from '../../session/identify.ts';

/** Undefined where there is neither a title nor a text. */
export function listedTitle(id: string, summary: SummaryRow | undefined): string | undefined {
  const prompt = summary?.firstPrompt?.excerpt;
  return prompt !== undefined && isNameOf(id, summary?.title) ? prompt : nameOf(summary);
}

function isNameOf(id: string, title: string | undefined): boolean {
  if (title === undefined) return false;
  try {
    return idOfName(title).id === id;
  } catch {
    // A title may be longer than a name, or begin with “@”.
    return false;
  }
}
