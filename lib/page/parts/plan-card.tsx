// A plan as its last call of the turn left it, at the place of the first.
import { currentTodo, type Todo, todoProgress } from '../../messages/todos.ts';
import type { ShownCall } from '../model/blocks.ts';
import { plural } from '../model/numbers.ts';
import { latestPlan } from '../model/plan.ts';
import { oneLine } from '../model/visible.ts';
import { type Unfolded, useUnfolded } from '../state/unfolded.ts';
import { Icon, type IconName } from './icon.tsx';
import './call-card.css';
import './plan-card.css';

export const TODO_STATES: Readonly<Record<Todo['status'], readonly [icon: IconName, word: string]>> = {
  completed: ['check', 'Done'],
  in_progress: ['running', 'In progress'],
  pending: ['open', 'Open'],
};

export function PlanCard({ calls, unfolded }: { calls: readonly ShownCall[]; unfolded: Unfolded }) {
  const todos = latestPlan(calls);
  const now = currentTodo(todos);
  // The finished steps are one line.
  const [isOpen, toggle] = useUnfolded(unfolded, `plan-${calls[0]?.callId}`, now !== undefined);
  return (
    <div class="card stack plan-card">
      <button type="button" class="call-head" aria-expanded={isOpen} onClick={toggle}>
        <Icon name="plan" />
        <span class="call-name">Plan</span>
        <span class="call-subject cut">{now && !isOpen ? oneLine(now.content) : ''}</span>
        <span class="call-outcome">{todoProgress(todos)}</span>
        <Icon name={isOpen ? 'down' : 'chevron'} />
      </button>
      {isOpen ? (
        <>
          <ul class="todos">
            {todos.map(({ content, status }, index) => (
              <li key={index} data-status={status}>
                <Icon name={TODO_STATES[status][0]} />
                <span class="said-only">{TODO_STATES[status][1]}: </span>
                <span dir="auto">{oneLine(content)}</span>
              </li>
            ))}
          </ul>
          {calls.length > 1 ? <p class="facts">Changed {plural(calls.length - 1, 'time')} in this turn</p> : null}
        </>
      ) : null}
    </div>
  );
}
