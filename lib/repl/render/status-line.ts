// The line above the prompt: model, fill of its window, cost. A number is marked by its source: nothing before a
// reported or counted one, `~` before an estimate. An unknown number is left out. Fits any width by leaving out the
// least important part first.
import { formatCost, shortCount } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth, textWidth } from '../../display/width.ts';
import type { TokenCount } from '../../messages/index.ts';

export interface StatusFacts {
  readonly model: string;
  /** Tokens in the window now. */
  readonly used: TokenCount;
  /** Tokens that the window takes. */
  readonly limit: number | undefined;
  /** US dollars, where known. */
  readonly cost: number | undefined;
  readonly ephemeral: boolean;
  /** What tools do without a question, where that is not the usual. */
  readonly mode?: string | undefined;
}

const SEPARATOR = ' · ';
const SHORTEST_MODEL = 8;

export function formatStatus({ mode, ...facts }: StatusFacts, columns: number): string {
  if (mode === undefined) return formatFacts(facts, columns);
  // The mode says what runs unasked, so it is the last part to be left out.
  const shown = `${mode}${SEPARATOR}`;
  return shown + formatFacts(facts, Math.max(0, columns - textWidth(shown)));
}

function formatFacts(facts: StatusFacts, columns: number): string {
  const model = sanitizeLine(facts.model);
  const [tokens, unit] = tokensOf(facts);
  const share = formatShare(facts);
  const cost = facts.cost === undefined ? '' : formatCost(facts.cost);
  const kept = facts.ephemeral ? 'not kept' : '';
  const choices = [
    [model, `${tokens}${unit}${share && ` (${share})`}`, cost, kept],
    [model, `${tokens}${share && ` (${share})`}`, cost, kept],
    [model, share || tokens, cost],
    [model, share || tokens],
  ].map((parts) => parts.filter((part) => part !== '').join(SEPARATOR));
  const fitting = choices.find((choice) => textWidth(choice) <= columns);
  if (fitting !== undefined) return fitting;
  if (tokens === '') return fitWidth(model, columns);
  const rest = SEPARATOR + (share || tokens);
  const room = columns - textWidth(rest);
  return room >= SHORTEST_MODEL ? fitWidth(model, room) + rest : fitWidth(share || tokens, columns);
}

/** The tokens in the window and their unit; before the first are known, the size of the window. */
function tokensOf({ used, limit }: StatusFacts): readonly [tokens: string, unit: string] {
  const size = limit === undefined ? '' : shortCount(limit);
  if (used.method === 'unknown') return [size, size && ' window'];
  return [formatTokens(used) + (size && `/${size}`), ' tokens'];
}

/** `812`, `~1.2k`, `unknown`. */
export function formatTokens({ count, method }: TokenCount): string {
  if (method === 'unknown') return 'unknown';
  return (method === 'estimated' ? '~' : '') + shortCount(count);
}

function formatShare({ used, limit }: StatusFacts): string {
  if (limit === undefined || limit === 0 || used.method === 'unknown') return '';
  const percent = (used.count / limit) * 100;
  if (percent > 0 && percent < 1) return '<1%';
  return `${used.method === 'estimated' ? '~' : ''}${Math.round(percent)}%`;
}
