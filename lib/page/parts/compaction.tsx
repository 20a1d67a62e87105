// A compaction in one line, which unfolds in place.
import type { ShownBlock } from '../model/blocks.ts';
import { plural, tokens } from '../model/numbers.ts';
import { type Unfolded, useUnfolded } from '../state/unfolded.ts';
import { Icon } from './icon.tsx';
import { lazy } from './lazy.tsx';

const CompactionBody = lazy(async () => (await import('./compaction-body.tsx')).CompactionBody);

type CompactionBlock = Extract<ShownBlock, { kind: 'compaction' }>;

interface Props {
  block: CompactionBlock;
  /** Address of the session. */
  address: string;
  unfolded: Unfolded;
  onJump: (seq: number) => void;
}

export function Compaction({ block, address, unfolded, onJump }: Props) {
  const [isOpen, toggle] = useUnfolded(unfolded, `compaction-${block.seq}`, false);
  const { data } = block;
  const events = Math.max(0, data.covers.to - data.covers.from + 1);
  return (
    <div class="compaction">
      <button type="button" class="compaction-line" aria-expanded={isOpen} onClick={toggle}>
        <Icon name={isOpen ? 'down' : 'chevron'} />
        <b>Compacted</b>
        <span>{block.isUndone ? 'taken back later' : `${plural(events, 'event')} became a summary`}</span>
        <span class="meta">
          {tokens(data.tokensBefore)} → {tokens(data.tokensAfter)} tokens
        </span>
      </button>
      {isOpen ? <CompactionBody data={data} events={events} address={address} onJump={onJump} /> : null}
    </div>
  );
}
