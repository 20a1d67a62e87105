// Tests are ES modules in TypeScript; swc strips the types, nothing else is transformed. Three projects:
//   unit     runs in the process of the test
//   process  starts the built program or a pseudo-terminal
//   lab      crashes, kernel faults and damage; `npm run lab` goes on for as long as it is given time
// `npm test` runs all of them, `npm test -- --selectProjects unit` one.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';

const TESTS = join(import.meta.dirname, '__tests__');
/** A test that imports one of these, also through another file, belongs to `process`. */
const STARTS_PROGRAMS = ['support/cli.ts', 'support/terminal.ts'].map((file) => join(TESTS, file));

const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join(TESTS, file));
const projectOf = (file) =>
  relative(TESTS, file).startsWith('lab') ? 'lab' : startsPrograms(file) ? 'process' : 'unit';

const project = (name) => ({
  displayName: name,
  testEnvironment: 'node',
  roots: ['<rootDir>/__tests__'],
  testMatch: tests.filter((file) => projectOf(file) === name),
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  setupFiles: process.env.FC_SEED ? ['<rootDir>/__tests__/support/fixed-seed.ts'] : [],
  ...(name === 'unit' ? {} : { globalSetup: '<rootDir>/__tests__/support/build.ts' }),
});

export default {
  projects: ['unit', 'process', 'lab'].map(project),
  reporters: ['default', '<rootDir>/.ci/slowest.js'],
  testTimeout: 120_000,
  // Two at least: most of the time a test waits for a process that it started.
  maxWorkers: Math.max(2, Math.floor(availableParallelism() * 0.75)),
};

function startsPrograms(file, seen = new Set()) {
  if (STARTS_PROGRAMS.includes(file)) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g);
  return [...imports].some(([, path]) => {
    const imported = join(dirname(file), path);
    return imported.startsWith(TESTS) && startsPrograms(imported, seen);
  });
}
