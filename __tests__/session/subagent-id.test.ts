import fc from 'fast-check';
import { subagentId, subagentsIn, subagentsOf } from '../../lib/session/subagent-id.ts';

const ids = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$/);

it('the id of a subagent is valid and names its parent, for a parent id of any length', () => {
  fc.assert(
    fc.property(ids, ids, fc.stringMatching(/^[0-9a-f]{8}$/), (parent, other, token) => {
      const id = subagentId(parent, token);
      expect(id).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/);
      expect(subagentsOf(parent, [other, id, parent])).toContain(id);
      expect(subagentsIn([parent, id])).toEqual(new Set([id]));
    }),
    { numRuns: 200 },
  );
});

it('names of the user, and subagents whose parent is gone, are not subagents of a session', () => {
  const names = ['agent-smith', 'agent-12345678', 'agent-12345678-gone', 'talk', 'agent-1234567g-talk'];
  expect(subagentsIn(names)).toEqual(new Set());
  expect(subagentsOf('talk', names)).toEqual([]);
});
