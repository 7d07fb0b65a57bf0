import { declareHalf } from './half.ts';

await declareHalf(0);
