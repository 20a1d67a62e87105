import { useState } from 'preact/hooks';

/** Files that are dropped or pasted. */
export function useDrop(take: (files: readonly File[]) => Promise<void>) {
  const [isOver, setIsOver] = useState(false);
  const taken = (files: readonly File[]): void => void take(files);
  return {
    isOver,
    take: taken,
    handlers: {
      onDragOver(event: DragEvent) {
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave: () => setIsOver(false),
      onDrop(event: DragEvent) {
        event.preventDefault();
        setIsOver(false);
        taken([...(event.dataTransfer?.files ?? [])]);
      },
    },
    onPaste(event: ClipboardEvent) {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      taken(files);
    },
  };
}
