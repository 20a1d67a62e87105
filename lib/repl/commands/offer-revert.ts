// Shows which files tools changed, with the differences, and puts them back if the user wants that. For /diff, /revert
// and /undo, which load it when they need it.
import type { PlannedFile, RevertPlan, RevertRequest } from '../../app/sessions/change/revert-files.ts';
import { spanOf } from '../../display/paint.ts';
import { countOf } from '../../display/quantities.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { diffLine } from '../render/diff-lines.ts';
import type { CommandContext } from './command.ts';

/** Says which files are not as they were, and puts them back if the user wants that. */
export async function offerRevert(context: CommandContext, request: RevertRequest): Promise<void> {
  const { app, front, conversation } = context;
  const { session, store } = conversation;
  const { planRevert, revertFiles } = await import('../../app/sessions/change/revert-files.ts');
  const { revertedLine } = await import('../../app/sessions/change/revert-words.ts');
  const plan = await planRevert(app, { id: session.id, store }, request);
  await show(context, plan);
  const todo = plan.files.filter(({ effect }) => effect !== 'refuse');
  if (todo.length === 0) return;
  if (front.kind === 'pipe') {
    front.notice(
      `They stay as they are: only a user at a terminal puts them back, here or by: ollm revert ${session.id}`,
    );
    return;
  }
  if (!(await front.confirm(`Put ${todo.length === 1 ? 'it' : `these ${todo.length} files`} back?`))) {
    front.notice('Nothing was changed. /revert asks again.');
    return;
  }
  for (const file of await revertFiles(app, conversation, plan)) front.print(sanitizeLine(revertedLine(file)));
}

/** Shows each file that tools changed, and how. */
export async function showChanges(context: CommandContext, request: Pick<RevertRequest, 'paths'>): Promise<void> {
  const { app, front, conversation } = context;
  const { session, store } = conversation;
  const { planRevert } = await import('../../app/sessions/change/revert-files.ts');
  const { opaqueSentence } = await import('../../app/sessions/change/revert-words.ts');
  const { files, opaque } = await planRevert(app, { id: session.id, store }, { ...request, diffs: 'made' });
  const changed = files.filter(({ effect }) => effect !== 'same');
  if (changed.length === 0) front.print(NOTHING_CHANGED);
  for (const file of changed) {
    const { shown, addedLines, removedLines, reason, diff } = file;
    const counts = diff === '' ? '' : ` +${addedLines} −${removedLines}`;
    front.print(sanitizeLine(`${shown}${counts}${reason === undefined ? '' : ` (${reason})`}`));
    printDiff(front, file);
  }
  const more = opaqueSentence(opaque);
  if (more !== undefined) front.notice(sanitizeLine(more));
}

const NOTHING_CHANGED = 'No file is changed by tools of this session, or all were put back.';

function printDiff(front: CommandContext['front'], { diff }: PlannedFile): void {
  const lines = diff
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '' && !/^(?:---|\+\+\+) /.test(line));
  front.print(...lines.map((line) => [spanOf('    '), ...diffLine(line)]));
}

async function show({ front }: CommandContext, { files, opaque }: RevertPlan): Promise<void> {
  const { opaqueSentence, plannedLine } = await import('../../app/sessions/change/revert-words.ts');
  if (files.length === 0) front.print(NOTHING_CHANGED);
  else front.print(`Changed by tools: ${countOf(files.length, 'file')}. Putting back would`);
  for (const file of files) {
    front.print(`  ${sanitizeLine(plannedLine(file))}`);
    printDiff(front, file);
  }
  const more = opaqueSentence(opaque);
  if (more !== undefined) front.notice(sanitizeLine(more));
}
