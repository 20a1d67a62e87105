// Which passages a model may not be shown: those of files that it may not read, or not unasked.
import { join } from 'node:path';
import type { FoundPassage } from '../../retrieval/retrieve.ts';
import type { Policy } from '../../tools/decision.ts';
import type { App } from '../app.ts';

export function hiddenBy(
  { paths }: Pick<App, 'paths'>,
  policy: Policy,
): (passage: Pick<FoundPassage, 'kind' | 'place' | 'project'>) => boolean {
  return ({ kind, place, project = paths.project }) => {
    if (kind !== 'file') return false;
    const path = join(project, place.slice(0, place.lastIndexOf(':')));
    const accesses = [{ kind: 'read', path }] as const;
    return policy.decide({ tool: 'file_read', summary: '', isReadOnly: true, accesses }).kind !== 'allow';
  };
}
