// A change of a file that several processes share. What its users promise is in grants-file.test.ts and
// approvals.test.ts.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContentChange } from '../../../lib/platform/files/file-change.ts';
import { nodeFileSystem, systemIds } from '../../../lib/platform/index.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ollm-change-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = () => ({ path: join(root, 'below', 'book.json'), fileSystem: nodeFileSystem, ids: systemIds });
const content = () => readFileSync(file().path, 'utf8');

describe('a change of a shared file', () => {
  it('is visible when it is committed, and not before', async () => {
    const change = await ContentChange.beginWhenFree(file());
    writeFileSync(file().path, 'old');
    change.write('new');
    expect(content()).toBe('old');
    change.commit();
    expect(content()).toBe('new');
    change.end();
    expect(statSync(file().path).mode & 0o777).toBe(0o600);
  });

  it('that is not committed leaves no trace', async () => {
    const change = await ContentChange.beginWhenFree(file());
    change.write('new');
    change.end();
    expect(readdirSync(join(root, 'below'))).toEqual(['book.json.lock']);
  });

  it('waits for one of the same process that is in progress', async () => {
    const first = await ContentChange.beginWhenFree(file());
    const order: string[] = [];
    const second = ContentChange.beginWhenFree(file()).then((change) => {
      order.push('second');
      change.end();
    });
    first.write('new');
    await first.sync();
    order.push('first');
    first.end();
    await second;
    expect(order).toEqual(['first', 'second']);
  });
});
