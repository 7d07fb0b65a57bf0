import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A minimal S3-compatible server in memory, on a loopback port. */
export const startS3 = async () => {
  const objects = new Map<string, { readonly bytes: Buffer; readonly modified: Date }>();
  let mode: 'working' | 'failing' | 'silent' | 'keeping' | 'whole' = 'working';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const key = decodeURIComponent(url.pathname);
    const end = (status: number, text: string | Buffer = '', headers = {}) =>
      response.writeHead(status, { 'Content-Type': 'application/xml', ...headers }).end(text);
    const signed = request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=id/');
    if (mode === 'silent') return;
    if (mode === 'failing') return end(503, '<Error><Code>SlowDown</Code></Error>');
    if (!signed) return end(403, '<Error><Code>AccessDenied</Code></Error>');
    if (request.method === 'PUT') {
      objects.set(key, { bytes: Buffer.concat(chunks), modified: new Date() });
      return end(200);
    }
    if (request.method === 'DELETE') {
      if (mode === 'keeping') return end(403, '<Error><Code>AccessDenied</Code></Error>');
      objects.delete(key);
      return end(204);
    }
    if (url.searchParams.get('list-type')) return end(200, listing(key, url.searchParams));
    const object = objects.get(key);
    if (!object) return end(404, '<Error><Code>NoSuchKey</Code></Error>');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (first === undefined || mode === 'whole') return end(200, object.bytes);
    return end(206, object.bytes.subarray(Number(first), Number(last) + 1));
  });

  /** Lists two objects per page, so that there are several pages. */
  const listing = (bucket: string, asked: URLSearchParams): string => {
    const folder = bucket.endsWith('/') ? bucket : `${bucket}/`;
    const prefix = folder + (asked.get('prefix') ?? '');
    const keys = [...objects.keys()].filter(key => key.startsWith(prefix)).sort();
    const start = Number(asked.get('continuation-token') ?? 0);
    const rows = keys.slice(start, start + 2).map(key => {
      const { modified, bytes } = objects.get(key) as { bytes: Buffer; modified: Date };
      return `<Contents><Key>${key.slice(folder.length)}</Key><LastModified>${modified.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`;
    });
    const more = start + 2 < keys.length;
    return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${more ? `<NextContinuationToken>${start + 2}</NextContinuationToken>` : ''}${rows.join('')}</ListBucketResult>`;
  };

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    objects,
    turn: (now: typeof mode) => {
      mode = now;
    },
    options: {
      bucket: 'bucket',
      region: 'eu-central-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      // As in a configuration.
      credentials: Object.freeze({ accessKeyId: 'id', secretAccessKey: 'secret' }),
      pathStyle: true,
      prefix: 'test/',
      timeout: 500,
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
