// Notices about a session for its reader: one at a time, the gravest.
import { useState } from 'preact/hooks';
import type { ActivityAnswer, Outline, SentSessionRow } from '../api/types.ts';
import { count, momentOf, plural } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import { go, sessionLink } from '../router.ts';
import { agentName } from './icon.tsx';
import { Notice } from './notice.tsx';

interface Props {
  address: string;
  at: number | undefined;
  row: SentSessionRow | undefined;
  outline: Outline | undefined;
  holder: ActivityAnswer['holder'];
  onJump: (seq: number) => void;
}

export function SessionNotices({ address, at, row, outline, holder, onJump }: Props) {
  const [next, setNext] = useState(0);
  const damage = outline?.damage ?? [];
  if (at !== undefined)
    return (
      <Notice
        tone="info"
        title={
          outline && at > outline.head ? `There is no event ${count(at)} yet.` : `As it was after event ${count(at)}.`
        }
        action="Back to now"
        onAction={() => go(sessionLink(address))}
      >
        {outline && outline.head > at ? `${plural(outline.head - at, 'later event')} hidden.` : ''}
        {outline && outline.head < at ? 'This is all of the session.' : ''}
      </Notice>
    );
  if (damage.length > 0)
    return (
      <Notice
        tone="danger"
        title={`This journal is damaged in ${damage.length === 1 ? 'one place' : `${count(damage.length)} places`}.`}
        action={next === 0 ? 'Go there' : 'Next'}
        onAction={() => {
          onJump(Math.max(0, damage[next % damage.length]!.after));
          setNext(damage.length === 1 ? 0 : next + 1);
        }}
      >
        Everything else is as it was written.
      </Notice>
    );
  if (holder !== undefined) {
    const by = oneLine(holder.command ?? '') || 'another program';
    const since = holder.since === undefined ? '' : `, since ${momentOf(new Date(holder.since), new Date())}`;
    return (
      <Notice tone="info" title={`Open elsewhere: ${by}${since}.`}>
        You can read along. To write, close it there.
      </Notice>
    );
  }
  if (row?.gone === true)
    return (
      <Notice tone="info" title={`${agentName(row.agent)} deleted its file.`}>
        The copy here is whole{outline ? `: ${plural(outline.head + 1, 'event')}` : ''}.
      </Notice>
    );
  return null;
}
