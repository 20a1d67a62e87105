// The summary that the model reads instead of the compacted events, and a list of these.
import { useEffect, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { SentEvent } from '../api/types.ts';
import { blocksOf, type ShownBlock } from '../model/blocks.ts';
import { lineOf } from '../model/line-of-block.ts';
import { count } from '../model/numbers.ts';
import { useAttempt } from '../state/attempt.ts';
import { Problem } from './problem.tsx';
import { Prose } from './prose.tsx';
import './compaction-body.css';

interface Props {
  data: Extract<ShownBlock, { kind: 'compaction' }>['data'];
  /** How many events it covers. */
  events: number;
  /** Address of the session. */
  address: string;
  onJump: (seq: number) => void;
}

export function CompactionBody({ data, events, address, onJump }: Props) {
  return (
    <div class="compaction-body">
      <p class="label">What the model reads instead</p>
      {data.summary === undefined || data.summary === '' ? (
        <p class="meta">{data.opaque ? 'Kept in a form that only its model can read.' : 'Nothing: it is left out.'}</p>
      ) : (
        <Prose text={data.summary} />
      )}
      <p class="label">What it covers</p>
      {events === 0 ? <p class="meta">Nothing.</p> : <Covered {...data.covers} address={address} onJump={onJump} />}
    </div>
  );
}

/** Events that are asked for at once. */
const MOST = 100;

/** A line for each thing in a stretch of events, loaded as far as the reader goes. */
function Covered(props: { from: number; to: number; address: string; onJump: (seq: number) => void }) {
  const { from, to, address, onJump } = props;
  const [events, setEvents] = useState<readonly SentEvent[]>([]);
  const [next, setNext] = useState(from);
  const { attempt, problem } = useAttempt();
  const load = (): Promise<void> =>
    attempt(async () => {
      const limit = Math.min(MOST, to - next + 1);
      const query = { from: next, limit, messages: false };
      const { entries } = await server.getHistory({ parameters: { id: address }, query });
      setEvents([...events, ...(entries as unknown as readonly SentEvent[])]);
      setNext(next + limit);
    });
  useEffect(() => void load(), []);
  return (
    <div class="covered">
      {blocksOf(events).map((block) => (
        <a
          key={`${block.kind}-${block.seq}`}
          class={block.kind}
          href={`#${block.seq}`}
          onClick={() => onJump(block.seq)}
        >
          <span class="meta">{block.seq}</span>
          <span class="cut" dir="auto">
            {lineOf(block)}
          </span>
        </a>
      ))}
      <Problem text={problem} />
      {next <= to ? (
        <button type="button" class="show-all" onClick={() => void load()}>
          {events.length === 0 ? 'Loading' : `Show ${count(Math.min(MOST, to - next + 1))} more`}
        </button>
      ) : null}
    </div>
  );
}
