// Puts files back that were shown to a user, each exactly as it was shown: a later change of one is refused.
import { hash } from 'node:crypto';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { type PlannedFile, planRevert, type RevertedFile, revertFiles } from './revert-files.ts';

/** A name of a planned change as it was shown: only that one is made. */
export function hashOfPlan({ path, effect, diff }: Pick<PlannedFile, 'path' | 'effect' | 'diff'>): string {
  return hash('sha256', JSON.stringify([path, effect, diff]), 'hex');
}

/** `hash`: see hashOfPlan. */
export interface ShownFile {
  readonly path: string;
  readonly hash: string;
}

/** @throws OllmError USAGE: no tool changed such a file, and what an append throws */
export async function revertShown(
  app: App,
  { session, store }: Pick<Conversation, 'session' | 'store'>,
  shown: readonly ShownFile[],
): Promise<readonly RevertedFile[]> {
  const from = { id: session.id, store };
  const paths = shown.map(({ path }) => path);
  const made = await planRevert(app, from, { paths, diffs: 'made' });
  const isAsShown = (path: string) =>
    made.files.some(
      (file) => file.path === path && shown.some((each) => each.path === path && each.hash === hashOfPlan(file)),
    );
  const plan = await planRevert(app, from, { paths });
  const changed = plan.files.filter(({ path }) => !isAsShown(path));
  const done = await revertFiles(
    app,
    { session, store },
    { ...plan, files: plan.files.filter(({ path }) => isAsShown(path)) },
  );
  const refused = changed.map(({ path, shown: name }) => ({
    ...{ path, shown: name, outcome: 'refused' as const },
    reason: `${name} has changed since it was shown. Look at it again.`,
  }));
  return [...done, ...refused];
}
