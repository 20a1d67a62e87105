import { linkTo, server } from '../api/server.ts';
import { oneLine } from '../model/visible.ts';
import { changeDraft, type DraftImage } from '../state/draft.ts';
import { Icon } from './icon.tsx';
import './composer.css';

/** The types of images that the server accepts. */
const MOST_BYTES = 20 * 1024 * 1024;

/** Stores images and attaches them to the draft of a session. Throws with the first that is refused. */
export async function attach(address: string, files: readonly File[]): Promise<void> {
  const notAnImage = files.find(({ type }) => !/^image\/(png|jpeg|gif|webp)$/.test(type));
  if (notAnImage) throw new Error(`${oneLine(notAnImage.name)} is not a PNG, JPEG, GIF or WebP.`);
  const tooLarge = files.find(({ size }) => size > MOST_BYTES);
  if (tooLarge) throw new Error(`${oneLine(tooLarge.name)} is over 20 MB.`);
  if (files.length === 0) return;
  const form = new FormData();
  for (const file of files) form.append('images', file);
  const { images } = await server.uploadImages({ form });
  changeDraft(address, (old) => ({ images: [...old.images, ...images] }));
}

export function AttachedImages({ address, images }: { address: string; images: readonly DraftImage[] }) {
  if (images.length === 0) return null;
  return (
    <div class="attached">
      {images.map((image) => (
        <span key={image.hash} class="attached-image">
          <img src={linkTo('getAsset', { parameters: { hash: image.hash } })} alt="" width={44} height={32} />
          <span class="cut">{oneLine(image.originalName)}</span>
          <button
            type="button"
            class="copy"
            aria-label={`Remove ${oneLine(image.originalName)}`}
            onClick={() => changeDraft(address, (old) => ({ images: old.images.filter((each) => each !== image) }))}
          >
            ×
          </button>
        </span>
      ))}
    </div>
  );
}

export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  return (
    <label class="button plain square" title="Attach images">
      <Icon name="attach" label="Attach images" />
      <input
        class="said-only"
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // So that a file can be chosen again after it was removed.
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}
