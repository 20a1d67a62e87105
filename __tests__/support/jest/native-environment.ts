// The environment of a file of the tests is that of its worker. Changes of the file to the process are reverted after
// it: variables, the directory, `console`, `process.exit` and the timers.
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

export default class NativeEnvironment {
  readonly global = globalThis;
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly #variables = { ...process.env };
  readonly #directory = process.cwd();
  readonly #exit = process.exit;
  readonly #console = console;

  constructor({ projectConfig }: JestEnvironmentConfig, _context: EnvironmentContext) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
    process.chdir(this.#directory);
    process.exit = this.#exit;
    globalThis.console = this.#console;
  }

  exportConditions(): string[] {
    return [];
  }

  getVmContext(): null {
    return null;
  }
}
