// A block of code with its language and a way to copy it. Colours come with a part of the program that is loaded when
// the first block is shown; until then, and for unknown languages, the text is plain.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Coloured } from '../model/coloured.ts';
import { CopyButton } from './copy-button.tsx';
import './code.css';

/** Longer code is not coloured: it would hold up the page. */
const LONGEST = 40_000;

interface Props {
  text: string;
  /** The words at the fence: a language, with or without a file as in `ts:src/app.ts`. */
  info?: string | undefined;
  /** More of it comes: it is coloured once it is whole. */
  isOpen?: boolean;
}

export function Code({ text, info, isOpen = false }: Props) {
  const language = info?.split(/[\s:{,]/)[0] || undefined;
  const [coloured, setColoured] = useState<{ text: string; pieces: readonly Coloured[] }>();
  useEffect(() => {
    if (isOpen || language === undefined || text.length > LONGEST) return undefined;
    let isCurrent = true;
    void import('../colours/colour.ts')
      .then(({ colour }) => colour(text, language))
      .then((pieces) => isCurrent && setColoured(pieces && { text, pieces }));
    return () => {
      isCurrent = false;
    };
  }, [text, language, isOpen]);
  const pieces = coloured?.text === text ? coloured.pieces : undefined;
  return (
    <figure class="card code">
      <figcaption>
        <span class="cut">{info?.split(/\s/)[0] ?? ''}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{pieces ? rendered(pieces) : text}</code>
      </pre>
    </figure>
  );
}

function rendered(pieces: readonly Coloured[]): ComponentChildren {
  return pieces.map((piece, index) =>
    piece.text === undefined ? (
      <span key={index} class={piece.role && `syn-${piece.role}`}>
        {rendered(piece.children ?? [])}
      </span>
    ) : (
      piece.text
    ),
  );
}
