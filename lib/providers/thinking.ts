// How much a model thinks before it answers: one scale for the models of all providers. A provider says which of the
// modes a model knows.
export const THINKING_MODES = ['off', 'low', 'medium', 'high', 'max'] as const;

/** `max`: as much as the model can. */
export type ThinkingMode = (typeof THINKING_MODES)[number];
