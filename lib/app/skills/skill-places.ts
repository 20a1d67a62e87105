// Where the skills that the user trusts are, for the policy: the file tools may read there. Read again each time.
import { dirname } from 'node:path';
import { isInside } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import type { App } from '../app.ts';
import { skillFiles } from './own-skill-files.ts';
import { isTrustedSkill } from './own-skills.ts';
import { projectSkills } from './project-skills.ts';

/** Their directories and files, with links resolved. */
export function trustedSkillPlaces(app: App): readonly string[] {
  const ofProject = projectSkills(app);
  const project = realPathOf(app.fileSystem, app.paths.project);
  return skillFiles(app)
    .files.filter((file) => isTrustedSkill(app, file, ofProject) === true)
    .flatMap(({ place, path }) =>
      [dirname(path), path].flatMap((each) => {
        const real = realPathOf(app.fileSystem, each);
        const isElsewhere = place === 'project' && (project === undefined || !isInside(project, real ?? ''));
        return real === undefined || isElsewhere ? [] : [real];
      }),
    );
}
