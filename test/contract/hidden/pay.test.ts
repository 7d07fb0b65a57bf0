import { describeHiding, itHides } from './scene.ts';

describeHiding(hiding => {
  itHides('pay', hiding);
});
