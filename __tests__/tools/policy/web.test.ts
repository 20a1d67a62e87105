// Which hosts of the web may be read from, by the rules of the user.
import { actionHash } from '../../../lib/tools/policy/action-hash.ts';
import { policyOf } from './policy-of.ts';

const reads = (host: string, more = {}) => ({
  tool: 'web_fetch',
  summary: '',
  isReadOnly: true,
  accesses: [],
  web: { host, ...more },
});

it('the policy asks about each host, and offers to allow it always or never', async () => {
  const { policy } = await policyOf();
  expect(policy.decide(reads('example.org'))).toEqual({
    kind: 'ask',
    rule: 'default:web',
    reason: 'It reads from example.org.',
    grant: 'web_fetch(example.org)',
    denial: 'web_fetch(example.org)',
  });
  policy.grant('web_fetch(example.org)');
  expect(policy.decide(reads('example.org'))).toMatchObject({ kind: 'allow', rule: 'grant:1' });
  for (const host of ['example.org:8080', 'a.example.org', 'example.org.evil.example', 'notexample.org'])
    expect(policy.decide(reads(host))).toMatchObject({ kind: 'ask' });
  policy.deny?.('web_fetch(evil.example)');
  expect(policy.decide(reads('evil.example'))).toMatchObject({ kind: 'deny' });
});

it.each(['plan', 'edits', 'auto'] as const)(
  'the policy asks in the mode %s too, because an address carries data off the machine',
  async (mode) => {
    const { policy } = await policyOf({}, { mode: () => mode });
    expect(policy.decide(reads('example.org'))).toMatchObject({ kind: 'ask', rule: 'default:web' });
  },
);

it('rules match hosts, with * for any characters, and a denial applies to any port', async () => {
  const rules = { allow: ['web_fetch(*.example.org)'], deny: ['web_fetch(Secret.example.org)'] };
  const { policy } = await policyOf(rules);
  expect(policy.decide(reads('docs.example.org'))).toMatchObject({
    kind: 'allow',
    rule: 'allow:web_fetch(*.example.org)',
  });
  expect(policy.decide(reads('example.org'))).toMatchObject({ kind: 'ask' });
  for (const host of ['secret.example.org', 'secret.example.org:8080'])
    expect(policy.decide(reads(host))).toMatchObject({ kind: 'deny' });
});

it('the policy allows the search of the user’s settings, unless a rule says otherwise', async () => {
  const search = { ...reads('searx.example', { isNamedByUser: true }), tool: 'web_search' };
  expect((await policyOf()).policy.decide(search)).toMatchObject({ kind: 'allow', rule: 'default:named-by-you' });
  const { policy } = await policyOf({ ask: ['web_search'] });
  expect(policy.decide(search)).toMatchObject({ kind: 'ask' });
});

it('an approval is bound to the host', () => {
  const hash = (host: string) => actionHash({ callId: 'c', args: {}, action: reads(host) }, []);
  expect(hash('a.example')).not.toBe(hash('b.example'));
});
