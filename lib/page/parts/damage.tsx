// A damaged place: what happened, whether anything is missing, and the bytes that were skipped. It has no number: it is
// not an event.
import { useEffect, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import type { SentDamagedPlace } from '../api/types.ts';
import { damageWords } from '../model/damage-words.ts';
import { hexLines } from '../model/hex-lines.ts';
import { count } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import { useAttempt } from '../state/attempt.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { Problem } from './problem.tsx';
import './damage.css';

const FIRST_BYTES = 64;
const MOST_BYTES = 1024;
/** On a phone half as many are in a line. */
const PER_LINE = matchMedia('(max-width: 719px)').matches ? 8 : 16;

export function Damage({ place, address }: { place: SentDamagedPlace; address: string }) {
  const isForeign = address.includes(':');
  const { title, missing } = damageWords(place, { isForeign });
  const [bytes, setBytes] = useState<Uint8Array>();
  const [isWhole, setIsWhole] = useState(false);
  const { attempt, problem } = useAttempt();
  const most = Math.min(place.length, isWhole ? MOST_BYTES : FIRST_BYTES);
  useEffect(() => {
    if (most === 0) return;
    void attempt(async () => {
      const query = { offset: place.offset, length: most };
      const answer = await server.getBytes({ parameters: { id: address }, query });
      setBytes(Uint8Array.from(atob(answer.bytes), (character) => character.charCodeAt(0)));
    });
  }, [most, place.offset, address]);
  return (
    <article class="damage" data-kind="damage" aria-label={`Damage at byte ${count(place.offset)}`}>
      <p class="damage-title">
        <Icon name="alert" />
        <b>{title}</b>
      </p>
      <p>
        {oneLine(place.reason)} {missing}
      </p>
      {most === 0 ? null : <Dump bytes={bytes} offset={place.offset} most={most} />}
      <Problem text={problem} />
      <details class="damage-details" onToggle={(event) => setIsWhole(event.currentTarget.open)}>
        <summary>Details</summary>
        <p class="meta">
          {place.kind}, {count(place.length)} bytes at byte {count(place.offset)}
          {place.line === undefined || place.line === 0 ? '' : `, line ${count(place.line)}`}
          {place.length > MOST_BYTES ? `. The first ${count(MOST_BYTES)} are shown.` : '.'}
        </p>
        {isForeign ? null : (
          <p class="meta damage-repair">
            A repair leaves it out, and keeps this file in the archive: <code>ollm repair {oneLine(address)}</code>
            <CopyButton text={`ollm repair ${address}`} label="Copy the command" />
          </p>
        )}
      </details>
    </article>
  );
}

/** It has its room before the bytes are there. */
function Dump({ bytes, offset, most }: { bytes: Uint8Array | undefined; offset: number; most: number }) {
  const lines = hexLines(bytes ?? new Uint8Array(most), { offset, perLine: PER_LINE });
  return (
    <pre
      class="dump"
      role="group"
      tabIndex={0}
      aria-label="The bytes that were skipped"
      aria-busy={bytes === undefined}
    >
      {lines.map((line) => (
        <span key={line.offset} class={bytes === undefined ? 'unloaded' : undefined}>
          <i>{line.offset}</i> {line.hex.padEnd(PER_LINE * 3 - 1)} <b>{line.text}</b>
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
