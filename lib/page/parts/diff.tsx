import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type DiffLine, linesOfChange, type WordsOf } from '../model/line-diff.ts';
import { count } from '../model/numbers.ts';
import { visible } from '../model/visible.ts';
import './diff.css';

/** More lines than these are shown when they are asked for. */
const MOST_LINES = 400;

/** What an edit changes, line by line, with the changed words on their own ground. */
export function Diff({ before, after }: { before: string; after: string }) {
  const wordsOf = useChangedWords();
  const lines = useMemo(() => linesOfChange(visible(before), visible(after), wordsOf), [before, after, wordsOf]);
  return (
    <div class="diff" role="group" aria-label="Change" tabIndex={0}>
      <DiffLines lines={lines} />
    </div>
  );
}

let loaded: WordsOf | undefined;

/** Marks the changed words, once the part that compares them is loaded. The lines stay as wide and as high. */
export function useChangedWords(): WordsOf | undefined {
  const [wordsOf, setWordsOf] = useState<WordsOf | undefined>(() => loaded);
  useEffect(() => {
    if (loaded === undefined)
      void import('../model/changed-words.ts').then((part) => {
        loaded = part.wordsOf;
        setWordsOf(() => part.wordsOf);
      });
  }, []);
  return wordsOf;
}

/** For a box that scrolls. */
export function DiffLines({ lines }: { lines: readonly DiffLine[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? lines : lines.slice(0, MOST_LINES);
  return (
    <>
      <table>
        <tbody>
          {shown.map((line, index) => (
            <DiffRow key={index} line={line}>
              <td class="at before">{line.before ?? ''}</td>
              <td class="at">{line.after ?? ''}</td>
            </DiffRow>
          ))}
        </tbody>
      </table>
      {lines.length > shown.length ? (
        <button type="button" class="show-all" onClick={() => setIsWhole(true)}>
          Show all {count(lines.length)} lines
        </button>
      ) : null}
    </>
  );
}

/** `children`: the cells before the line. */
export function DiffRow({ line, children }: { line: DiffLine; children: ComponentChildren }) {
  return (
    <tr class={CLASSES[line.sign]}>
      {children}
      <td class="sign">{line.sign === '~' ? '' : line.sign}</td>
      <td class="text">{line.words.map((word, at) => (word.isChanged ? <b key={at}>{word.text}</b> : word.text))}</td>
    </tr>
  );
}

const CLASSES = { '+': 'added', '-': 'removed', ' ': undefined, '~': 'remark' } as const;
