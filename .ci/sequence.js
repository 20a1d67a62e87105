// The order of the test files: as Jest has it, where it knows how long each took. In a run that is the first in its
// folder, as in a check of a fresh clone, those named here come first, then files that start programs, and of each kind
// the largest: a file of minutes that begins last would leave the other cores idle.
import Sequencer from '@jest/test-sequencer';

/** They take far longer than their size says: half a minute and more. The longest are the first. */
const LONG = [
  'nats/faults',
  'lead/runs/real-agents',
  'agents/real-programs',
  'handover/real-programs',
  'mcp-server/real-programs',
  'page/many-sessions',
  'lead/runs/killed',
  'hub/killed',
  'page/idle',
  'repl/every-terminal',
  'page/states',
  'mcp/broken',
  'handover/killed',
  'blame/precision',
  'lab/found-sessions',
  'lab/continued-sessions',
  'docs/extensions',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

function rank({ path, context }) {
  const place = LONG.findIndex((name) => path.includes(`__tests__/${name}`));
  if (place >= 0) return place;
  return LONG.length + (context.config.displayName?.name === 'unit' ? 1 : 0);
}
