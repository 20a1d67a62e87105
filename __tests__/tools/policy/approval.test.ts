// What an approval is bound to, and that it is used once.
import fc from 'fast-check';
import type { Action } from '../../../lib/tools/action.ts';
import { actionHash } from '../../../lib/tools/policy/action-hash.ts';
import { approvalOf } from '../../../lib/tools/policy/approval.ts';
import { shell } from './policy-of.ts';

const call = { callId: 'c1', args: { command: 'npm test', cwd: 'lib' }, action: shell('npm test') };
const names = ['PATH', 'HOME'];
const hash = actionHash(call, names);

describe('the hash of an action', () => {
  it('is 64 hexadecimal digits, and equal for equal members in a different order', () => {
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(actionHash({ ...call, args: { cwd: 'lib', command: 'npm test' } }, ['HOME', 'PATH'])).toBe(hash);
  });

  it.each<[string, object, (readonly string[])?]>([
    ['call', { ...call, callId: 'c2' }],
    ['argument', { ...call, args: { command: 'npm test' } }],
    ['line', { ...call, action: shell('npm tesT') }],
    ['directory', { ...call, action: shell('npm test', '/home/me') }],
    ['tool', { ...call, action: { ...call.action, tool: 'bash2' } }],
    [
      'kind of command',
      {
        ...call,
        action: { ...call.action, command: { kind: 'program', argv: ['npm', 'test'], cwd: '/home/me/project' } },
      },
    ],
    ['access', { ...call, action: { ...call.action, accesses: [{ kind: 'write', path: '/a' }] } }],
    ['variable more', call, ['PATH', 'HOME', 'LD_PRELOAD']],
    ['variable less', call, ['PATH']],
  ])('differs with a different %s', (_what, other, environment = names) => {
    expect(actionHash(other as typeof call, environment)).not.toBe(hash);
  });

  it('distinguishes different divisions into words', () => {
    const argv = (...words: [string, ...string[]]): Action => ({
      ...call.action,
      command: { kind: 'program', argv: words, cwd: '/' },
    });
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.array(fc.string(), { minLength: 1 }), (one, other) => {
        const hashOf = (words: string[]) => actionHash({ ...call, action: argv(...(words as [string])) }, []);
        expect(hashOf(one) === hashOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});

describe('an approval', () => {
  it('can be used once', () => {
    const approval = approvalOf(hash);
    expect(approval.use(hash)).toBe(true);
    expect(approval.use(hash)).toBe(false);
  });

  it('does not approve a different action, and is used up by the attempt', () => {
    const approval = approvalOf(hash);
    expect(approval.use(actionHash({ ...call, callId: 'c2' }, names))).toBe(false);
    expect(approval.use(hash)).toBe(false);
  });
});
