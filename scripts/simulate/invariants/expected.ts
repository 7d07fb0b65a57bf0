import { type Invariant, nameOf } from './invariant.ts';

/** No request ends in an error of the server. */
export const expected: Invariant = {
  name: 'no unexpected status',
  exchange: each => (each.served && each.served.status >= 500 ? [`${nameOf(each)}: ${each.served.text}`] : []),
  state: async ({ server }) => server.logs.filter(line => /"level":[56]0/.test(line)),
};
