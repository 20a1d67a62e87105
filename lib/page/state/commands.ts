// Commands of the view that is shown, as the view registers them: keys and the palette find them here.
import { useEffect, useRef } from 'preact/hooks';

export interface PageCommand {
  readonly title: string;
  /** A key outside of text fields, or two after each other: `g s`. */
  readonly keys?: string | undefined;
  /** False: there was nothing to do, and the key keeps its meaning. */
  readonly run: () => unknown;
  /** Only its key leads to it, not the palette. */
  readonly isKeyOnly?: boolean;
}

const registered: { current: readonly PageCommand[] }[] = [];

/** Registers commands for as long as the component is shown. Of two with one key the later component wins. */
export function useCommands(commands: readonly PageCommand[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    registered.push(latest);
    return () => void registered.splice(registered.indexOf(latest), 1);
  }, []);
}

/** Runs the command of a key, of the innermost component that has it. False: there was nothing to do. */
export function runCommand(keys: string): boolean {
  return commandsNow().some((command) => command.keys === keys && command.run() !== false);
}

/** The commands that there are now, of the innermost component first. */
function commandsNow(): readonly PageCommand[] {
  return registered.toReversed().flatMap(({ current }) => current);
}

/** The commands that the palette offers; of two with one title that of the innermost component. */
export function offeredCommands(): readonly PageCommand[] {
  const offered = commandsNow().filter(({ isKeyOnly }) => isKeyOnly !== true);
  return offered.filter(({ title }, at) => offered.findIndex((each) => each.title === title) === at);
}
