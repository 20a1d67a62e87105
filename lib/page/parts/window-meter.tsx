import { tokens } from '../model/numbers.ts';
import './composer.css';

/** Fuller than this, a compaction is near. */
const NEARLY_FULL = 0.8;
const ROUND = 2 * Math.PI * 6;

/** How full the window of the model is. */
export function WindowMeter({ used, limit }: { used: number; limit: number | undefined }) {
  if (used === 0) return <span class="meter" />;
  if (limit === undefined) return <span class="meter">{tokens(used)} tokens</span>;
  const share = Math.min(1, used / limit);
  return (
    <span
      class={`meter${share >= NEARLY_FULL ? ' full' : ''}`}
      role="meter"
      aria-label="Window of the model"
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={`${tokens(used)} of ${tokens(limit)} tokens`}
      title={`${Math.round(share * 100)} % of the window. When it is nearly full, older events become a summary.`}
    >
      <svg class="meter-ring" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <circle
          class="used"
          cx="8"
          cy="8"
          r="6"
          stroke-dasharray={`${(share * ROUND).toFixed(2)} ${ROUND.toFixed(2)}`}
        />
      </svg>
      {tokens(used)} of {tokens(limit)}
    </span>
  );
}
