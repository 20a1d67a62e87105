import { useState } from 'preact/hooks';
import { oneLine } from '../model/visible.ts';

/**
 * An image of the session in a box of 320 by 200, which it has before it is loaded, so that nothing moves; a click
 * shows all of it. One that is smaller is not made larger.
 */
export function BlobImage({ blob, type }: { blob: string; type: string }) {
  const [isMissing, setIsMissing] = useState(false);
  if (!/^image\/(png|jpeg|gif|webp)$/.test(type))
    return <p class="meta">An image of the kind {oneLine(type)}, not shown.</p>;
  // Anything else is not the name of a content, and might be another address.
  if (isMissing || !/^[0-9a-f]{64}$/.test(blob)) return <p class="meta">The image is not kept here.</p>;
  return (
    <a class="blob-link" href={`/api/llm/assets/${blob}`} target="_blank" rel="noopener">
      <img
        class="blob"
        src={`/api/llm/assets/${blob}`}
        alt="Attached to this message"
        width={320}
        height={200}
        loading="lazy"
        onError={() => setIsMissing(true)}
      />
    </a>
  );
}
