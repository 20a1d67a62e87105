// The shape of a session: a bar for each stretch, tall where much was said, dark where a person spoke, red where
// something failed, dotted where it was compacted. A byte for each bar: five bits of height, three of marks.
import './session-row.css';

const PROMPT = 0x20;
const FAILURE = 0x40;
const COMPACTION = 0x80;
const HEIGHT = 0x1f;

export function Shape({ bytes }: { bytes: string | undefined }) {
  if (bytes === undefined || bytes === '') return <span class="shape" />;
  const bars = [...atob(bytes)].map((character) => character.charCodeAt(0));
  return (
    <svg class="shape" viewBox="0 0 88 20" aria-hidden="true">
      {bars.slice(0, 22).map((bar, index) => {
        const height = Math.max(2, ((bar & HEIGHT) / HEIGHT) * 18);
        const name = bar & FAILURE ? 'failed' : bar & PROMPT ? 'prompt' : 'plain';
        return bar & COMPACTION ? (
          <line key={index} class="compacted" x1={index * 4 + 1.5} x2={index * 4 + 1.5} y1="0" y2="20" />
        ) : (
          <rect key={index} class={name} x={index * 4} y={20 - height} width="3" height={height} />
        );
      })}
    </svg>
  );
}
