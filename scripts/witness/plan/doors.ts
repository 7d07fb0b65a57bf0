import { type Request, root, type WitnessPlan } from './plan.ts';

/** Plans requests that reach no operation: other endpoints, and requests rejected before routing. */
export const planDoors = async (plan: WitnessPlan): Promise<void> => {
  const send = (purpose: string, request: Request) => plan.send('doors', purpose, request);
  for (const target of ['/livez', '/readyz', '/nothing']) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) await send('health', { port: 'internal', target, method });
  }
  await send('http', { port: 'plain', target: `${root}/clients` });
  await send('http health', { port: 'plain', target: '/livez' });
  await planDocuments(send);
  await planLimits(send);
  await planFiles(send);
  for (const target of [
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/clients',
    '/livez',
    `${root}/nothing`,
    `${root}/clients/`,
    `${root}//clients`,
    `${root}/Clients`,
    `${root}/clients/1/2/3`,
    `${root}/clients/%zz`,
    `${root}/clients.`,
    `${root}/assignments/status`,
  ]) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD', 'TRACE']) await send('path', { target, method });
    await send('path without token', { target, headers: { Authorization: null } });
  }
  const { demo, reader } = plan.users;
  const clients = `${root}/clients?limit=1&fields=id`;
  await send('query token', {
    target: `${clients}&callback=show&authorization_bearer=${demo}`,
    headers: { Authorization: null },
  });
  await send('query token without callback', {
    target: `${clients}&authorization_bearer=${demo}`,
    headers: { Authorization: null },
  });
  await send('reader', { target: clients, headers: { Authorization: `Bearer ${reader}` } });
  for (const scheme of ['bearer', 'Basic', 'Token', ''])
    await send('scheme', { target: clients, headers: { Authorization: `${scheme} ${demo}` } });
  for (const host of [
    'demo.localhost:8443',
    'localhost',
    'DEMO.localhost',
    'demo.localhost.',
    'example.com',
    '',
    'a b',
  ])
    await send('host', { target: clients, headers: { Host: host } });
  for (const id of ['bad id', 'x'.repeat(129), null])
    await send('request id', { target: `${clients}&nonsense=1`, headers: { 'X-Request-Id': id } });
  for (const coding of ['gzip;q=0', '*', 'br', 'gzip;q=0.5, identity;q=1', null])
    await send('coding', { target: clients, headers: { 'Accept-Encoding': coding } });
  await send('cors', { target: clients, headers: { Origin: 'https://planner.example' } });
};

const planDocuments = async (send: (purpose: string, request: Request) => Promise<unknown>): Promise<void> => {
  for (const name of ['openapi.json', 'openapi.yaml', 'docs', 'docs/', 'docs/nothing', 'docs/style.css']) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      await send('document', { target: `${root}/${name}`, method, headers: { Authorization: null } });
      await send('own document', { target: `${root}/${name}`, method });
    }
    await send('document, bad token', { target: `${root}/${name}`, headers: { Authorization: 'Bearer nonsense' } });
    await send('document, parameters', { target: `${root}/${name}?envelope=true&nonsense=1` });
  }
};

const planLimits = async (send: (purpose: string, request: Request) => Promise<unknown>): Promise<void> => {
  const clients = `${root}/clients`;
  const post = (purpose: string, request: Partial<Request>) =>
    send(purpose, { method: 'POST', target: clients, ...request });
  await send('long URL', { target: `${clients}?company=${'x'.repeat(9_000)}` });
  await send('long header', { target: clients, headers: { 'X-Long': 'x'.repeat(20_000) } });
  await send('many conditions', { target: `${clients}?${Array(51).fill('id[]=1').join('&')}` });
  await send('many alternatives', { target: `${clients}?id=${Array(501).fill('1').join()}` });
  await send('many sorts', { target: `${clients}?sort=${Array(11).fill('id').join()}` });
  await send('a parameter twice', { target: `${clients}?limit=1&limit=2&fields=id&fields=company` });
  await post('large body', { body: JSON.stringify({ company: 'x'.repeat(1_100_000) }) });
  await post('large body, compressed', { body: JSON.stringify({ company: 'x'.repeat(1_100_000) }), gzip: true });
  await post('deep body', { body: `${'{"a":'.repeat(70)}1${'}'.repeat(70)}` });
  await post('not compressed', { body: '{"company":"x"}', headers: { 'Content-Encoding': 'gzip' } });
  await post('override to PATCH', { body: '{}', headers: { 'X-HTTP-Method-Override': 'PATCH' } });
  await post('bad key', { body: '{"company":"x"}', headers: { 'Idempotency-Key': 'x'.repeat(256) } });
  for (const type of [
    'application/json; charset=utf-8',
    'application/json; charset=latin1',
    'application/json;',
    'application/jsonx',
    'APPLICATION/JSON',
  ]) {
    await post('content type', { body: '{}', headers: { 'Content-Type': type } });
  }
};

const planFiles = async (send: (purpose: string, request: Request) => Promise<unknown>): Promise<void> => {
  const post = (
    purpose: string,
    headers: Readonly<Record<string, string>>,
    body = 'some text, and more of it',
    query = '',
  ) => send(purpose, { method: 'POST', target: `${root}/files${query}`, body, headers });
  await post('upload', { 'Content-Type': 'text/plain', 'X-File-Name': 'notes.txt' });
  await post('upload, public', {
    'Content-Type': 'text/plain',
    'X-File-Name': 'n%C3%B6tes.txt',
    'X-File-Visibility': 'public',
  });
  await post('upload, bad visibility', { 'Content-Type': 'text/plain', 'X-File-Visibility': 'secret' });
  await post('upload without a type', { 'Content-Type': '', 'X-File-Name': 'x.pdf' }, '%PDF-1.7');
  await post('upload with a path', { 'Content-Type': 'text/html', 'X-File-Name': '../../etc/passwd' }, '<script>');
  await post('upload, empty', { 'Content-Type': 'text/plain', 'X-File-Name': 'empty' }, '');
  await post('upload without a name', { 'Content-Type': 'text/plain' });
  await post('upload, envelope', { 'Content-Type': 'text/plain', 'X-File-Name': 'x.txt' }, 'x', '?envelope=true');
};
