// Where Mistral Vibe keeps its sessions: a folder for each, with a file of lines and a document that has the id, the
// start and the directory of the session. Settings and the prompt of the program are in that document too: only the
// named members are read.
import { join } from 'node:path';
import type { DiscoveredSession, JsonObject, Looking, Surroundings } from '../agent.ts';
import { directoriesIn, documentAt } from '../finding.ts';
import { defined, nonEmpty, objectIn, shortText, textIn } from '../members.ts';
import { timeOf } from '../times.ts';

const MESSAGES = 'messages.jsonl';
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

export function places({ env, home }: Surroundings): readonly string[] {
  return [join(env.VIBE_HOME || join(home, '.vibe'), 'logs', 'session')];
}

export function* discover(place: string, looking: Looking): Iterable<DiscoveredSession> {
  for (const name of directoriesIn(place, looking)) {
    const folder = join(place, name);
    if (!looking.hasFile(join(folder, MESSAGES))) continue;
    const meta = documentAt(join(folder, 'meta.json'), looking) ?? {};
    const id = [nonEmpty(meta.session_id), name].find((each) => each !== undefined && ID.test(each));
    if (id === undefined) continue;
    yield {
      id,
      path: join(folder, MESSAGES),
      facts: factsOf(meta),
      ...defined({ startedAt: timeOf(textIn(meta.start_time)) }),
    };
  }
}

/** What stays the same while the session grows. */
function factsOf({ environment, git_branch, git_commit }: JsonObject): JsonObject {
  const cwd = shortText(objectIn(environment)?.working_directory, 1000);
  return defined({ cwd, branch: shortText(git_branch), commit: shortText(git_commit) });
}
