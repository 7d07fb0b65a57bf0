import { startProxy } from './proxy.ts';

/** How the response to a COMMIT is lost: never forwarded, or lost together with the connection. */
export type Loss = 'held' | 'cut';

/** Starts a proxy in front of a Postgres server that, while `loss` is set, drops the responses to COMMIT after the server has committed. */
export const loseCommits = async (url: string) => {
  const state: { loss: Loss | null; lost: number } = { loss: null, lost: 0 };
  const proxy = await startProxy(url, (client, upstream) => {
    let losing = false;
    let counted = false;
    client.on('data', chunk => {
      // Excludes reads and the claims of ids, which send COMMIT together with BEGIN, too.
      const isOther = chunk.includes('begin_read') || chunk.includes('claim_ids');
      losing ||= state.loss !== null && chunk.includes('commit') && !isOther;
      upstream.write(chunk);
    });
    upstream.on('data', chunk => {
      if (!losing) return client.write(chunk);
      // The response may come in several chunks.
      if (!counted) state.lost++;
      counted = true;
      if (state.loss === 'cut') client.destroy();
      return false;
    });
  });
  return { ...proxy, state };
};
