// Every seeded bug. `npm run lab -- --prove` shows what finds each.
import type { Bug } from '../bug.ts';
import { bug as acknowledgeBeforeSync } from './acknowledge-before-sync.ts';
import { bug as appendBehindATornTail } from './append-behind-a-torn-tail.ts';
import { bug as buildOnAFailedSync } from './build-on-a-failed-sync.ts';
import { bug as checksumOverSerialisedAgain } from './checksum-over-serialised-again.ts';
import { bug as cutWithoutACopy } from './cut-without-a-copy.ts';
import { bug as dropUnknownTypes } from './drop-unknown-types.ts';
import { bug as forgetTheKey } from './forget-the-key.ts';
import { bug as ignoreAShortWrite } from './ignore-a-short-write.ts';
import { bug as lockThatGoesStale } from './lock-that-goes-stale.ts';
import { bug as loseWhatStreamed } from './lose-what-streamed.ts';
import { bug as noDirectorySync } from './no-directory-sync.ts';
import { bug as noSync } from './no-sync.ts';
import { bug as quarantineWithoutAName } from './quarantine-without-a-name.ts';
import { bug as renameWithoutSync } from './rename-without-sync.ts';
import { bug as retryAFailedSync } from './retry-a-failed-sync.ts';
import { bug as reuseASeq } from './reuse-a-seq.ts';
import { bug as showALineTwice } from './show-a-line-twice.ts';
import { bug as stopAtTheFirstBadLine } from './stop-at-the-first-bad-line.ts';
import { bug as trashWithoutSync } from './trash-without-sync.ts';
import { bug as truncateWithoutSync } from './truncate-without-sync.ts';
import { bug as trustWhatIsDerived } from './trust-what-is-derived.ts';

export const BUGS: readonly Bug[] = [
  noSync,
  acknowledgeBeforeSync,
  noDirectorySync,
  retryAFailedSync,
  ignoreAShortWrite,
  appendBehindATornTail,
  truncateWithoutSync,
  stopAtTheFirstBadLine,
  checksumOverSerialisedAgain,
  renameWithoutSync,
  lockThatGoesStale,
  dropUnknownTypes,
  trustWhatIsDerived,
  reuseASeq,
  buildOnAFailedSync,
  quarantineWithoutAName,
  cutWithoutACopy,
  trashWithoutSync,
  forgetTheKey,
  showALineTwice,
  loseWhatStreamed,
];
