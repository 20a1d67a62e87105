// Find the files of a project, without those that its ignore files name: FileDiscoveryService.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileDiscoveryService } from 'ollm';

const root = process.argv[2] ?? '.';
const files = createFileDiscoveryService({ maxDepth: 10 });
for await (const { relativePath, size } of files.discover({ root, includePatterns: ['*.ts'] })) {
  console.log(`${relativePath}: ${size} bytes`);
}

const changed = Promise.withResolvers<string>();
const watch = files.watchChanges(root, (event) => changed.resolve(event));
// Changes before this are not reported.
await watch.ready;
writeFileSync(join(root, 'new.ts'), '');
console.log(await changed.promise);
watch.dispose();
files.dispose();
