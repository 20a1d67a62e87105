// Everything that a project allows by default needs approval in a directory that is not a project.
import { dirname } from 'node:path';
import { noProject } from '../../../lib/app/start/no-project.ts';
import type { Action } from '../../../lib/tools/action.ts';
import { TOOL_MODES } from '../../../lib/tools/modes.ts';
import { file, HOME_DIRECTORY, policyOf, program, ROOT, shell } from './policy-of.ts';

const ACTIONS: [string, (root: string) => Action][] = [
  ['a file that is read', (root) => file('file_read', 'read', `${root}/a.ts`)],
  ['a file that is written', (root) => file('file_write', 'write', `${root}/a.ts`)],
  ['a command that reads', (root) => shell('cat a.ts', root)],
  ['a redirect', (root) => shell('echo x > a.ts', root)],
  ['a move and a command', (root) => shell('cd sub; ls', root)],
  ['git that reads', (root) => shell('git status', root)],
  [
    'the tool git',
    (root) => ({ ...program('git', 'git', 'log'), command: { kind: 'program', argv: ['git', 'log'], cwd: root } }),
  ],
  ['another program', (root) => shell('make', root)],
];
const PLACES = { homeDirectory: HOME_DIRECTORY, home: `${HOME_DIRECTORY}/.ollm` };
const ROOTS = ['/', dirname(HOME_DIRECTORY), HOME_DIRECTORY];

describe.each(TOOL_MODES)('the policy in mode %s', (mode) => {
  it.each(ACTIONS)('%s is never allowed by default in a directory that is not a project', async (_, actionIn) => {
    for (const root of ROOTS) {
      const { policy } = await policyOf({}, { root, noProject: noProject(root, PLACES), mode: () => mode });
      const decision = policy.decide(actionIn(root === '/' ? '' : root));
      expect({ root, kind: decision.kind }).toEqual({ root, kind: expect.stringMatching(/^(ask|deny)$/) });
    }
  });
});

it('each of these calls is allowed by default in a project, in one of the modes', async () => {
  for (const [, actionIn] of ACTIONS) {
    const { policy } = await policyOf({}, { noProject: noProject(ROOT, PLACES), mode: () => 'auto' });
    expect(policy.decide(actionIn(ROOT)).kind).toBe('allow');
  }
});

it('the rules of the user apply in a directory that is not a project', async () => {
  const allow = ['file_read(notes/**)', 'bash(make *)'];
  const { policy } = await policyOf({ allow }, { root: HOME_DIRECTORY, noProject: noProject(HOME_DIRECTORY, PLACES) });
  expect(policy.decide(file('file_read', 'read', `${HOME_DIRECTORY}/notes/a.md`))).toMatchObject({ kind: 'allow' });
  expect(policy.decide(shell('make all', HOME_DIRECTORY))).toMatchObject({ kind: 'allow' });
  expect(policy.decide(file('file_read', 'read', `${HOME_DIRECTORY}/a.md`))).toMatchObject({
    kind: 'ask',
    rule: 'default:no-project',
    reason: 'This is your home directory, not a project, so each use of its files is asked about.',
  });
});
