// A stat with some members changed. The members of a stat are getters, which a spread of it does not have.
import type { FileStat } from '../../lib/platform/index.ts';

export function changedStat(stat: FileStat, changes: Partial<FileStat>): FileStat {
  return new Proxy(stat, {
    get: (target, name) => (Object.hasOwn(changes, name) ? Reflect.get(changes, name) : Reflect.get(target, name)),
  });
}
