// A measurement in a process of its own: work.mjs SUBJECT import | append DIRECTORY COUNT | until-killed DIRECTORY |
// reopen DIRECTORY. Prints one line of JSON, except if it is killed: then a line for each acknowledged message.
import { writeSync } from 'node:fs';

const [subject, task, directory, count = '0'] = process.argv.slice(2);
const { open } = await import(`./${subject}.mjs`);
const message = (at) => ({
  role: at % 2 ? 'assistant' : 'user',
  content: `${at}: ${'words of a message '.repeat(12)}`,
});
const cpuMs = () => Object.values(process.cpuUsage()).reduce((sum, micro) => sum + micro, 0) / 1000;

if (task === 'append') {
  const chat = await open(directory);
  const began = performance.now();
  let done = 0;
  // What grows with the square of the length is not waited for.
  while (done < Number(count) && performance.now() - began < 20_000) await chat.append(message(done++));
  const seconds = (performance.now() - began) / 1000;
  await chat.close();
  console.log(JSON.stringify({ perSecond: done / seconds, done }));
} else if (task === 'until-killed') {
  const chat = await open(directory);
  for (let at = 0; ; at += 1) {
    await chat.append(message(at));
    writeSync(1, `${at}\n`);
  }
} else if (task === 'reopen') {
  const [before, began] = [cpuMs(), performance.now()];
  const chat = await open(directory);
  const messages = await chat.messages();
  const [processorMs, ms] = [cpuMs() - before, performance.now() - began];
  const text = JSON.stringify(messages);
  let kept = 0;
  while (text.includes(`"${kept}: words`)) kept += 1;
  await chat.close();
  console.log(JSON.stringify({ kept, processorMs, ms }));
} else console.log(JSON.stringify({ processorMs: cpuMs() }));
process.exit(0);
