// `/handover AGENT`: writes this conversation as a session of another program, which continues with it.
import { OllmError } from '../../errors/index.ts';
import { HANDOVER_NAMES } from '../../handover/targets.ts';
import { appOf, type ReplCommand, wrongUsage } from './command.ts';

export const handoverCommand: ReplCommand = {
  name: 'handover',
  group: 'session',
  arguments: 'AGENT',
  summary: 'writes the session as one of another program, and shows the command that continues with it',
  details: `AGENT is one of ${HANDOVER_NAMES.join(', ')}. This conversation stays, and the program is not started`,
  example: '/handover codex',
  legal: 'always',
  complete: () => HANDOVER_NAMES,
  async run(context, argument) {
    const to = HANDOVER_NAMES.find((name) => name === argument.trim());
    if (to === undefined) throw wrongUsage(handoverCommand, 'To which program?');
    const { conversation, front, signal } = context;
    if (conversation.ephemeral) {
      throw new OllmError('USAGE', 'An ephemeral session cannot be handed over.', {
        hint: 'Keep it first, with /save.',
      });
    }
    const { handOver } = await import('../../app/handover/hand-over.ts');
    const { handoverText } = await import('../../app/handover/handover-text.ts');
    const handover = await handOver(appOf(context), conversation.session.id, { to, signal });
    const { lines, note, command } = handoverText(handover);
    front.print(...lines);
    if (note !== undefined) front.notice(note);
    if (handover.caution !== undefined) front.notice(handover.caution);
    front.print(`Continue with: ${command}`);
  },
};
