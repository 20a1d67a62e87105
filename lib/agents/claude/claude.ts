// Claude Code: JSONL files under ~/.claude/projects, appended, one for each session and for each of its subagents.
import type { Agent, JsonObject, SessionBeginning } from '../agent.ts';
import { nonEmpty } from '../members.ts';
import { forkedFromIn } from './fork.ts';
import { headFromEnd, headFromStart } from './head.ts';
import { leftOut } from './left-out.ts';
import { discover, places } from './places.ts';
import { translate } from './read.ts';
import { said, typeOf } from './said.ts';
import { type ClaudeState, initialState } from './state.ts';

export const claude: Agent<ClaudeState> = {
  name: 'claude',
  title: 'Claude Code',
  version: 4,
  places,
  discover,
  stored: () => ({ kind: 'lines' }),
  initial: initialState,
  translate,
  insides: ({ insides }) => insides,
  begin,
  typeOf,
  said,
  leftOut,
  headFromStart,
  headFromEnd,
};

function begin(record: JsonObject): SessionBeginning {
  const branch = nonEmpty(record.gitBranch);
  return {
    cwd: nonEmpty(record.cwd),
    branch: branch === 'HEAD' ? undefined : branch,
    forkedFrom: forkedFromIn(record),
  };
}
