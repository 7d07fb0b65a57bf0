export { type Category, categories } from '../../../generated/categories.ts';
