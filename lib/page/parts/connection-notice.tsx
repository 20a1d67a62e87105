// That ollm does not answer: said over the top of the view, below its head, so that nothing of it moves.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { retryNow, useConnection } from '../api/connection.ts';
import { clock } from '../model/numbers.ts';
import { announce } from '../state/announce.ts';
import { Notice } from './notice.tsx';

export function ConnectionNotice() {
  const { state, lostAt } = useConnection();
  const box = useRef<HTMLDivElement>(null);
  const wasLost = useRef(false);
  useEffect(() => {
    if (state === 'connected' && wasLost.current) announce('Connected again', 'connection');
    wasLost.current = state !== 'connected';
  }, [state]);
  useLayoutEffect(() => {
    const head = box.current?.parentElement?.querySelector('header');
    if (box.current) box.current.style.top = `${head ? head.offsetTop + head.offsetHeight : 0}px`;
  });
  if (state === 'connected') return null;
  return (
    <div ref={box} class="connection-notice">
      {state === 'reconnecting' ? (
        <Notice tone="info" title="Reconnecting.">
          It continues where it was. Nothing is missed.
        </Notice>
      ) : (
        <Notice tone="warn" title="ollm does not answer." action="Try now" onAction={retryNow}>
          This is as of {clock(lostAt!)}. Your draft is kept.
        </Notice>
      )}
    </div>
  );
}
