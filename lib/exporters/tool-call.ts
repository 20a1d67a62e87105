// Parts of a tool call in an export in addition to its name: its subject, the decision, the place where it ran, and
// whether its output is a diff. Words for people; `ollm audit` has all of it for programs.
import type { EventData } from '../events/index.ts';
import { subjectOfCall } from '../messages/subject-of-call.ts';

/** Characters of a command or a path next to the name of a tool. */
const MAX_SUBJECT_CHARACTERS = 80;

const WHO = {
  policy: 'the policy',
  user: 'the user',
  grant: 'a grant',
  agent: 'the program that recorded it',
  import: 'someone that the source does not name',
} as const;

const DIFF_BEGINNING = /^--- .+\n\+\+\+ .+\n@@ /;

/**
 * The command, path or query of a call, or else the first line of its first text.
 *
 * @example
 * subjectOf({ path: 'a.md', content: '…' }); // 'a.md'
 */
export function subjectOf(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const subject = subjectOfCall(args);
  if (subject !== undefined) return shortened(subject.trim());
  const first = Object.values(args).find((value) => typeof value === 'string' && value.trim() !== '');
  return first === undefined ? undefined : shortened((first as string).trim().split('\n', 1)[0]!);
}

/** The decision on a call, its rule, and why the user was asked: “Allowed by the user (default:command).” */
export function decisionText({ decision, by, rule, dangerous }: EventData<'tool.decided'>): string {
  const verdict = `${decision === 'allow' ? 'Allowed' : 'Denied'} by ${WHO[by]}${rule === undefined ? '' : ` (${rule})`}.`;
  return dangerous === undefined ? verdict : `${verdict} Dangerous: ${dangerous}.`;
}

/** Where a program ran; undefined for a tool that starts none. */
export function placeText({
  command,
  argv,
  sandbox,
  network,
  cwd,
  subagent,
}: EventData<'tool.started'>): string | undefined {
  if (subagent !== undefined) return `The agent worked in the session ${subagent}.`;
  if (command === undefined && argv === undefined) return undefined;
  const boundary = sandbox === 'none' ? 'without a sandbox' : `in ${sandbox}`;
  const reach = network === undefined ? '' : network ? ', with network' : ', without network';
  return `Ran ${boundary}${reach}${cwd === undefined ? '' : `, in ${cwd}`}.`;
}

/** Whether a result is a unified diff, as the tools that change files show it. */
export function isDiff(result: string): boolean {
  return DIFF_BEGINNING.test(result);
}

function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_SUBJECT_CHARACTERS + 1)];
  return characters.length <= MAX_SUBJECT_CHARACTERS
    ? text
    : `${characters.slice(0, MAX_SUBJECT_CHARACTERS - 1).join('')}…`;
}
