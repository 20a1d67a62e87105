// A line that holds, with an object of more members than any event of ollm has.
import { appendFileSync, readFileSync } from 'node:fs';
import xxhash from 'xxhash-wasm';
import { createHome, type Home } from '../../support/cli.ts';

const { h64Raw } = await xxhash();
const WIDTH = 300_000;

/** Adds a line with this data, as another program may have written it. */
function addLine(home: Home, id: string, data: string): void {
  const lines = readFileSync(home.journal(id), 'utf8').trim().split('\n');
  const last = JSON.parse(lines.at(-1)!) as { seq: number; ts: string; xxh64: string };
  const head = `{"seq":${last.seq + 1},"ts":"${last.ts}","type":"lab.noted","data":${data},"prev":"${last.xxh64}"`;
  const sum = h64Raw(Buffer.from(head)).toString(16).padStart(16, '0');
  appendFileSync(home.journal(id), `${head},"xxh64":"${sum}"}\n`);
}

describe('an event whose data has very many members', () => {
  it('is shown by its beginning', async () => {
    using home = createHome();
    await home.append('one', [{ type: 'lab.noted', data: { n: 1 } }]);
    addLine(home, 'one', `{${Array.from({ length: WIDTH }, (_, index) => `"m${index}":${index}`).join(',')}}`);
    const { stdout, exitCode } = await home.run(['tail', 'one', '-n', '1']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('{"m0":0,"m1":1,');
  });
});
