import { oneLine, safeLink, visible } from '../../../lib/page/model/visible.ts';

describe('text on the page', () => {
  it('shows control and bidirectional characters as escapes, and keeps lines and tabs', () => {
    expect(visible('a\u001b[31mb\u202ec\u0000d\r\ne\tf')).toBe('a\\u001b[31mb\\u202ec\\u0000d\ne\tf');
    expect(oneLine(' a\n\n b\u2066 ')).toBe('a b\\u2066');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'JaVaScRiPt:x',
    'vbscript:x',
    'file:///etc/passwd',
    '/relative',
    '',
  ])('makes no link of %j', (target) => expect(safeLink(target)).toBeUndefined());

  it.each(['https://example.org/a?b#c', 'http://localhost:1/', 'mailto:a@b.c'])('makes a link of %s', (target) =>
    expect(safeLink(target)).toBe(target),
  );
});
