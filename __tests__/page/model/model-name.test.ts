import { modelName } from '../../../lib/page/model/short-names.ts';

describe('the name of a model', () => {
  it('says that the search of the offline provider is offline', () => {
    expect(modelName('search')).toBe('offline search');
  });

  it('is one line, with control characters as escapes', () => {
    expect(modelName('maple-2\n\u202e')).toBe('maple-2 \\u202e');
  });
});
