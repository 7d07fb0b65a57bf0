import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { Contestant } from './contestants.ts';
import type { BenchTenant } from './data.ts';
import { type ReceivedResponse, sendTo } from './load.ts';
import { askedTenants, type BenchRequest, type Workload } from './workloads/workload.ts';

/** How many numbers of a workload are compared. */
const compared = 3;

/**
 * Checks that all contestants respond with the same bytes, but for what each makes itself.
 * Ids of requests and, of writes, of records and the times of changes.
 * @throws AssertionError
 */
export const checkSame = async (
  name: string,
  workload: Workload,
  contestants: readonly Contestant[],
  tenants: readonly BenchTenant[],
): Promise<void> => {
  for (let n = 0; n < compared; n++) {
    const requests = workload.requests(n, askedTenants(workload, tenants));
    // Of those of all tenants, the smallest one's.
    const asked = workload.together ? requests.slice(-1) : requests;
    let expected: readonly string[] | null = null;
    for (const { port, name: contestant } of contestants) {
      const responses: string[] = [];
      for (const request of asked)
        responses.push(comparable(request, await respond(port, request, workload), workload));
      expected ??= responses;
      assert.deepEqual(responses, expected, `${name}: ${contestant} responds otherwise than ${contestants[0]?.name}`);
    }
  }
};

const respond = async (port: number, request: BenchRequest, { conditional }: Workload): Promise<ReceivedResponse> => {
  const first = await sendTo(port, request);
  return conditional ? sendTo(port, request, first.etag) : first;
};

const comparable = ({ method }: BenchRequest, { status, etag, body }: ReceivedResponse, workload: Workload): string => {
  assert.equal(status, workload.status, String(status === workload.status || gunzipSync(body)));
  const text = body.length > 0 ? gunzipSync(body).toString() : '';
  const known = text.replaceAll(/"request_id": "[^"]+"/g, '"request_id": "…"');
  if (method === 'GET') return `${status} ${etag ?? ''}\n${known}`;
  return `${status}\n${known.replaceAll(/"(id|assignment_id|created_at|updated_at)": ("[^"]*"|\d+)/g, '"$1": …')}`;
};
