// The commands that a text may mean, above the composer.
import type { SlashCommand } from '../state/slash-commands.ts';
import './slash-list.css';

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
