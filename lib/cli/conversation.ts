// What runs the REPL. The same as runs any other command; the build makes a program of its own of it, in which nothing
// has to be found, read and linked piece by piece until the prompt is there.
export { run } from './run.ts';
