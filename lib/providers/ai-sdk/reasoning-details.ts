// The pieces of reasoning that OpenRouter and others send in addition to the plain text, and want back unchanged with
// the same message: signed texts, summaries, encrypted blocks.
// https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks A stream brings a piece in parts,
// which are joined here. They are kept without their texts, which are the reasoning of the message: a secret that is
// taken out there is then nowhere else.
import { isObject } from '../../platform/json.ts';

type ReasoningPiece = Readonly<Record<string, unknown>>;

/** The members that contain shown reasoning too. */
const TEXTS = ['text', 'summary'] as const;

/** Appends what one chunk brings. */
export function addDetails(pieces: ReasoningPiece[], added: readonly unknown[]): void {
  for (const piece of added) {
    if (!isObject(piece)) continue;
    const last = pieces.at(-1);
    const name = TEXTS.find((each) => typeof piece[each] === 'string' || typeof last?.[each] === 'string');
    const isMore = last?.type === piece.type && last?.index === piece.index && name !== undefined;
    if (!isMore || last === undefined) pieces.push(piece);
    else pieces[pieces.length - 1] = { ...last, ...present(piece), [name]: `${last[name] ?? ''}${piece[name] ?? ''}` };
  }
}

/** The texts of all pieces, as they are shown. */
export function textOfDetails(pieces: readonly unknown[]): string {
  return pieces.map((piece) => textIn(piece)).join('');
}

/** Each text as its length. */
export function withoutTexts(pieces: readonly ReasoningPiece[]): readonly ReasoningPiece[] {
  return pieces.map((piece) =>
    Object.fromEntries(
      Object.entries(piece).map(([name, value]) => [name, isText(name, value) ? value.length : value]),
    ),
  );
}

/** The pieces again, out of the reasoning that their texts were part of. */
export function withTexts(pieces: readonly unknown[], reasoning: string): readonly ReasoningPiece[] {
  let at = 0;
  return pieces.filter(isObject).map((piece) => {
    const entries = Object.entries(piece).map(([name, value]) => {
      if (!isTextName(name) || typeof value !== 'number') return [name, value];
      at += value;
      return [name, reasoning.slice(at - value, at)];
    });
    return Object.fromEntries(entries);
  });
}

function textIn(piece: unknown): string {
  if (!isObject(piece)) return '';
  return Object.entries(piece)
    .map(([name, value]) => (isText(name, value) ? value : ''))
    .join('');
}

function isText(name: string, value: unknown): value is string {
  return isTextName(name) && typeof value === 'string';
}

function isTextName(name: string): boolean {
  return (TEXTS as readonly string[]).includes(name);
}

function present(piece: ReasoningPiece): ReasoningPiece {
  return Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null && value !== undefined));
}
