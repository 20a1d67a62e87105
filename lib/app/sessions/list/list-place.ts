// What a list needs of the program before a store is opened.
import type { App } from '../../app.ts';

export type ListPlace = Pick<App, 'fileSystem' | 'paths' | 'process' | 'mode' | 'clock'>;
