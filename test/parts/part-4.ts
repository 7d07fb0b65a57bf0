import { declarePart } from './part.ts';

await declarePart(import.meta.filename);
