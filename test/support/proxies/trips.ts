import { startProxy } from './proxy.ts';

const SSL_REQUEST = 80_877_103;
const [EXECUTE, QUERY] = [0x45, 0x51];

/** Reads what one client sends and counts the statements that it executes (PostgreSQL documentation, "Message Formats"). */
const statementCounter = (): ((chunk: Buffer) => number) => {
  let rest = Buffer.alloc(0);
  let started = false;
  return chunk => {
    rest = Buffer.concat([rest, chunk]);
    let count = 0;
    // Only the messages that open a connection have no type.
    while (rest.length >= (started ? 5 : 8)) {
      const length = started ? 1 + rest.readInt32BE(1) : rest.readInt32BE(0);
      if (rest.length < length) break;
      if (started) count += Number(rest[0] === EXECUTE || rest[0] === QUERY);
      else started = rest.readInt32BE(4) !== SSL_REQUEST;
      rest = rest.subarray(length);
    }
    return count;
  };
};

/**
 * A proxy before the server of a URL that counts trips, how often the client speaks after the server has responded, and the statements
 * that it executes.
 */
export const countTrips = async (url: string) => {
  let trips = 0;
  let statements = 0;
  const proxy = await startProxy(url, (client, upstream) => {
    const statementsIn = statementCounter();
    let responded = true;
    client.on('data', chunk => {
      if (responded) trips++;
      responded = false;
      statements += statementsIn(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', chunk => {
      responded = true;
      client.write(chunk);
    });
  });
  return {
    url: proxy.url,
    get trips() {
      return trips;
    },
    get statements() {
      return statements;
    },
    [Symbol.asyncDispose]: proxy.close,
  };
};
