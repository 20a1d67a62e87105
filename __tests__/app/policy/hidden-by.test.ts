// Which passages a model may not be shown, by a policy that hides one directory.
import { hiddenBy } from '../../../lib/app/policy/hidden-by.ts';
import type { Policy } from '../../../lib/tools/decision.ts';

const asked: string[] = [];
const policy: Policy = {
  decide({ accesses }) {
    const { path } = accesses[0] as { path: string };
    asked.push(path);
    return /^\/home\/ada\/secret(?:\/|$)/.test(path)
      ? { kind: 'deny', rule: 'deny:file_read(secret/**)', reason: 'It is hidden.' }
      : { kind: 'allow', by: 'policy', rule: 'default:read-in-project' };
  },
  grant() {},
};
const app = { paths: { project: '/home/ada' } } as Parameters<typeof hiddenBy>[0];
const isHidden = hiddenBy(app, policy);
const file = (place: string) => isHidden({ kind: 'file', place, project: '/home/ada', about: '', text: '' });
const said = (text: string, about = '', project = '/home/ada') =>
  isHidden({ kind: 'session', place: 'ollm:oak#1', project, about, text });

describe('hidden passages', () => {
  it('are those of a file that a rule hides', () => {
    expect([file('secret/a.md:3'), file('open/a.md:3')]).toEqual([true, false]);
  });

  it('are those of a session that names a hidden file, in a call or in a result', () => {
    expect(said('The word is oak.', 'bash › command: cat secret/a.md')).toBe(true);
    expect(said('The word is oak.', 'bash › command: cd secret && cat a.md')).toBe(true);
    expect(said('The word is oak.', 'bash › command: cat a.md', '/home/ada/secret')).toBe(true);
    expect(said('open/b.md:1: no\nsecret/a.md:3: The word is oak.')).toBe(true);
    expect(said('It is in `/home/ada/secret/a.md`.')).toBe(true);
    expect(said('I have read secret/a.md.')).toBe(true);
  });

  it('are not those with a mere word, a different file, or a path outside the project', () => {
    expect(said('The secret is oak, and so on.')).toBe(false);
    expect(said('at run (/usr/lib/secret/a.js:3) in open/a.md', 'bash › command: npm run build')).toBe(false);
    expect(asked).not.toContain('/usr/lib/secret/a.js');
  });

  it('cost one decision for each path', () => {
    asked.length = 0;
    const once = hiddenBy(app, policy);
    for (let turn = 0; turn < 3; turn += 1)
      once({
        kind: 'session',
        place: 'ollm:oak#1',
        project: '/home/ada',
        about: '',
        text: 'See lib/a.ts and lib/a.ts.',
      });
    expect(asked).toEqual(['/home/ada/lib/a.ts']);
  });
});
