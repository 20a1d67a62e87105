// Secrets of several shapes, to be put wherever text comes in and looked for wherever text was kept. Put together at
// run time, so that no scanner takes this file for a leak.
export const SECRETS = {
  password: ['correct-horse', 'battery-staple'].join('-'),
  forge: `ghp_${'a1B2'.repeat(9)}`,
  model: `sk-${'ant-'}api03-${'x9Y8z7'.repeat(8)}`,
  database: ['hunter', 'hunter', '2'].join(''),
};
const { password, forge, model, database } = SECRETS;

/** All of them in one line. */
export const ALL_SECRETS = `${password} and ${forge}, ${model} at postgres://me:${database}@host/db`;
