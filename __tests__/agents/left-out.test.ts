import { Reasons } from '../../lib/agents/left-out.ts';

describe('the reason why a record stays in the source', () => {
  const reasons = new Reasons({
    'it is a setting': ['mode', 'hook.*', 'user toolUseResult', 'answer attribution*'],
    'it comes again': ['queue'],
  });

  it.each([
    ['mode', undefined, 'it is a setting'],
    ['hook.start', undefined, 'it is a setting'],
    ['queue', undefined, 'it comes again'],
    ['user', 'toolUseResult', 'it is a setting'],
    ['user', 'toolUseResult.file.content', 'it is a setting'],
    ['answer', 'attributionSkill', 'it is a setting'],
  ])('is given for %s %s', (type, member, reason) => {
    expect(reasons.of(type, member)).toBe(reason);
  });

  it.each([
    ['modes', undefined],
    ['hook', undefined],
    ['user', undefined],
    ['mode', 'text'],
    ['user', 'toolUseResults'],
    ['user', 'tool'],
    ['answer', 'attribute'],
    ['constructor', undefined],
  ])('is unknown for %s %s', (type, member) => {
    expect(reasons.of(type, member)).toBeUndefined();
  });
});
