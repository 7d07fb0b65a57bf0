import { describeHiding, itHides } from './scene.ts';

describeHiding(hiding => {
  itHides('contact', hiding);
  itHides('personal', hiding);
});
