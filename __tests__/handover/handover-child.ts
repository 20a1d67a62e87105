// A process of its own that hands a session over to Codex, and kills itself at the Nth call that changes something on
// the disk, counted from when the handover begins. It ends with 0 where there are fewer calls.
import { createApp } from '../../lib/app/compose.ts';
import { handOver } from '../../lib/app/handover/hand-over.ts';
import { type FileHandle, type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';

const CHANGING = ['open', 'rename', 'link', 'unlink', 'makeDirectory', 'write', 'sync', 'syncDirectory', 'close'];

const [source = '', at = ''] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;
const app = await createApp({
  env: process.env,
  cwd: process.cwd(),
  command: 'test',
  parts: { fileSystem: killing(nodeFileSystem) },
});
left = Number(at);
await handOver(app, source, { to: 'codex' });
left = Number.POSITIVE_INFINITY;
await app.close();

function killing<Port extends FileSystem | FileHandle>(port: Port): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]) => {
        if (CHANGING.includes(String(name))) left -= 1;
        if (left < 0) process.kill(process.pid, 'SIGKILL');
        const result: unknown = member.apply(target, parameters);
        return name === 'open' ? killing(result as FileHandle) : result;
      };
    },
  });
}
