import { useEffect } from 'preact/hooks';
import type { SentSessionRow } from '../api/types.ts';
import { keepInMemory } from './draft.ts';
import type { Pages } from './pages.ts';

/** An encrypted session in the page: nothing of it stays when it is locked, and no draft is stored. */
export function useEncrypted(address: string, row: SentSessionRow | undefined, pages: Pages): void {
  const isLocked = row?.problem === 'encrypted';
  // It was locked, perhaps in another window: its content leaves the screen.
  useEffect(() => {
    if (isLocked && pages.head !== undefined) pages.restart();
  }, [isLocked]);
  useEffect(() => {
    if (row?.unlocked === true) keepInMemory(address);
  }, [row?.unlocked]);
}
