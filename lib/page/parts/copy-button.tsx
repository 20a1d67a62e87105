import { useState } from 'preact/hooks';

/** Copies a text, and says so for two seconds. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState<string>();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Not allowed');
    }
    setTimeout(() => setSaid(undefined), 2000);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
