export * from '../display/relative-time.ts';
