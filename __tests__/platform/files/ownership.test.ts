import { ownershipProblem } from '../../../lib/platform/files/ownership.ts';

const ME = 1000;
const file = (uid: number, mode: number) => ({ kind: 'file', uid, mode }) as const;

describe('the users who can change a file', () => {
  it.each([
    ['only the user', file(ME, 0o600)],
    ['the user, others may read', file(ME, 0o644)],
    ['the administrator', file(0, 0o444)],
    ['the owners of the files in a sticky directory', { kind: 'directory', uid: 0, mode: 0o1777 } as const],
    ['the user, by a link, whose mode says nothing', { kind: 'link', uid: ME, mode: 0o777 } as const],
  ])('%s: no problem', (_title, stat) => {
    expect(ownershipProblem(stat, ME)).toBeUndefined();
  });

  it.each([
    ['a different user', file(1001, 0o600), 'foreign'],
    ['a different user, by a link', { kind: 'link', uid: 1001, mode: 0o777 } as const, 'foreign'],
    ['the group', file(ME, 0o620), 'writable'],
    ['all users', file(ME, 0o602), 'writable'],
    ['all users, though it is the administrator’s', file(0, 0o646), 'writable'],
    ['all users, by replacing the files in it', { kind: 'directory', uid: ME, mode: 0o777 } as const, 'writable'],
  ])('%s: a problem', (_title, stat, kind) => {
    expect(ownershipProblem(stat, ME)?.kind).toBe(kind);
  });

  it('are not checked if the system has no user ids', () => {
    expect(ownershipProblem(file(7, 0o666), undefined)).toBeUndefined();
  });
});
