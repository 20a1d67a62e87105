import { useEffect, useState } from 'preact/hooks';
import { hearAnnouncements } from '../state/announce.ts';

/** The two regions that a screen reader listens to. */
export function Announcer() {
  const [polite, setPolite] = useState('');
  const [assertive, setAssertive] = useState('');
  useEffect(() => {
    hearAnnouncements(setPolite, setAssertive);
  }, []);
  return (
    <>
      <div class="said-only" aria-live="polite">
        {polite}
      </div>
      <div class="said-only" aria-live="assertive">
        {assertive}
      </div>
    </>
  );
}
