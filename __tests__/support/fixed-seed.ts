// Draws the same examples each time: `FC_SEED=1 npm test`. A check that decides about a change must not depend on luck;
// without the variable every run draws others, and so finds what no run before it found.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FC_SEED) });
