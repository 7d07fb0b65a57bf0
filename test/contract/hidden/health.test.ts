import { describeHiding, itHides } from './scene.ts';

describeHiding(hiding => {
  itHides('health', hiding);
  itHides('identity', hiding);
});
