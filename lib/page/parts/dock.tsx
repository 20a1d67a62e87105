// What is below a conversation: questions, what went wrong, and where one types.
import type { ComponentChildren } from 'preact';
import type { AskedQuestion } from '../api/types.ts';
import { plural } from '../model/numbers.ts';
import { Problem } from './problem.tsx';
import { Question } from './question.tsx';

interface Props {
  questions: readonly AskedQuestion[];
  problem: string | undefined;
  address: string;
  speaker: string;
  children: ComponentChildren;
}

export function Dock({ questions, problem, address, speaker, children }: Props) {
  // Several at once would leave no room for their answers.
  const [first] = questions;
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
