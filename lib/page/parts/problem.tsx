import { Icon } from './icon.tsx';
import './problem.css';

/** Why something could not be done, above the composer. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="queued" role="alert">
      <Icon name="alert" />
      {text}
    </p>
  );
}
