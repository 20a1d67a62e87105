import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ImagePart } from '../../messages/index.ts';
import { oneLine } from '../model/visible.ts';
import { assetLink } from '../state/guest.ts';
import './images.css';

const WIDEST = 320;
const HIGHEST = 200;

/**
 * An image of the session in a box of at most 320 by 200, which it has before it is loaded, so that nothing moves; a
 * click shows all of it. One that is smaller is not made larger. Where its size is not stored, the box is the largest.
 */
export function BlobImage({ part: { blob, mediaType, width, height } }: { part: ImagePart }) {
  const [isMissing, setIsMissing] = useState(false);
  const image = useRef<HTMLImageElement>(null);
  const box = boxOf(width, height);
  // Through the style of the element: a page without inline styles has no other way, and the attributes give way to it.
  useLayoutEffect(() => {
    if (image.current) image.current.style.aspectRatio = `${box.width} / ${box.height}`;
  });
  if (!/^image\/(png|jpeg|gif|webp)$/.test(mediaType))
    return <p class="meta">An image of the kind {oneLine(mediaType)}, not shown.</p>;
  // Anything else is not the name of a content, and might be another address.
  if (isMissing || !/^[0-9a-f]{64}$/.test(blob)) return <p class="meta">The image is not kept here.</p>;
  const address = assetLink(blob);
  return (
    <a class="blob-link" href={address} target="_blank" rel="noopener">
      <img
        ref={image}
        class="blob"
        src={address}
        alt="Attached to this message"
        width={box.width}
        height={box.height}
        loading="lazy"
        onError={() => setIsMissing(true)}
      />
    </a>
  );
}

/** The size of the image, made smaller where it is larger than the box. */
function boxOf(width: number | undefined, height: number | undefined): { width: number; height: number } {
  if (!width || !height) return { width: WIDEST, height: HIGHEST };
  const share = Math.min(1, WIDEST / width, HIGHEST / height);
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) };
}
