import { categories } from '../../../src/core/resource/categories.ts';
import { describeHiding, itHides } from './scene.ts';

describeHiding(hiding => {
  for (const category of categories) itHides(category, hiding);
});
