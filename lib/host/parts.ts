// The parts that the sessions and the runs of a host share.
import type { App } from '../app/app.ts';
import type { Followers } from './following/followers.ts';
import type { HostLimits } from './port/limits.ts';
import type { Questions } from './questions.ts';
import type { Apps } from './workspaces/apps.ts';
import type { Workspaces } from './workspaces/workspaces.ts';

export interface HostParts {
  readonly app: App;
  /** The id of this run of the server. */
  readonly instance: string;
  readonly apps: Apps;
  readonly workspaces: Workspaces;
  readonly followers: Followers;
  readonly questions: Questions;
  readonly limits: Pick<HostLimits, 'holdMs' | 'listedMs' | 'queueLength'>;
}
