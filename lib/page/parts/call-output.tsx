// The output of a call: its last lines while it runs, then both ends of it, all of it, and the part that was cut out.
import { useEffect, useState } from 'preact/hooks';
import type { ShownCall } from '../model/blocks.ts';
import { endsOf } from '../model/ends-of-text.ts';
import { bytes, plural } from '../model/numbers.ts';
import { visible } from '../model/visible.ts';
import { useAttempt } from '../state/attempt.ts';
import { keptText } from '../state/guest.ts';
import { useRunningOutput } from '../state/running-output.ts';
import { CopyButton } from './copy-button.tsx';
import { Problem } from './problem.tsx';
import './call-card.css';

/** The box keeps its height, so that nothing moves while lines come. */
export function RunningOutput({ callId }: { callId: string }) {
  const text = useRunningOutput(callId);
  return (
    <pre class="running-output" aria-hidden="true">
      {visible(text)}
    </pre>
  );
}

export function Output({ end }: { end: NonNullable<ShownCall['end']> }) {
  const { llmContent: text } = end.result;
  const [isWhole, setIsWhole] = useState(false);
  const [isOpened, setIsOpened] = useState(false);
  if (text === '') return <p class="facts">It printed nothing.</p>;
  const { truncated: cut, blob } = end;
  if (isOpened && blob !== undefined) return <WholeOutput blob={blob} />;
  const shown = visible(text);
  const ends = isWhole ? undefined : endsOf(shown);
  return (
    <div class="output-box">
      <pre class="output" tabIndex={0}>
        {ends ? `${ends.first}\n…\n${ends.last}` : shown}
      </pre>
      <p class="output-foot">
        {ends ? (
          <button type="button" class="show-all" onClick={() => setIsWhole(true)}>
            Show all {ends.lines > 1 ? plural(ends.lines, 'line') : bytes(text.length)}
          </button>
        ) : null}
        {cut !== undefined && blob !== undefined ? (
          <button type="button" class="show-all" onClick={() => setIsOpened(true)}>
            Open all {bytes(cut.originalBytes)}
          </button>
        ) : null}
        <span class="meta">
          {bytes(text.length)}
          {cut === undefined ? '' : ` of ${bytes(cut.originalBytes)} went to the model`}
          {cut !== undefined && blob === undefined ? '; the rest was not kept' : ''}
        </span>
        <CopyButton text={text} />
      </p>
    </div>
  );
}

/** Bytes that are asked for at once. */
const PIECE = 65_536;

/** An output that was cut for the model, as it was kept: loaded as far as the reader goes. */
function WholeOutput({ blob }: { blob: string }) {
  const [text, setText] = useState('');
  const [place, setPlace] = useState<{ next: number | undefined; bytes: number }>();
  const { attempt, problem } = useAttempt();
  const [isLoading, setIsLoading] = useState(false);
  const load = (from: number): Promise<void> =>
    attempt(async () => {
      setIsLoading(true);
      try {
        const answer = await keptText(blob, { from, limit: PIECE });
        setText((old) => old + answer.text);
        setPlace({ next: answer.next, bytes: answer.bytes });
      } finally {
        setIsLoading(false);
      }
    });
  useEffect(() => void load(0), []);
  return (
    <div class="output-box" aria-busy={isLoading}>
      <pre class="output whole" tabIndex={0}>
        {visible(text)}
      </pre>
      <Problem text={problem} />
      <p class="output-foot">
        {place?.next === undefined ? null : (
          <button type="button" class="show-all" disabled={isLoading} onClick={() => void load(place.next!)}>
            Load {bytes(Math.min(PIECE, place.bytes - place.next))} more
          </button>
        )}
        <span class="meta">
          {place === undefined ? 'Loading' : `${bytes(place.next ?? place.bytes)} of ${bytes(place.bytes)}`}
        </span>
        <CopyButton text={text} />
      </p>
    </div>
  );
}
