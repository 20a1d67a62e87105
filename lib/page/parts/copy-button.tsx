import { useState } from 'preact/hooks';

/** Whether the browser let a text be copied. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies a text, and says so for two seconds. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState<string>();
  const copy = async (): Promise<void> => {
    setSaid((await copied(text)) ? 'Copied' : 'Not allowed');
    setTimeout(() => setSaid(undefined), 2000);
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
