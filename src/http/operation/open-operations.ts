import { createFinder } from './match.ts';
import { isOpen, type Operation } from './operation.ts';

type PathItem = Readonly<Record<string, Pick<Operation, 'security'>>>;

/** Whether a method and path (relative to the API's) belong to an operation of the document that asks for no token. */
export const openOperations = (document: object): ((method: string, path: string) => boolean) => {
  const { paths = {} } = document as { readonly paths?: Readonly<Record<string, PathItem>> };
  const open = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => isOpen(operation))
      .map(([method]) => ({ operationId: `${method} ${path}`, method, path })),
  );
  const find = createFinder(open);
  return (method, path) => {
    const found = find(method, path);
    return found !== null && typeof found !== 'string';
  };
};
