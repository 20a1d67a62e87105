// The faults as often as one likes:
//   node __tests__/nats/faults/run.ts [--rounds 50] [--minutes 20] [--only "leader killed"]
// `--minutes` ends each scenario after that long. Prints one line of JSON for each; exits with 1 where a history
// contradicts itself.
import { parseArgs } from 'node:util';
import { missingServer } from '../../support/nats-server.ts';
import { FaultyCluster } from './faulty-cluster.ts';
import { SCENARIOS } from './scenarios.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    minutes: { type: 'string', default: 'Infinity' },
    only: { type: 'string', multiple: true },
  },
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
  faulty.untilMs = performance.now() + Number(values.minutes) * 60_000;
  try {
    const tally = await scenario.run(faulty, rounds);
    const server = (await faulty.session()).connection.info?.version;
    console.log(JSON.stringify({ server, ...tally }));
    if (tally.contradictions.length > 0) process.exitCode = 1;
  } finally {
    await faulty.dispose();
  }
}
