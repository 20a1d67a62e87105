import { ERROR_CODES } from '../../../lib/errors/index.ts';
import { agentAdvice } from '../../../lib/page/model/agent-advice.ts';

it.each(Object.keys(ERROR_CODES).filter((code) => code.startsWith('AGENT_')))(
  'a run that failed with %s has a next step',
  (code) => {
    expect(agentAdvice(code)).toMatch(/\.$/);
  },
);

it('another error has none', () => {
  expect(agentAdvice('DISK_FULL')).toBe('');
});
