// A process of its own that indexes the files of a directory, and prints a line for each that it begins.
import { createApp } from '../../lib/app/compose.ts';
import { recall } from '../../lib/app/recall/recall.ts';

const [root] = process.argv.slice(2);
const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'test' });
const onProgress = ({ name }: { readonly name: string }) => console.log(name);
await recall(app, { text: 'anchor', scope: { project: root } }, { onProgress });
await app.close();
