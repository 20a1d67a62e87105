// The mode of a conversation: how much its tools do without a question. Set only by the user: a flag, the settings, a
// command. Of the modes in a journal only plan mode is restored, since a journal may have any author.
import { checkArguments } from '../../errors/arguments.ts';
import { OllmError } from '../../errors/index.ts';
import { MODE_WORDS, TOOL_MODES, type ToolMode } from '../../tools/modes.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';
import { sandboxFor } from './tool-sandbox.ts';

/**
 * Switches the mode from here on, with the event `mode.changed`.
 *
 * @example
 * await switchMode(app, conversation, 'plan');
 * @throws OllmError POLICY_DENIED: auto without a sandbox; and what an append throws
 */
export async function switchMode(app: App, conversation: Conversation, mode: ToolMode): Promise<void> {
  const table = { app: 'App', conversation: 'Conversation', mode: 'text' } as const;
  checkArguments('switchMode', table, [app, conversation, mode]);
  const { session, state } = conversation;
  const problem = mode === 'auto' ? await whyNoAuto(app) : undefined;
  if (problem !== undefined) throw refused(problem);
  if ((session.states.tools.mode ?? 'ask') !== mode) await session.append({ type: 'mode.changed', data: { mode } });
  state.mode = mode;
}

/** The next mode for a key; auto has to be named. */
export function nextMode(mode: ToolMode): ToolMode {
  const modes = TOOL_MODES.filter((each) => each !== 'auto');
  return modes[(modes.indexOf(mode as (typeof modes)[number]) + 1) % modes.length] ?? 'ask';
}

/** Sets the mode of an opened session. Returns notices for the user. @throws as `switchMode` */
export async function beginMode(app: App, conversation: Conversation, wish?: ToolMode): Promise<readonly string[]> {
  const left = conversation.session.states.tools.mode ?? 'ask';
  const wanted = wish ?? (left === 'plan' ? left : app.config.tools.mode);
  const problem = wanted === 'auto' ? await whyNoAuto(app) : undefined;
  if (problem !== undefined && wish !== undefined) throw refused(problem);
  const mode = problem === undefined ? wanted : 'ask';
  await switchMode(app, conversation, mode);
  const isLess = mode !== left && left !== 'ask' && wish === undefined;
  return [
    ...(problem === undefined ? [] : [`tools.mode is auto, and does not count: ${problem}`]),
    ...(isLess
      ? [`When this session was left, its mode was ${left}; it is ${mode} now. /mode ${left} changes that.`]
      : []),
    ...(mode === 'ask' ? [] : [MODE_WORDS[mode]]),
  ];
}

async function whyNoAuto(app: App): Promise<string | undefined> {
  const { kind, words } = await sandboxFor(app);
  return kind === 'confined' ? undefined : words.replace(/^not confined: /, '').replace(/\.?$/, '.');
}

function refused(problem: string): OllmError {
  return new OllmError('POLICY_DENIED', `Mode auto needs a sandbox: ${problem}`, {
    hint: '"ollm doctor" says what is missing. --mode edits needs none.',
  });
}
