// The part below a conversation: questions, errors, and the composer.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AskedQuestion } from '../api/types.ts';
import { plural } from '../model/numbers.ts';
import { lazy } from './lazy.tsx';
import { Problem } from './problem.tsx';
import './dock.css';

const loadQuestion = async () => (await import('./question.tsx')).Question;
const Question = lazy(loadQuestion);

interface Props {
  /** A turn runs, which may ask. */
  isRunning: boolean;
  questions: readonly AskedQuestion[];
  problem: string | undefined;
  address: string;
  speaker: string;
  children: ComponentChildren;
}

export function Dock({ isRunning, questions, problem, address, speaker, children }: Props) {
  // Several at once would leave no room for their answers.
  const [first] = questions;
  useEffect(() => {
    if (isRunning) void loadQuestion();
  }, [isRunning]);
  return (
    <div class="dock">
      <div class="dock-inner">
        {first === undefined ? null : <Question key={first.id} question={first} address={address} speaker={speaker} />}
        {questions.length > 1 ? <p class="meta">{plural(questions.length - 1, 'more question')} after this.</p> : null}
        <Problem text={problem} />
        {children}
      </div>
    </div>
  );
}
