import { constants } from 'node:os';
import { ERROR_CODES, type ErrorCode, OllmError, systemErrorCode } from '../../lib/errors/index.ts';
import { systemError } from '../../lib/platform/index.ts';

describe('the code of a system error', () => {
  it('is the name from the system', () => {
    expect(systemErrorCode(systemError('ENOSPC', 'write'))).toBe('ENOSPC');
  });

  it.each(['UNKNOWN', 'Unknown system error -122'])('is found by its number if node reports %s', (code) => {
    expect(systemErrorCode({ code, errno: -constants.errno.EDQUOT })).toBe('EDQUOT');
    expect(systemErrorCode({ code, errno: -99_999 })).toBeUndefined();
  });

  it('is undefined for a value that is not a system error', () => {
    for (const error of [
      null,
      undefined,
      'ENOENT',
      new Error('ENOENT'),
      { code: 'ERR_STRING_TOO_LONG' },
      { code: 7 },
    ]) {
      expect(systemErrorCode(error)).toBeUndefined();
    }
  });
});

it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
  '%s as JSON has its code, message, hint and data, not its cause',
  (code) => {
    const error = new OllmError(code, 'It failed.', { hint: 'Do this.', data: { id: 'a' }, cause: new Error('why') });
    expect(JSON.parse(JSON.stringify({ error }))).toEqual({
      error: { code, message: 'It failed.', hint: 'Do this.', data: { id: 'a' } },
    });
  },
);
