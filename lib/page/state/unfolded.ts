// The items that the reader folded and unfolded in a session: they stay so until they come into view again.
import { useState } from 'preact/hooks';

export interface Unfolded {
  has(id: string): boolean | undefined;
  set(id: string, isOpen: boolean): void;
}

/** `opens`: how it is at first. What changes later folds nothing that is being read. */
export function useUnfolded(unfolded: Unfolded, id: string, opens: boolean): [isOpen: boolean, toggle: () => void] {
  const [isOpen, setIsOpen] = useState(unfolded.has(id) ?? opens);
  const toggle = (): void => {
    unfolded.set(id, !isOpen);
    setIsOpen(!isOpen);
  };
  return [isOpen, toggle];
}
