// What is below a conversation: questions, what went wrong, and where one types.
import type { ComponentChildren } from 'preact';
import type { AskedQuestion } from '../api/types.ts';
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
  return (
    <div class="dock">
      <div class="dock-inner">
        {questions.map((question) => (
          <Question key={question.id} question={question} address={address} speaker={speaker} />
        ))}
        <Problem text={problem} />
        {children}
      </div>
    </div>
  );
}
