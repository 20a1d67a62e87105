// Tests are ES modules in TypeScript; swc strips the types, nothing else is transformed.
import { availableParallelism } from 'node:os';

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/__tests__'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  setupFiles: process.env.FC_SEED ? ['<rootDir>/__tests__/support/fixed-seed.ts'] : [],
  testTimeout: 120_000,
  // Two at least: most of the time a test waits for a process that it started.
  maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
};
