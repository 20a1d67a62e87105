// The order of the test files: as Jest has it, where it knows how long each took. In a run that is the first in its
// folder, as in a check of a fresh clone, files that start programs come first, and of each kind the largest: a file
// of half a minute that begins last would leave the other cores idle.
import Sequencer from '@jest/test-sequencer';

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const isUnit = ({ context }) => Number(context.config.displayName?.name === 'unit');
    return sorted.sort((a, b) => isUnit(a) - isUnit(b));
  }
}
