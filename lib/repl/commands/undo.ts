// /undo: the conversation goes on from before its last turn. The journal keeps that turn.
import { undoTurn } from '../../app/sessions/undo-turn.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { fitWidth } from '../../display/width.ts';
import { OllmError } from '../../errors/index.ts';
import type { ReplCommand } from './command.ts';

export const undoCommand: ReplCommand = {
  name: 'undo',
  group: 'conversation',
  arguments: '',
  summary: 'goes back to the state before the last turn; may be repeated',
  details: 'The model no longer sees that turn. The journal keeps it',
  example: '/undo',
  legal: 'after-a-turn',
  async run({ app, front, conversation }) {
    const undone = await undoTurn(app, conversation);
    if (!undone) throw new OllmError('USAGE', 'There is no turn left to undo.');
    front.print(`Undone: ${fitWidth(sanitizeLine(undone.text), 200)}`);
    return undefined;
  },
};
