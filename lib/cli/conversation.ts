// Runs the REPL, by the same code as any other command; the build makes a separate bundle of it, so that nothing has to
// be found, read and linked piece by piece before the prompt appears.
export { run } from './run.ts';
