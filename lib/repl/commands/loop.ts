// /loop: the loop guard's view of this conversation, and its switch until the program ends.
import type { LoopState } from '../../projections/loop.ts';
import type { CommandContext, ReplCommand } from './command.ts';
import { formatRows } from './rows.ts';

export const loopCommand: ReplCommand = {
  name: 'loop',
  group: 'context',
  arguments: '[on | off]',
  summary: 'shows the state of the loop guard; switches it off for now',
  details:
    'The guard stops a turn in which the model repeats itself. Off lasts until you leave; services.loopDetection.enabled in the configuration lasts. ollm loop tries other thresholds on a session',
  example: '/loop off',
  legal: 'always',
  actions: {
    '': { run: async (context) => showState(context) },
    on: { run: (context) => switchGuard(context, true) },
    off: { run: (context) => switchGuard(context, false) },
  },
};

/** Switches the same setting as /config does: the last change counts. */
async function switchGuard({ app, front, conversation }: CommandContext, isOn: boolean): Promise<void> {
  const { changeSetting } = await import('../../app/start/change-setting.ts');
  await changeSetting(app, conversation, 'services.loopDetection.enabled', String(isOn));
  front.print(isOn ? 'The loop guard is on.' : 'The loop guard is off until you leave.');
}

function showState({ app, front, conversation }: CommandContext): void {
  const { enabled, maxTurns, repeatThreshold } = app.config.services.loopDetection;
  const { loop } = conversation.session.states;
  front.print(
    ...formatRows(front.columns, [
      ['guard', enabled ? 'on: a loop stops the turn' : 'off'],
      ['requests', `${loop.turns} since your last message; from ${maxTurns} on it asks`],
      ['calls', callsOf(loop, repeatThreshold)],
      ['answers', `${loop.output?.count ?? 0} alike in a row, at most ${repeatThreshold - 1}`],
      ['found', loop.verdict?.details ?? 'nothing'],
    ]),
  );
}

function callsOf({ recentCalls }: LoopState, threshold: number): string {
  const last = recentCalls.at(-1);
  if (last === undefined) return 'none since your last message';
  const others = recentCalls.toReversed().findIndex(({ step }) => step !== last.step);
  const alike = others < 0 ? recentCalls.length : others;
  return `${last.name} ${alike} times alike in a row, at most ${threshold - 1}`;
}
