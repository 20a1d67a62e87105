// Prompts that were said in the place of one another: those that follow the same prompt, each in its own branch.
import type { OutlineState } from './outline.ts';

export interface PromptVersion {
  readonly seq: number;
  /** The last event of what followed it, last of all: going back to it is going back to this version. */
  readonly last: number;
}

/** Each place with more than one, its versions in the order in which they were said. */
export function promptVersions({ prompts, branches, head }: OutlineState): readonly (readonly PromptVersion[])[] {
  const { jumps } = branches;
  if (jumps.length === 0) return [];
  const following = Map.groupBy(prompts, ({ after }) => after);
  const lastOf = (seq: number): number => {
    let leaf = seq;
    for (let next = following.get(leaf); next !== undefined; next = following.get(leaf)) leaf = next.at(-1)!.seq;
    return (jumps.find(({ at }) => at > leaf)?.at ?? head + 1) - 1;
  };
  return [...following.values()]
    .filter(({ length }) => length > 1)
    .map((versions) => versions.map(({ seq }) => ({ seq, last: lastOf(seq) })));
}
