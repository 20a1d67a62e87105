import { ERROR_CODES } from '../../../lib/errors/index.ts';
import { agentAdvice } from '../../../lib/page/model/agent-advice.ts';

it.each(Object.keys(ERROR_CODES).filter((code) => code.startsWith('AGENT_')))(
  'a run that failed with %s has a next step',
  (code) => {
    expect(agentAdvice(code)).toMatch(/\.$/);
  },
);

it('an error that no agent caused has no next step', () => {
  expect(agentAdvice('DISK_FULL')).toBe('');
});
