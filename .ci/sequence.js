// The order of the test files: as Jest has it, where it knows how long each took. In a run that is the first in its
// folder, as in a check of a fresh clone, those named here come first, then files that start programs, and of each kind
// the largest: a file of minutes that begins last would leave the other cores idle.
import Sequencer from '@jest/test-sequencer';

/** They take far longer than their size says: half a minute and more. */
const LONG = [
  'nats/faults/faults.test.ts',
  'agents/real-programs.test.ts',
  'hub/killed.test.ts',
  'page/states.test.ts',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

function rank({ path, context }) {
  if (LONG.some((file) => path.endsWith(`__tests__/${file}`))) return 0;
  return context.config.displayName?.name === 'unit' ? 2 : 1;
}
