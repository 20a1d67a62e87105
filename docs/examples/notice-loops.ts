// Notice a model that repeats itself: LoopDetectionService.
import { createLoopDetectionService } from 'ollm';

const guard = createLoopDetectionService({ repeatThreshold: 3 });

// Polling is not a loop: the result changes.
for (const share of ['10 %', '20 %', '30 %']) guard.recordToolCall('build_status', {}, share);
console.log(guard.checkForLoop());

for (let time = 0; time < 3; time++) guard.recordToolCall('file_read', { path: 'a.ts' }, 'const a = 1;');
console.log(guard.checkForLoop()?.details);

// The user says something.
guard.reset();
console.log(guard.checkForLoop());
