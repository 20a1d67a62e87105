// `/handover AGENT`: writes this conversation as a session of another program, which continues with it.
import type { HandoverRequest } from '../../app/handover/hand-over.ts';
import { OllmError } from '../../errors/index.ts';
import { HANDOVER_NAMES } from '../../handover/targets.ts';
import { appOf, type ReplCommand, wrongUsage } from './command.ts';

const OPTIONS: Readonly<Record<string, Partial<HandoverRequest>>> = {
  '--prove': { prove: true },
  '--dry-run': { dryRun: true },
  '--whole': { whole: true },
  '--again': { again: true },
  '--raw': { raw: true },
};

export const handoverCommand: ReplCommand = {
  name: 'handover',
  group: 'session',
  arguments: 'AGENT [OPTIONS]',
  summary: 'writes the session as one of another program, and shows the command that continues with it',
  details: `AGENT is one of ${HANDOVER_NAMES.join(', ')}; OPTIONS are those of "ollm handover": ${Object.keys(OPTIONS).join(', ')}. This conversation stays, and the program is not started`,
  example: '/handover codex --prove',
  legal: 'always',
  complete: (_, argument) => (/\s/.test(argument) ? Object.keys(OPTIONS) : HANDOVER_NAMES),
  async run(context, argument) {
    const [name, ...words] = argument.trim().split(/\s+/);
    const to = HANDOVER_NAMES.find((each) => each === name);
    if (to === undefined) throw wrongUsage(handoverCommand, 'To which program?');
    const unknown = words.find((word) => !(word in OPTIONS));
    if (unknown !== undefined) throw wrongUsage(handoverCommand, `There is no option ${unknown}.`);
    const options = Object.assign({}, ...words.map((word) => OPTIONS[word]));
    const { conversation, front, signal } = context;
    if (conversation.ephemeral) {
      throw new OllmError('USAGE', 'An ephemeral session cannot be handed over.', {
        hint: 'Keep it first, with /save.',
      });
    }
    const { handOver } = await import('../../app/handover/hand-over.ts');
    const { handoverText } = await import('../../app/handover/handover-text.ts');
    const handover = await handOver(appOf(context), conversation.session.id, { ...options, to, signal });
    const { lines, note, command } = handoverText(handover);
    front.print(...lines);
    if (note !== undefined) front.notice(note);
    if (handover.caution !== undefined) front.notice(handover.caution);
    if (command !== undefined) front.print(`Continue with: ${command}`);
  },
};
