// What can be done by a word behind a slash, above the text of the composer.
import { useEffect, useState } from 'preact/hooks';
import './slash-list.css';

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly does: string;
  /** `rest`: what is behind the name. */
  readonly run: (rest: string) => void;
  /** It needs something behind its name. */
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

export function SlashList({
  offered,
  at,
  onPick,
}: {
  offered: readonly SlashCommand[];
  at: number;
  onPick: (command: SlashCommand) => void;
}) {
  if (offered.length === 0) return <p class="slash-list meta">No command begins with this. It is sent as it is.</p>;
  return (
    <div class="slash-list" role="listbox" id="commands" aria-label="Commands">
      {offered.map((command, index) => (
        <div
          key={command.name}
          id={`command-${command.name}`}
          role="option"
          aria-selected={index === at}
          tabIndex={-1}
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(command);
          }}
        >
          <code>
            /{command.name}
            {command.takes === undefined ? '' : ` ${command.takes}`}
          </code>
          <span>{command.does}</span>
        </div>
      ))}
    </div>
  );
}
