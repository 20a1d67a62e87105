// What `ollm agents --hooks` would change: for each program that was ever started here, whether it calls this ollm when
// a turn or a session ends, and the text of its file with these hooks, or without them.
import { editedSettings, objectAt } from '../../agent-config/edited.ts';
import {
  HOOK_PROGRAMS,
  HOOKS,
  type HookProgram,
  hookCommand,
  ourCommands,
  withHook,
} from '../../agent-config/hooks.ts';
import { loadAgent } from '../../agents/registry.ts';
import { isOllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import { foreignPorts } from '../start/foreign-ports.ts';
import { type Planned, plansOf } from './change-planned.ts';
import { formatOf } from './settings-format.ts';
import { ownVariables, readForeignSettings } from './this-machine.ts';

interface HookRequest {
  /** Names of programs. Default: each that was ever started here. */
  readonly agents?: readonly string[] | undefined;
  /** The words that start this program, such as `['ollm']`. */
  readonly program: readonly string[];
  /** Take the hooks out. */
  readonly remove?: boolean | undefined;
}

/**
 * - `add`, `change`, `remove`: to be done; `change`: hooks that call another ollm, or not at each event
 * - `done`: the hooks are there, or none is there to remove
 * - `refused`: the file cannot be changed; `unused`: the program was never started here
 */
type HookState = 'add' | 'change' | 'remove' | 'done' | 'refused' | 'unused';

/** A program and its file. */
export interface HookRow {
  readonly name: string;
  /** As its maker writes it. */
  readonly title: string;
  /** The file of its hooks. */
  readonly path: string;
  readonly state: HookState;
  /** At which it calls. */
  readonly events: readonly string[];
  /** The command line of the hook, after the change or as it is. Undefined if the program does not call ollm. */
  readonly command: string | undefined;
  /** A sentence about the next step of the user in the program. */
  readonly advice: string | undefined;
  /** Why it is `refused`, as a sentence. */
  readonly reason: string | undefined;
}

type HookPlan = Planned<HookRow>;

/** Reads the files and changes nothing. A file that cannot be read is a row, and no error. */
export function planHooks(app: App, request: HookRequest): Promise<readonly HookPlan[]> {
  return plansOf(app, { programs: HOOK_PROGRAMS, agents: request.agents }, (program, isUsed) =>
    planOf(app, program, { ...request, isUsed }),
  );
}

async function planOf(
  app: App,
  program: HookProgram,
  { isUsed, program: words, remove = false }: HookRequest & { readonly isUsed: boolean },
): Promise<HookPlan> {
  const { title } = await loadAgent(program.name);
  const path = program.file(foreignPorts(app).surroundings);
  const events = Object.keys(program.events);
  const base = { name: program.name, title, path, events, command: undefined, advice: undefined, reason: undefined };
  const refused = (reason: string): HookPlan => ({ row: { ...base, state: 'refused', reason }, change: undefined });
  if (!isUsed) return { row: { ...base, state: 'unused' }, change: undefined };
  try {
    const file = readForeignSettings(app, path);
    const format = await formatOf('json');
    const settings = format.parse(file.text);
    if (settings === undefined) return refused(`${path} is not valid JSON: it was left as it is.`);
    const groups = objectAt(settings, [HOOKS]);
    if (groups === undefined) return refused(`“${HOOKS}” is not a group in ${path}: it was left as it is.`);
    const present = Object.entries(groups).map(([event, list]) => ({ event, commands: ourCommands(list) }));
    const called = present.filter(({ commands }) => commands.length > 0);
    const [first] = called.flatMap(({ commands }) => commands);
    const command = hookCommand(words, ownVariables(app));
    const isWhole =
      called.length === events.length &&
      called.every(({ event, commands }) => events.includes(event) && commands.join('\n') === command);
    if (remove ? first === undefined : isWhole) {
      return { row: { ...base, state: 'done', command: first }, change: undefined };
    }
    let text: string | undefined = file.text;
    for (const event of new Set([...called.map((each) => each.event), ...events])) {
      const members = remove ? undefined : program.events[event];
      const value = withHook(groups[event], members && { command, ...members });
      if (text !== undefined && (value !== undefined || Object.hasOwn(groups, event)))
        text = editedSettings(text, { path: [HOOKS], name: event, value }, format);
    }
    if (text === undefined) return refused(`${path} cannot be changed as it is written. Change it in an editor.`);
    const state = remove ? 'remove' : first === undefined ? 'add' : 'change';
    const row = { ...base, state, command: remove ? first : command } as const;
    return { row: { ...row, advice: remove ? undefined : program.advice }, change: { file, text } };
  } catch (error) {
    if (!isOllmError(error)) throw error;
    return refused(error.message);
  }
}
