// Counts what work in this process asks of the machine: calls of the real file system, bytes that were read, JSON that
// was parsed, and rows that SQLite gave. Everything is put back afterwards.
import { StatementSync } from 'node:sqlite';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { countingFileSystem } from './counting-file-system.ts';

export interface Counts {
  readonly stats: number;
  readonly opens: number;
  readonly directories: number;
  readonly readBytes: number;
  readonly parses: number;
  readonly rows: number;
}

export async function countsOf(work: () => Promise<unknown>): Promise<Counts> {
  const fileSystem = { ...nodeFileSystem };
  const { all, get, iterate } = StatementSync.prototype;
  const { parse } = JSON;
  let [parses, rows] = [0, 0];
  const counting = countingFileSystem(fileSystem);
  for (const name of Object.keys(fileSystem) as (keyof typeof fileSystem)[]) {
    Object.assign(nodeFileSystem, { [name]: counting.fileSystem[name] });
  }
  JSON.parse = (...given: Parameters<typeof parse>) => {
    parses += 1;
    return parse(...given);
  };
  StatementSync.prototype.all = function (this: StatementSync, ...given) {
    const found = Reflect.apply(all, this, given);
    rows += found.length;
    return found;
  };
  StatementSync.prototype.get = function (this: StatementSync, ...given) {
    rows += 1;
    return Reflect.apply(get, this, given);
  };
  StatementSync.prototype.iterate = function* (this: StatementSync, ...given) {
    for (const row of Reflect.apply(iterate, this, given)) {
      rows += 1;
      yield row;
    }
  } as typeof iterate;
  try {
    const { calls, readBytes } = await counting.during(work);
    const { stat = 0, open = 0, readNames = 0, readDirectory = 0 } = calls;
    return { stats: stat, opens: open, directories: readNames + readDirectory, readBytes, parses, rows };
  } finally {
    Object.assign(nodeFileSystem, fileSystem);
    Object.assign(StatementSync.prototype, { all, get, iterate });
    JSON.parse = parse;
  }
}
