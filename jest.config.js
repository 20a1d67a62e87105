// Tests are ES modules in TypeScript; Node loads them (support/jest/native-runtime.ts). Five projects:
//   unit      runs in the process of the test
//   process   starts the built program or a pseudo-terminal
//   sweeps    goes over all cases of a kind, such as each place of damage or a thousand clients, and takes long
//   programs  drives programs of other makers: agents, servers of NATS, a browser
//   lab       crashes, kernel faults and damage, in lab/ and every `*killed.test.ts`; `npm run lab` goes on for as long
//             as it is given time
// `npm test` runs the first two, `npm run test:long` the others. A file that is named is run, whichever project has it;
// `npm test -- --selectProjects unit` runs one project.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';

// Stripped and compiled TypeScript is kept for the next worker, thread and run.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/ollm-tests');

const TESTS = join(import.meta.dirname, '__tests__');
const SHORT = ['unit', 'process'];
const LONG = ['sweeps', 'programs', 'lab'];
/** Files, or a project. A number belongs to an option before it. */
const isNamed = process.argv.slice(2).some((argument) => /^[^-\d]|^--selectProjects/.test(argument));

/** A test that imports one of these, also through another file of the tests, belongs to `programs`. */
const DRIVES_OTHERS = ['agents/programs/program.ts', 'support/nats-server.ts', 'playwright-core'];
/** The same for `process`. */
const STARTS_OURS = ['support/cli.ts', 'support/terminal.ts'];

/** Each takes seconds of processor time. */
const SWEEPS = [
  'acp/serve',
  'agents/records',
  'agents/titles',
  'app/list/list-memory',
  'app/twenty-turns',
  'bench/retrieval',
  'blame/precision',
  'cli/costs',
  'cli/whole/attacks',
  'cli/whole/hard-models',
  'cli/whole/many-and-large',
  'cli/whole/secrets-of-tools',
  'cli/whole/told-at-once',
  'context/placed.property',
  'discovery/directory-memory',
  'discovery/git.property',
  'discovery/watch',
  'environment/redact-long',
  'environment/secret-kinds',
  'environment/secret-misses',
  'exporters/read-back',
  'exporters/readers-at-hand',
  'exporters/sessions-at-hand',
  'handover/sessions-at-hand',
  'hub/import-session',
  'hub/processes',
  'journal/damage-everywhere',
  'journal/reading/bad-lines',
  'journal/store-faults',
  'lead/interleavings',
  'mcp/broken',
  'mcp/strangers',
  'providers/whole/continued-sessions',
  'providers/whole/prefixes',
  'providers/whole/strangers',
  'real/transcripts',
  'repl/every-terminal',
  'retrieval/first-question',
  'runs/contract',
  'server/costs',
  'server/fuzz',
  'server/thousand-clients',
  'server/two-processes',
  'server/who-may-come-in',
  'session/without-state-file',
  'tools/builtin/text-forms',
  'tools/git-programs',
  'tools/git-reader',
  'tools/policy/real-shell',
].map((name) => join(TESTS, `${name}.test.ts`));

const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join(TESTS, file));
const missing = SWEEPS.filter((file) => !tests.includes(file));
if (missing.length > 0) throw new Error(`jest.config.js names tests that do not exist: ${missing.join(', ')}`);
const testsOf = Map.groupBy(tests, projectOf);

const project = (name) => ({
  displayName: name,
  runtime: '<rootDir>/__tests__/support/jest/native-runtime.ts',
  testEnvironment: '<rootDir>/__tests__/support/jest/native-environment.ts',
  roots: ['<rootDir>/__tests__'],
  testMatch: testsOf.get(name) ?? [],
  transform: {},
  setupFiles: process.env.FC_SEED ? ['<rootDir>/__tests__/support/fixed-seed.ts'] : [],
  setupFilesAfterEnv: [
    '<rootDir>/__tests__/support/end-with-tests.ts',
    ...(process.env.SECOND_TRY ? ['<rootDir>/__tests__/support/second-try.ts'] : []),
  ],
  ...(name === 'unit' ? {} : { globalSetup: '<rootDir>/.ci/build.ts' }),
});

export default {
  projects: (isNamed ? [...SHORT, ...LONG] : SHORT).map(project),
  reporters: ['default', '<rootDir>/.ci/slowest.js'],
  testSequencer: '<rootDir>/.ci/sequence.js',
  // Far longer than any test takes on a machine that does much else. No test has a limit of its own (.ci/test-clocks.ts).
  testTimeout: 900_000 * Number(process.env.TIMES ?? 1),
  // Twice the cores: for half of its time a test waits, for a process that it started or for a limit to pass.
  maxWorkers: availableParallelism() * 2,
};

function projectOf(file) {
  if (imports(file, DRIVES_OTHERS)) return 'programs';
  if (SWEEPS.includes(file)) return 'sweeps';
  if (relative(TESTS, file).startsWith('lab') || file.endsWith('killed.test.ts')) return 'lab';
  return imports(file, STARTS_OURS) ? 'process' : 'unit';
}

/** Whether a test imports one of these, itself or through another file of the tests. */
function imports(file, wanted, seen = new Set()) {
  if (seen.has(file) || !file.startsWith(TESTS)) return false;
  seen.add(file);
  const found = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b(?! type)[^;]*? from '([^']+)'/gm);
  return [...found].some(([, name]) => {
    if (!name.startsWith('.')) return wanted.includes(name);
    const path = join(dirname(file), name);
    return wanted.includes(relative(TESTS, path)) || imports(path, wanted, seen);
  });
}
