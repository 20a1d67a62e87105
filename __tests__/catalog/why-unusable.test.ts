// The words for each error that SQLite and the system have: only a damaged file may be removed.
import { adviceOn, reasonOf } from '../../lib/catalog/why-unusable.ts';

const sqlite = (errcode: number) => Object.assign(new Error('words of SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
const system = (code: string) => Object.assign(new Error(code), { code, syscall: 'open', errno: -1 });
const FULL = /disk is full \(ENOSPC\)/;
const READ_ONLY = /read-only/;
const DAMAGED = /^is damaged$/;
const OTHER = /^cannot be used: words of SQLite$/;

describe('a derived file that cannot be used', () => {
  it.each([
    ['ERROR', sqlite(1), DAMAGED],
    ['INTERNAL', sqlite(2), OTHER],
    ['PERM', sqlite(3), READ_ONLY],
    ['BUSY', sqlite(5), OTHER],
    ['LOCKED', sqlite(6), OTHER],
    ['NOMEM', sqlite(7), OTHER],
    ['READONLY', sqlite(8), READ_ONLY],
    ['READONLY_DIRECTORY', sqlite(8 | (6 << 8)), READ_ONLY],
    ['INTERRUPT', sqlite(9), OTHER],
    ['IOERR', sqlite(10), OTHER],
    ['CORRUPT', sqlite(11), DAMAGED],
    ['CORRUPT_INDEX', sqlite(11 | (3 << 8)), DAMAGED],
    ['FULL', sqlite(13), FULL],
    ['CANTOPEN', sqlite(14), OTHER],
    ['PROTOCOL', sqlite(15), OTHER],
    ['TOOBIG', sqlite(18), OTHER],
    ['AUTH', sqlite(23), READ_ONLY],
    ['NOTADB', sqlite(26), DAMAGED],
    ['ENOSPC', system('ENOSPC'), FULL],
    ['EDQUOT', system('EDQUOT'), FULL],
    ['EROFS', system('EROFS'), READ_ONLY],
    ['EACCES', system('EACCES'), READ_ONLY],
    ['EIO', system('EIO'), /^cannot be used: EIO$/],
  ])('is described by what %s means, and may be removed only if it is damaged', (_name, error, words) => {
    const reason = reasonOf(error);
    expect(reason).toMatch(words);
    const advice = adviceOn(reason, { path: '/home/x/catalog.sqlite', remade: '"ollm sync" makes it again' });
    expect(/remove|delete/.test(advice)).toBe(words === DAMAGED);
  });

  it.each([10, 10 | (19 << 8), 14])(
    'is on a full disk if SQLite only reports %i and the disk has no room left',
    (errcode) => {
      expect(reasonOf(sqlite(errcode), { freeBytes: 4_096 })).toMatch(FULL);
    },
  );
});
