// How often the loop guard would have stopped real work, and whether it finds a loop that is planted in it. The figures
// stand in docs/loop-detection.md; this holds them.
import { readFileSync } from 'node:fs';
import { wallSeconds } from '../../lib/loop-detection/volatile.ts';
import { createFiringsFold, type LoopFirings } from '../../lib/projections/loop-firings.ts';
import { createReplayer } from '../../lib/projections/replayer.ts';
import { event, stored } from '../support/event-list.ts';
import { fileEvents, transcriptFiles } from '../support/transcripts.ts';

const FILES = transcriptFiles();
if (FILES.length === 0) console.log('Skipped: no transcripts in ../shared/data/agents.');

const at = (repeatThreshold: number) => createFiringsFold({ maxTurns: 50, repeatThreshold });
const FOLDS = { two: at(2), three: at(3), five: at(5) };

function firingsIn(events: Parameters<typeof stored>[0]) {
  const replayer = createReplayer(FOLDS);
  for (const one of stored(events)) replayer.see(one);
  return replayer.states;
}

(FILES.length === 0 ? describe.skip : describe)('the loop guard on real conversations', () => {
  const conversations = FILES.map(({ path, form }) => fileEvents(path, form));

  it('the guard never reports work as a repetition, and the turn limit stops only the longest turns', () => {
    const found = conversations.map(firingsIn);
    for (const threshold of ['two', 'three', 'five'] as const) {
      const patterns = found.flatMap((states) => states[threshold].firings).map(({ pattern }) => pattern);
      expect(patterns).toEqual(['turn-limit', 'turn-limit', 'turn-limit']);
    }
    const sizes = found.map(({ three }) => three);
    const sum = (pick: (found: LoopFirings) => number) => sizes.reduce((total, one) => total + pick(one), 0);
    const turns = conversations.flat().filter(({ type }) => type === 'turn.started').length;
    const line = `${sizes.length} conversations, ${turns} turns, ${sum(({ calls }) => calls)} calls, ${sum(({ outputs }) => outputs)} answers`;
    expect(readFileSync('docs/loop-detection.md', 'utf8').replace(/\s+/g, ' ')).toContain(line);
  });

  it('the guard finds a planted loop at any place', () => {
    for (const events of conversations) {
      const finished = events.findLastIndex(({ type }) => type === 'tool.finished');
      const output = String((events[finished]?.data.result as { llmContent?: string } | undefined)?.llmContent ?? '');
      if (finished < 0 || output === '') continue;
      const again = [event.asked('again', 'shell', { command: 'make' }), event.finished('again', output)];
      const lastQuestion = events.findLastIndex(({ type }, index) => type === 'turn.started' && index < finished);
      // The output of a call that took long, as its first line says, is repeated twice as often before it is a loop.
      const rounds = wallSeconds(output) >= 1 ? 6 : 3;
      const planted = [...events.slice(lastQuestion, finished + 1), ...Array(rounds).fill(again).flat()];
      const found = firingsIn(planted).three.firings.filter(({ pattern }) => pattern === 'repeated-tool');
      expect(found).toHaveLength(1);
    }
  });
});
