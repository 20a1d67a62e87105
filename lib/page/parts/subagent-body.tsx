// A call in which a subagent worked: its task, its answer, and a link to its session.
import type { ShownCall } from '../model/blocks.ts';
import { taskOf } from '../model/subagent.ts';
import { sessionLink } from '../router.ts';
import { Icon } from './icon.tsx';
import { Prose } from './prose.tsx';
import './call-card.css';

export function SubagentBody({ call }: { call: ShownCall }) {
  const task = taskOf(call);
  const address = call.end?.subagent ?? call.start?.subagent;
  const answer = call.end?.result.llmContent ?? '';
  return (
    <>
      {task === undefined ? null : (
        <div class="subagent-part">
          <p class="label">What it was asked</p>
          <Prose text={task} />
        </div>
      )}
      {call.end === undefined ? null : (
        <div class="subagent-part">
          <p class="label">What came back</p>
          {answer.trim() === '' ? <p class="meta">Nothing.</p> : <Prose text={answer} />}
        </div>
      )}
      {address === undefined ? null : (
        <p class="facts">
          <a href={sessionLink(address)}>
            <Icon name="fork" /> Its own session
          </a>
        </p>
      )}
    </>
  );
}
