export * from '../display/printable.ts';
