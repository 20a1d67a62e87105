// The faults as often as one likes: node __tests__/nats/faults/run.ts [--rounds 50] [--only "leader killed"]
// Prints one line of JSON for each scenario; exits with 1 where a history contradicts itself.
import { parseArgs } from 'node:util';
import { missingServer } from '../../support/nats-server.ts';
import { FaultyCluster } from './faulty-cluster.ts';
import { SCENARIOS } from './scenarios.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '50' }, only: { type: 'string', multiple: true } },
});
const missing = missingServer();
if (missing !== undefined) {
  console.error(`Needs a server of NATS, and ${missing}`);
  process.exit(2);
}
const rounds = Number(values.rounds);
const names = values.only ?? Object.keys(SCENARIOS);
for (const name of names) {
  const scenario = SCENARIOS[name];
  if (!scenario) throw new RangeError(`No scenario: ${name}. There are: ${Object.keys(SCENARIOS).join(', ')}`);
  const faulty = await FaultyCluster.start(scenario.on);
  faulty.tell = (progress) => process.stderr.write(`${progress}\n`);
  faulty.tell(`${name}: the cluster is up`);
  try {
    const tally = await scenario.run(faulty, rounds);
    console.log(JSON.stringify(tally));
    if (tally.contradictions.length > 0) process.exitCode = 1;
  } finally {
    await faulty.dispose();
  }
}
