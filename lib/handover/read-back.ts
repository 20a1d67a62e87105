// Compares the written items with the reading of the file by the reader of that program's sessions.
import { isDeepStrictEqual } from 'node:util';
import type { HandedItem } from './item.ts';
import type { Target, WrittenItem } from './target.ts';

type Fact =
  | { readonly kind: 'text'; readonly role: string; readonly text: string }
  | { readonly kind: 'picture'; readonly role: string; readonly base64: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: unknown; readonly failed: boolean }
  | { readonly kind: 'result'; readonly text: string; readonly pictures: readonly string[] };

/** The first difference, in words; undefined if there is none. */
export function differenceFrom(
  written: readonly WrittenItem[],
  read: readonly HandedItem[],
  target: Target,
): string | undefined {
  const expected = written.flatMap((item) => factsOf(item, target, (call) => call.isError));
  const found = read.flatMap((item) => factsOf(item, target, (call) => call.end !== 'ok'));
  const at = expected.findIndex((fact, index) => !isDeepStrictEqual(fact, found[index]));
  if (at >= 0) return `item ${at + 1} of ${expected.length} is ${words(found[at])} in place of ${words(expected[at])}`;
  if (found.length === expected.length) return undefined;
  return `there are ${found.length} items in place of ${expected.length}`;
}

function factsOf<Item extends HandedItem | WrittenItem>(
  item: Item,
  { tellsFailures, joinsTexts }: Target,
  hasFailed: (call: Extract<Item, { kind: 'call' }>) => boolean,
): readonly Fact[] {
  if (item.kind === 'call') {
    const { name, args, result, pictures } = item;
    const failed = tellsFailures && hasFailed(item as Extract<Item, { kind: 'call' }>);
    return [
      { kind: 'call', name, args: JSON.parse(JSON.stringify(args)), failed },
      { kind: 'result', text: result, pictures: pictures.map(({ base64 }) => base64) },
    ];
  }
  const { role } = item;
  const facts = item.pieces.flatMap((piece): Fact[] => {
    if (piece.kind === 'text') return [{ kind: 'text', role, text: piece.text }];
    return piece.kind === 'picture' ? [{ kind: 'picture', role, base64: piece.base64 }] : [];
  });
  if (!joinsTexts) return facts;
  return [{ kind: 'text', role, text: facts.map((fact) => (fact.kind === 'text' ? fact.text : '')).join('\n') }];
}

function words(fact: Fact | undefined): string {
  if (fact === undefined) return 'nothing';
  if (fact.kind === 'call') return `a call of ${fact.name}`;
  if (fact.kind === 'picture') return 'a picture';
  return fact.kind === 'text' ? `a text of the ${fact.role}` : 'a result';
}
