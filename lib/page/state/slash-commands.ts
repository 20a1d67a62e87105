// Commands of the composer: a slash and a word.
import { useEffect, useState } from 'preact/hooks';

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly does: string;
  /** `rest`: the text after the name. */
  readonly run: (rest: string) => void;
  /** It needs a text after its name. */
  readonly takes?: string;
}

/** The commands that a text may mean: undefined where it is not the beginning of one. */
export function commandsFor(text: string, commands: readonly SlashCommand[]): readonly SlashCommand[] | undefined {
  const name = /^\/([a-z]*)(?:\s|$)/.exec(text)?.[1];
  if (name === undefined) return undefined;
  const isWhole = /^\/[a-z]+\s/.test(text);
  return commands.filter((command) => (isWhole ? command.name === name : command.name.startsWith(name)));
}

/** Which of them is chosen: by the arrow keys, else the first. */
export function useChoice(offered: readonly SlashCommand[] | undefined) {
  const [at, setAt] = useState(0);
  const names = offered?.map(({ name }) => name).join(' ');
  useEffect(() => setAt(0), [names]);
  return {
    at,
    step(by: 1 | -1) {
      const { length } = offered ?? [];
      if (length > 0) setAt((at + by + length) % length);
    },
  };
}
