// The keys that the editor acts on by itself, as a table: their bytes, effects, and names in /help. All other keys edit
// the line.

export type LineAction =
  | 'enter'
  | 'steer'
  | 'line-break'
  | 'complete'
  | 'interrupt'
  | 'output'
  | 'search'
  | 'mode'
  | 'end'
  | 'clear-screen'
  | 'suspend';

interface KeyBinding {
  /** What a terminal sends, one of these. */
  readonly keys: readonly string[];
  readonly action: LineAction;
  /** As /help shows it. */
  readonly label: string;
  readonly does: string;
}

export const MODE_KEY = '\x1b[Z';

export const KEY_BINDINGS: readonly KeyBinding[] = [
  { keys: ['\r', '\n'], action: 'enter', label: 'Enter', does: 'sends the message, or runs the command' },
  {
    keys: ['\x13'],
    action: 'steer',
    label: 'Ctrl+S',
    does: 'while a turn runs: gives the message to the model with its next request; elsewhere as Enter',
  },
  {
    keys: ['\x1b\r', '\x1b\n', '\x1b[13;2u', '\x1b[13;3u'],
    action: 'line-break',
    label: 'Alt+Enter',
    does: 'a new row in the message',
  },
  {
    keys: ['\t'],
    action: 'complete',
    label: 'Tab',
    does: 'completes commands, sessions, models, tools, context keys, paths and @paths',
  },
  {
    keys: ['\x03'],
    action: 'interrupt',
    label: 'Ctrl+C',
    does: 'cancels the running turn, and keeps what is typed; clears the line; twice at an empty prompt leaves',
  },
  { keys: ['\x12'], action: 'search', label: 'Ctrl+R', does: 'searches earlier input: type to filter, Enter takes it' },
  { keys: ['\x0f'], action: 'output', label: 'Ctrl+O', does: 'at an empty line: the whole output of the last tool' },
  {
    keys: [MODE_KEY],
    action: 'mode',
    label: 'Shift+Tab',
    does: 'the next mode of tools: ask, plan, edits; at the question about an edit: edits',
  },
  { keys: ['\x04'], action: 'end', label: 'Ctrl+D', does: 'leaves at an empty line' },
  { keys: ['\x0c'], action: 'clear-screen', label: 'Ctrl+L', does: 'clears the screen' },
  { keys: ['\x1a'], action: 'suspend', label: 'Ctrl+Z', does: 'suspends, where the shell can' },
];

export const INTERRUPT_KEY = '\x03';

const ACTIONS = new Map(KEY_BINDINGS.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)));

/** The editor's action for a key; undefined: the key is for the line. `sequence`: the bytes from the terminal. */
export function actionOf({ sequence }: { readonly sequence: string }): LineAction | undefined {
  return ACTIONS.get(sequence);
}
